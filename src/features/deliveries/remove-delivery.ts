import type { Db } from '../../../db/client.ts'
import { lockOwnedDeliveries, type OwnedDelivery, type OwnKey } from '../../../db/queries/delivery/owner.ts'
import { type ChangedAccount, readChangedAccounts, requestRemovals } from '../../../db/queries/delivery/removals.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { RemovedPost } from '../../../schemas/remove-post.ts'
import { AppError, fail } from '../../base/errors.ts'
import { isTakenDown } from '../../engine/delivery/machine.ts'
import type { ActOnNetwork } from '../../engine/delivery/on-network.ts'
import { removal } from '../../engine/delivery/owner-rules.ts'
import { CALL_IN_FLIGHT_MAX_MS } from '../../engine/delivery/timing.ts'
import type { To } from '../../engine/delivery/transitions.ts'
import { isGranted } from '../../engine/numbers/mode.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import type { PostAccess } from '../posts/access.ts'
import type { PostCondition } from '../posts/etag.ts'
import { changePost, getPost } from '../posts/get.ts'
import { changeDelivery, type DeliveryAccess } from './own-delivery.ts'
import { findRefusal, NOT_CHANGED, readPublished } from './published-acts.ts'

/**
 * Has a worker take down what is published of one delivery. Throws 404 if the user has no such delivery, 412 if
 * `ifMatch` does not hold, and 409 if nothing of it is published, or it cannot be removed. Changes nothing if it was
 * taken down already, or is to be.
 */
export function removeDelivery(db: Db, key: DeliveryAccess, ifMatch?: PostCondition): Promise<PostWithReadiness> {
  return changeDelivery(db, key, async (db, delivery) => {
    if (isTakenDown(delivery.state)) return
    const post = await getPost(db, key.userId, key.postId)
    const [account] = await readChangedAccounts(db, [key.accountId])
    const next = decideRemoval(post, { ...delivery, ...key }, account!)
    if (next instanceof AppError) throw next
    ifMatch?.(post)
    await requestRemovals(db, key.userId, { removals: [{ ...key, next }], keyId: key.keyId, ...WAITING })
  })
}

/**
 * Has a worker take down a post from every account where that is possible. Throws the errors of `removeDelivery` if it
 * is possible nowhere.
 */
export function removePost(db: Db, access: PostAccess, ifMatch?: PostCondition): Promise<RemovedPost> {
  const { userId, id: postId } = access
  return changePost(db, access, async (db, { accountIds }) => {
    const keys = accountIds.map((accountId) => ({ postId, accountId }))
    const deliveries = await lockOwnedDeliveries(db, userId, keys)
    const post = await getPost(db, userId, postId)
    const accounts = new Map((await readChangedAccounts(db, accountIds)).map((account) => [account.id, account]))
    const gone = deliveries.filter(({ state }) => isTakenDown(state))
    const others = deliveries.filter(({ state }) => !isTakenDown(state))
    const decided = others.map((delivery) => ({
      postId,
      accountId: delivery.accountId,
      next: decideRemoval(post, delivery, accounts.get(delivery.accountId)!),
    }))
    const refused = decided.flatMap(({ accountId, next }) => (next instanceof AppError ? [{ accountId, next }] : []))
    const wanted = decided.flatMap(({ next, ...key }) => (next instanceof AppError ? [] : [{ ...key, next }]))
    if (gone.length + wanted.length === 0) throw refused[0]!.next
    if (wanted.length > 0) {
      ifMatch?.(post)
      await requestRemovals(db, userId, { removals: wanted, keyId: access.keyId, ...WAITING })
    }
    return {
      removing: [...gone, ...wanted].map(({ accountId }) => accountId),
      left: refused.map(({ accountId, next: { code, message } }) => ({ accountId, code, message })),
    }
  })
}

const WAITING = {
  inFlightMs: CALL_IN_FLIGHT_MAX_MS,
  waiting: {
    code: 'late_call',
    message: 'The response to an earlier call was lost: the removal begins when the call can no longer arrive',
    retryable: true,
  },
}

/** The state of a delivery that is to be taken down, or why it is not. */
export function decideRemoval(
  post: PostWithReadiness,
  delivery: OwnedDelivery & OwnKey,
  account: ChangedAccount,
): To<'remove'> | AppError {
  const { acts } = readPublished(post, delivery)
  const next = removal({ state: delivery.state, isOut: acts.length > 0, isOpen: delivery.intent !== null })
  if ('obstacle' in next) return fail(NOT_CHANGED[next.obstacle])
  const reason = findReason(acts, delivery.platform, account)
  return reason ?? next.state
}

/** Why the network does not remove these acts; undefined if it does. */
function findReason(acts: ActOnNetwork[], platform: PlatformId, account: ChangedAccount) {
  const rule = NETWORKS[platform].changes.remove
  for (const act of acts) {
    const reason = findRefusal(rule, act, { ...account, platform })
    if (reason) return fail('not_removable', reason)
    if (act.id === null) return fail('delivery_without_id')
  }
  return rule.possible && !isGranted(rule, account) ? fail('not_removable.scope', rule.scope!, platform) : undefined
}
