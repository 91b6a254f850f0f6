import type { Db } from '../../db/client.ts'
import { type CredentialsRow, findCredentials } from '../../db/queries/credentials.ts'
import type { DeliveryKey } from '../../db/queries/delivery/delivery.ts'
import type { OwnedDelivery } from '../../db/queries/delivery/owner.ts'
import { requeueDeliveries } from '../../db/queries/delivery/retry.ts'
import type { PostWithReadiness } from '../../db/queries/posts/detail.ts'
import { CANCELLED } from '../../schemas/delivery.ts'
import type { RetryDelivery } from '../../schemas/retry-delivery.ts'
import { retried } from '../delivery/states.ts'
import { CALL_IN_FLIGHT_MAX_MS, NAME_KEPT_MS } from '../delivery/timing.ts'
import { fail } from '../errors.ts'
import type { Networks } from '../platforms/adapters.ts'
import type { Credentials } from '../platforms/contract/adapter.ts'
import { canQuery } from '../platforms/contract/can-query.ts'
import type { PostCondition } from '../posts/etag.ts'
import { getPost } from '../posts/get.ts'
import { editDelivery } from './edit-delivery.ts'
import { changeDelivery, type DeliveryAccess, planOf } from './own-delivery.ts'

/** The error for each reason why a delivery is not retried. */
export const NOT_RETRIED = {
  draft: 'post_is_draft',
  notDue: 'delivery_not_due',
  publishing: 'delivery_in_progress',
  published: 'delivery_published',
  mediaDeleted: 'media_deleted',
  unconfirmed: 'delivery_unconfirmed',
} as const

export interface RetryContext {
  db: Db
  networks: Networks
  /** Decrypts the credentials of an account, or throws; undefined if the operator has configured no key. */
  openCredentials: ((accountId: string, row: CredentialsRow) => Credentials) | undefined
}

/**
 * Makes one delivery due now, with other content if `edit` has some. Only acts that were not sent go out; an
 * unconfirmed one is looked up on its network first. Throws 404 if the user has no such delivery, 409 if there is
 * nothing to retry, 412 if `ifMatch` does not hold, and the errors of `editDelivery`.
 */
export function retryDelivery(
  context: RetryContext,
  key: DeliveryAccess,
  edit: RetryDelivery = {},
  ifMatch?: PostCondition,
): Promise<PostWithReadiness> {
  return changeDelivery(context.db, key, async (db, delivery) => {
    const isQueried = delivery.state === 'unconfirmed' && (await canReconcile({ ...context, db }, key, delivery))
    const next = retried(delivery, isQueried)
    if ('obstacle' in next) throw fail(NOT_RETRIED[next.obstacle])
    if (ifMatch || Object.keys(edit).length > 0) {
      const post = await getPost(db, key.userId, key.postId)
      ifMatch?.(post)
      await editDelivery(db, key, { delivery, post, edit })
    }
    const inFlightMs = inFlightMsOf(context, delivery)
    await requeueDeliveries(db, key.userId, [{ ...key, next: next.state, inFlightMs }], NAME_KEPT_MS)
  })
}

/**
 * How long after its intent a call of a cancelled delivery may still arrive. Null for other deliveries, which have
 * waited this time already.
 */
export const inFlightMsOf = ({ networks }: RetryContext, { platform, error }: OwnedDelivery): number | null =>
  error?.code === CANCELLED ? Math.max(CALL_IN_FLIGHT_MAX_MS, networks[platform].showsWithinMs ?? 0) : null

/** Whether the network can be queried about the act whose call has an unknown outcome. */
export async function canReconcile(
  { db, networks, openCredentials }: RetryContext,
  key: DeliveryKey,
  { platform, sent }: OwnedDelivery,
): Promise<boolean> {
  const adapter = networks[platform]
  if (!canQuery(adapter) || typeof adapter.guarantee !== 'function') return canQuery(adapter)
  const post = await getPost(db, key.userId, key.postId)
  const act = planOf(post, key)[sent.length]
  const row = act && (await findCredentials(db, key.accountId))
  if (!row || !openCredentials) return true
  try {
    const credentials = openCredentials(key.accountId, row)
    return canQuery(adapter, { kind: act.kind, postType: post.postType }, credentials)
  } catch {
    // The worker that gets the delivery reports credentials that cannot be decrypted.
    return true
  }
}
