import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { deleteUnpublishedPost } from '../../../db/queries/posts/delete.ts'
import type { Deleted } from '../../../schemas/shared.ts'
import { ALL_RIGHTS } from '../../base/http/rights.ts'
import type { PostAccess } from './access.ts'
import { type Conditions, changePost, getPost, requireUnpublished } from './get.ts'
import { findMissingScope, requirePostScope } from './scope.ts'

/**
 * Deletes a post. Throws 404 if the id is unknown, 400 if the post is published, 409 while it is being sent, and the
 * errors of its conditions.
 */
export async function deletePost(
  db: Db,
  post: PostAccess,
  { ifMatch, rights = ALL_RIGHTS }: Conditions = {},
): Promise<Deleted> {
  const { userId, id } = post
  if (ifMatch || post.confirm || findMissingScope(rights, true)) {
    await changePost(db, post, async (db, locked) => {
      requirePostScope(rights, locked.status === 'scheduled')
      requireUnpublished(locked, 'delete')
      if (ifMatch) ifMatch(await getPost(db, userId, id))
      await deleteUnpublishedPost(db, { userId, id })
    })
    return { success: true }
  }
  // One statement is enough if there is no condition.
  for (;;) {
    const [found] = isId(id) ? await deleteUnpublishedPost(db, { userId, id }) : []
    if (found) {
      requireUnpublished(found, 'delete')
      return { success: true }
    }
    // Throws a 404, or the post was changed while its lock was awaited.
    await getPost(db, userId, id)
  }
}
