import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import { deleteUnpublishedPost } from '../../db/queries/posts.ts'
import { POST_BUSY, POST_NOT_FOUND, POST_PUBLISHED } from '../../schemas/messages.ts'
import type { Deleted } from '../../schemas/shared.ts'
import { AppError } from '../errors.ts'

/** Deletes a post of the user. Throws 404 where there is none with this id, 400 where it is published, 409 while it is being sent. */
export async function deletePost(db: Db, userId: string, id: string): Promise<Deleted> {
  const [found] = isId(id) ? await deleteUnpublishedPost(db, { userId, id }) : []
  if (!found) throw new AppError(404, 'post_not_found', POST_NOT_FOUND)
  if (found.status === 'published') throw new AppError(400, 'post_published', POST_PUBLISHED)
  if (found.busy) throw new AppError(409, 'post_busy', POST_BUSY)
  return { success: true }
}
