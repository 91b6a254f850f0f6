import type { Db } from '../../../db/client.ts'
import { publishNow, storeTextDigests } from '../../../db/queries/delivery/owner.ts'
import { writePostUpdated } from '../../../db/queries/events/post.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import { fail } from '../../base/errors.ts'
import { PUBLISH_NOW } from '../../engine/delivery/machine.ts'
import { EARLIER_CALLS } from '../../engine/delivery/timing.ts'
import { createTextCache } from '../../platforms/rules/text-cache.ts'
import type { PostAccess } from './access.ts'
import { checkPost } from './check.ts'
import { fromRow } from './content.ts'
import type { PostCondition } from './etag.ts'
import { changePost, getPost } from './get.ts'
import { digestTexts } from './nearby-terms.ts'

/**
 * Makes a post due now: a draft, a scheduled one before its time, or one that has failed everywhere. Throws 404 if the
 * id is unknown, 409 if the post is published or cancelled, and 412 if `ifMatch` does not hold. For a draft, which may
 * have been incomplete until now, it also throws the errors of `createPost` for a scheduled post.
 */
export async function publishPost(db: Db, access: PostAccess, ifMatch?: PostCondition): Promise<PostWithReadiness> {
  const { userId, id } = access
  await changePost(db, access, async (db) => {
    const post = await getPost(db, userId, id)
    if (post.status === 'published') throw fail('post_published')
    ifMatch?.(post)
    if (post.targets.every(({ delivery }) => delivery.state === 'cancelled')) throw fail('post_cancelled')
    if (post.status === 'draft') {
      const texts = createTextCache()
      const { targets, ...content } = await checkPost(db, userId, { ...fromRow(post), isScheduled: true }, { texts })
      const digests = targets.map(({ accountId, account, ...own }) => ({
        accountId,
        textDigest: digestTexts(account.platform, content, own, texts),
      }))
      await storeTextDigests(db, { userId, id }, digests)
    }
    const [due] = await publishNow(db, { userId, id, keyId: access.keyId, ...PUBLISH_NOW, ...EARLIER_CALLS })
    if (due!.count > 0) {
      await writePostUpdated(db, access, [
        ...(post.status === 'draft' ? ['status'] : []),
        'scheduledAt',
        ...(post.targets.some(({ scheduledAt }) => scheduledAt !== null) ? ['overrides'] : []),
      ])
    }
  })
  return getPost(db, userId, id)
}
