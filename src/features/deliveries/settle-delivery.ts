import type { Db } from '../../../db/client.ts'
import {
  type OwnedDelivery,
  cancelDelivery as saveCancellation,
  markDeliveryPublished as saveMark,
  markPostPublished as saveMarks,
  resolveDelivery as saveResolution,
} from '../../../db/queries/delivery/owner.ts'
import { unpublish } from '../../../db/queries/delivery/unpublish.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import { CANCELLED, type MarkPublished, type ResolveDelivery } from '../../../schemas/delivery.ts'
import { fail } from '../../base/errors.ts'
import { cancelled, MARK_PUBLISHED, resolved } from '../../engine/delivery/machine.ts'
import { isCancellable, isResolvable, marked } from '../../engine/delivery/owner-rules.ts'
import { CALL_IN_FLIGHT_MAX_MS, NETWORK_WAIT_MAX_MS } from '../../engine/delivery/timing.ts'
import { TRANSITIONS } from '../../engine/delivery/transitions.ts'
import type { PostCondition } from '../posts/etag.ts'
import { getPost } from '../posts/get.ts'
import { invalidUrl, readMarkedAct, requireUrl } from './marked-act.ts'
import { changeDelivery, type DeliveryAccess, planOf } from './own-delivery.ts'

/**
 * Settles an unconfirmed delivery by what its owner has seen on the network. Throws 404 if the user has no such
 * delivery, 400 for an invalid `url`, and 409 if it is in another state, or not published and its call may still
 * arrive, or its network processes the act.
 */
export async function resolveDelivery(
  db: Db,
  key: DeliveryAccess,
  { outcome, url }: ResolveDelivery,
): Promise<PostWithReadiness> {
  if (url !== undefined) {
    requireUrl(url)
    if (outcome === 'not_published') throw invalidUrl('custom', 'Only a published act has a url')
  }
  return changeDelivery(db, key, async (db, delivery) => {
    if (!isResolvable(delivery.state)) throw fail('delivery_not_unconfirmed')
    const { lostForMs, waitedMs } = delivery
    const mayArrive = lostForMs !== null && lostForMs < CALL_IN_FLIGHT_MAX_MS
    const isProcessed = waitedMs !== null && waitedMs <= NETWORK_WAIT_MAX_MS
    if (outcome === 'not_published' && mayArrive) throw fail('delivery_in_progress.arriving')
    if (outcome === 'not_published' && isProcessed) throw fail('delivery_in_progress.processing')
    const plan = planOf(await getPost(db, key.userId, key.postId), key)
    const sent = outcome === 'published' ? [{ id: null, url: url ?? null }] : []
    const missing = plan[delivery.sent.length + sent.length]
    const leftOut = delivery.sent.find(({ error }) => error !== undefined)?.error ?? null
    const isReply = missing?.kind === 'post' || missing?.kind === 'comment'
    const error = missing ? (outcome === 'not_published' ? NOT_THERE : isReply ? ORPHANED : NOT_SENT_YET) : leftOut
    const state = resolved(missing?.kind)
    await saveResolution(db, key, { state, sent, error, outcome: `said_${outcome}`, ...writtenBy('resolve', key) })
    if (outcome === 'not_published') await unpublish(db, key)
  })
}

const ORPHANED = {
  code: 'parent_unknown',
  message: 'The id that the rest would reply to is unknown: publish it by hand',
  retryable: false,
}
const NOT_SENT_YET = {
  code: 'not_published',
  message: 'The rest was not sent, because a call before it had an unknown outcome: retry the delivery',
  retryable: true,
}
const NOT_THERE = { code: 'not_published', message: 'The owner did not find it on the network', retryable: true }

/**
 * Ends a delivery that waits for its time or for another attempt. Throws 404 if the user has no such delivery, 409 if
 * none of it is planned or it is being sent, and 412 if `ifMatch` does not hold. Changes nothing if it is cancelled.
 */
export function cancelDelivery(db: Db, key: DeliveryAccess, ifMatch?: PostCondition): Promise<PostWithReadiness> {
  return changeDelivery(db, key, async (db, delivery) => {
    if (wasCancelled(delivery)) return
    if (delivery.state === 'publishing') throw fail('delivery_in_progress')
    if (!isCancellable(delivery.state)) throw fail('delivery_not_queued')
    const post = await getPost(db, key.userId, key.postId)
    ifMatch?.(post)
    const next = planOf(post, key)[delivery.sent.length]
    const isOpen = delivery.intent !== null
    await saveCancellation(db, key, {
      state: cancelled(next?.kind, isOpen),
      error: { code: CANCELLED, message: isOpen ? PERHAPS_SENT : NOT_SENT, retryable: true },
      ...writtenBy('cancel', key),
    })
  })
}

/**
 * A cancelled delivery is `unconfirmed` after a call, and `published` if the post is out. A retry removes the error.
 */
const wasCancelled = ({ state, error }: OwnedDelivery) =>
  error?.code === CANCELLED && state !== 'queued' && state !== 'publishing'

const NOT_SENT = 'The owner cancelled the delivery'
const PERHAPS_SENT =
  'The owner cancelled the delivery after a call whose response was lost: check the network, then call resolve'

const writtenBy = (event: 'resolve' | 'cancel' | 'markDelivery', { keyId }: DeliveryAccess) => ({
  event: TRANSITIONS[event].writes[0],
  keyId,
})

/** The error for each reason why a delivery is not marked. */
const NOT_MARKED = {
  draft: 'post_is_draft.marked',
  publishing: 'delivery_in_progress',
  published: 'delivery_published',
  removed: 'delivery_removed',
} as const

/**
 * Records that the owner has published the missing parts of a delivery by hand. Throws 404 if the user has no such
 * delivery, and 409 if nothing is missing or it is being sent. Throws 412 if `ifMatch` does not hold, and 400 for an
 * invalid `url`, or one of another network or account.
 */
export async function markDeliveryPublished(
  db: Db,
  key: DeliveryAccess,
  { url }: MarkPublished,
  ifMatch?: PostCondition,
): Promise<PostWithReadiness> {
  if (url !== undefined) requireUrl(url)
  return changeDelivery(db, key, async (db, delivery) => {
    const next = marked(delivery)
    if ('obstacle' in next) throw fail(NOT_MARKED[next.obstacle])
    const post = await getPost(db, key.userId, key.postId)
    ifMatch?.(post)
    const isPost = planOf(post, key)[delivery.sent.length]?.kind === 'post'
    const act = await readMarkedAct(db, { accountId: key.accountId, platform: delivery.platform, isPost, url })
    await saveMark(db, key, { state: next.state, sent: [act], ...writtenBy('markDelivery', key) })
  })
}

/**
 * Marks a post as published by hand, for an operator. `busy` while it is being sent, `missing` if the id is unknown.
 */
export const markPostPublished = (db: Db, id: string, publishedAt = new Date()) =>
  saveMarks(db, id, { ...MARK_PUBLISHED, publishedAt })
