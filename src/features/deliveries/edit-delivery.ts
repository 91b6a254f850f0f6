import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../../db/client.ts'
import type { DeliveryKey } from '../../../db/queries/delivery/delivery.ts'
import { type OwnedDelivery, storeDeliveryContent } from '../../../db/queries/delivery/owner.ts'
import type { PostDetail } from '../../../schemas/post.ts'
import type { RetryDelivery } from '../../../schemas/retry-delivery.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { createTextCache } from '../../platforms/rules/text-cache.ts'
import type { UsableForPost } from '../posts/access.ts'
import { bothFiles, findStrayMedia } from '../posts/body.ts'
import { fromRow, sentContentOf } from '../posts/content.ts'
import { mergeTarget } from '../posts/merge-patch.ts'
import { digestTexts } from '../posts/nearby-terms.ts'
import { checkForAccount } from './check-for-account.ts'

interface Edit {
  delivery: OwnedDelivery
  post: PostDetail
  edit: RetryDelivery
  usable: UsableForPost | undefined
}

/**
 * Changes the content of one delivery before it is retried. Only acts that are not out can change. Throws 409 if the
 * sent acts are unknown, or only the first comment is missing. Throws 400 if a published part or its files would
 * change, and the errors of `createPost` for a post to this account alone.
 */
export async function editDelivery(
  db: Db,
  { userId, postId, accountId }: DeliveryKey,
  { delivery, post, edit, usable }: Edit,
): Promise<void> {
  const { threadParts, ...override } = edit
  const before = fromRow(post)
  const target = before.targets.find((target) => target.accountId === accountId)!
  const changed = mergeTarget(target, {
    overrides: { [accountId]: override },
    ...(threadParts !== undefined && { threadParts: { [accountId]: threadParts } }),
  })
  if (isDeepStrictEqual(changed, target)) return
  if (delivery.intent !== null || delivery.state === 'unconfirmed') {
    throw fail('delivery_unconfirmed.edited')
  }
  if (delivery.state === 'published') throw fail('delivery_published')
  const refuse = (path: string, message: string) => invalidRequest([{ code: 'custom', path: [path], message }])
  const stray =
    bothFiles(edit) ??
    findStrayMedia({ ...changed, postType: before.postType, threadMedia: edit.threadMedia ?? changed.threadMedia })
  if (stray) throw refuse('threadMedia', stray)
  const old = sentContentOf(before, target)
  const { acts, files } = sentContentOf(before, changed)
  const count = delivery.sent.length
  if (!isDeepStrictEqual(acts.slice(0, count), old.acts.slice(0, count))) {
    throw refuse('threadParts', `The first ${count} element(s) are published and have to stay`)
  }
  const isSent = ({ act }: { act: number }) => act <= count
  if (!isDeepStrictEqual(files.filter(isSent), old.files.filter(isSent))) {
    const path = edit.threadMedia === undefined ? 'mediaIds' : 'threadMedia'
    throw refuse(path, 'The files of published parts have to stay')
  }
  const { renditions } = await checkForAccount(db, userId, { row: post, before, changed, usable })
  const textDigest = digestTexts(delivery.platform, before, changed, createTextCache())
  await storeDeliveryContent(db, { userId, postId, accountId }, { ...changed, renditions, textDigest })
}
