import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import { lockDelivery, requeueDelivery, resolveDelivery as saveResolution } from '../../db/queries/delivery/owner.ts'
import { type DeliveryKey, takeBack } from '../../db/queries/delivery/settle.ts'
import { type DeliveryState, MEDIA_DELETED, type ResolveDelivery } from '../../schemas/delivery.ts'
import { DELIVERY_NOT_FOUND, NOT_RETRIED, NOT_UNCONFIRMED } from '../../schemas/messages.ts'
import type { PostDetail } from '../../schemas/post.ts'
import { planActs } from '../delivery/plan.ts'
import { AppError, invalidRequest } from '../errors.ts'
import type { Networks } from '../platforms/adapters.ts'
import { getPost } from './publish.ts'

/**
 * Makes one delivery due now: of what it has to send, what is not out yet. One that is unconfirmed is asked about first.
 * Throws 404 where the user has no such delivery, 409 where there is nothing to retry.
 */
export async function retryDelivery(db: Db, networks: Networks, key: DeliveryKey): Promise<PostDetail> {
  await db.transaction().execute(async (db) => {
    const delivery = await lockOwnDelivery(db, key)
    const { state, error, platform, isEarly } = delivery
    if (state === 'waiting') throw new AppError(409, 'post_is_draft', NOT_RETRIED.draft)
    if (state === 'queued' && isEarly) throw new AppError(409, 'delivery_not_due', NOT_RETRIED.notDue)
    if (state === 'publishing') throw new AppError(409, 'delivery_in_progress', NOT_RETRIED.publishing)
    if (state === 'published' && error === null) throw new AppError(409, 'delivery_published', NOT_RETRIED.published)
    if (error?.code === MEDIA_DELETED) throw new AppError(409, 'media_deleted', NOT_RETRIED.mediaDeleted)
    if (state === 'unconfirmed' && !networks[platform]?.reconcile)
      throw new AppError(409, 'delivery_unconfirmed', NOT_RETRIED.unconfirmed)
    await requeueDelivery(db, key)
  })
  return getPost(db, key.userId, key.postId)
}

/**
 * Settles an unconfirmed delivery by what its owner has seen on the network. Throws 404 where the user has no such
 * delivery, 409 where it is in another state, 400 for a `url` that is none.
 */
export async function resolveDelivery(
  db: Db,
  key: DeliveryKey,
  { outcome, url }: ResolveDelivery,
): Promise<PostDetail> {
  if (url !== undefined) assertUrl(url, outcome)
  await db.transaction().execute(async (db) => {
    const delivery = await lockOwnDelivery(db, key)
    if (delivery.state !== 'unconfirmed') throw new AppError(409, 'delivery_not_unconfirmed', NOT_UNCONFIRMED)
    const post = await getPost(db, key.userId, key.postId)
    const { captionOverride, threadParts } = post.targets.find(({ accountId }) => accountId === key.accountId)!
    const plan = planActs({ ...post, captionOverride, threadParts })
    const sent = outcome === 'published' ? [{ id: null, url: url ?? null }] : []
    const missing = plan[(delivery.sent as unknown[]).length + sent.length]
    const error = missing && (outcome === 'published' ? ORPHANED : NOT_THERE)
    const state: DeliveryState = !missing || missing.kind === 'comment' ? 'published' : 'failed'
    await saveResolution(db, key, { state, sent, error: error ?? null, outcome: `said_${outcome}` })
    if (outcome === 'not_published') await takeBack(db, key)
  })
  return getPost(db, key.userId, key.postId)
}

const ORPHANED = {
  code: 'parent_unknown',
  message: 'Nobody knows the id of what the rest would have to answer to: add it by hand',
  retryable: false,
}
const NOT_THERE = { code: 'not_published', message: 'Its owner has looked, and it is not there', retryable: true }

/** Throws a 404 that tells a post that is not there from an account that it does not go to. */
async function lockOwnDelivery(db: Db, key: DeliveryKey) {
  const delivery = isId(key.postId) && isId(key.accountId) ? await lockDelivery(db, key) : undefined
  if (delivery) return delivery
  await getPost(db, key.userId, key.postId)
  throw new AppError(404, 'delivery_not_found', DELIVERY_NOT_FOUND)
}

function assertUrl(url: string, outcome: ResolveDelivery['outcome']): void {
  const path = ['url']
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw invalidRequest([{ code: 'invalid_string', validation: 'url', path, message: 'Invalid url' }])
  }
  if (outcome === 'not_published') {
    throw invalidRequest([{ code: 'custom', path, message: 'Only what is published has a url' }])
  }
}
