import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import { publishNow } from '../../db/queries/delivery/owner.ts'
import { findPost } from '../../db/queries/post-detail.ts'
import { POST_NOT_FOUND, PUBLISHED_ALREADY } from '../../schemas/messages.ts'
import type { PostDetail } from '../../schemas/post.ts'
import { PUBLISH_NOW } from '../delivery/states.ts'
import { NAME_KEPT_MS } from '../delivery/timing.ts'
import { AppError } from '../errors.ts'
import { checkPost } from './check.ts'

/** A post of the user with all that hangs on it. Throws a 404 where there is none with this id. */
export async function getPost(db: Db, userId: string, id: string): Promise<PostDetail> {
  const [post] = isId(id) ? await findPost(db, { userId, id }) : []
  if (!post) throw new AppError(404, 'post_not_found', POST_NOT_FOUND)
  return post
}

/**
 * Makes a post due now: a draft, a scheduled one before its time, or one that has failed everywhere. Throws 404 where the
 * user has none with this id, 409 where it is published, and for a draft what `createPost` throws of one that is
 * scheduled: it may have been incomplete until now.
 */
export async function publishPost(db: Db, userId: string, id: string): Promise<PostDetail> {
  const post = await getPost(db, userId, id)
  if (post.status === 'published') throw new AppError(409, 'post_published', PUBLISHED_ALREADY)
  if (post.status === 'draft') {
    const { targets, ...rest } = post
    await checkPost(db, userId, {
      ...rest,
      scheduled: true,
      accountIds: targets.map(({ accountId }) => accountId),
      overrides: new Map(
        targets.map(({ accountId, captionOverride, fields }) => [accountId, { captionOverride, fields: fields ?? {} }]),
      ),
      threadParts: new Map(targets.map(({ accountId, threadParts }) => [accountId, threadParts])),
    })
  }
  await publishNow(db, { userId, id, ...PUBLISH_NOW, nameKeptMs: NAME_KEPT_MS })
  return getPost(db, userId, id)
}
