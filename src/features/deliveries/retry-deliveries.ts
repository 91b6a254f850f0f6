import type { DeliveryKey } from '../../../db/queries/delivery/delivery.ts'
import { lockOwnedDeliveries, type OwnedDelivery, type OwnKey } from '../../../db/queries/delivery/owner.ts'
import { type RequeuedDelivery, requeueDeliveries } from '../../../db/queries/delivery/retry.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { CANCELLED } from '../../../schemas/delivery.ts'
import { errorOf } from '../../../schemas/errors.ts'
import {
  type LeftDelivery,
  RETRY_CANCELLED,
  type RetriedDeliveries,
  type RetryDeliveries,
} from '../../../schemas/retry-deliveries.ts'
import { ALL_RIGHTS } from '../../base/http/rights.ts'
import { requeued } from '../../engine/delivery/machine.ts'
import { retried } from '../../engine/delivery/owner-rules.ts'
import { EARLIER_CALLS } from '../../engine/delivery/timing.ts'
import { listOwnDeliveries } from './find-deliveries.ts'
import { canReconcile, NOT_RETRIED, type RetryContext } from './retry.ts'

/**
 * Makes the deliveries on one page of `listDeliveries` due now, in one transaction. Throws 400 for the cursor of
 * another query.
 */
export async function retryDeliveries(
  context: RetryContext,
  { userId, keyId }: { userId: string; keyId: string },
  body: RetryDeliveries,
): Promise<RetriedDeliveries> {
  const { data, nextCursor } = await listOwnDeliveries(context.db, { userId, rights: ALL_RIGHTS }, body)
  const keys = data.map(({ postId, accountId }) => ({ postId, accountId }))
  if (keys.length === 0) return { retried: [], left: [], nextCursor }
  return inTransaction(context.db, async (db) => {
    const locked = new Map(
      (await lockOwnedDeliveries(db, userId, keys)).map((delivery) => [nameOf(delivery), delivery]),
    )
    const due: RequeuedDelivery[] = []
    const left: LeftDelivery[] = []
    for (const key of keys) {
      const delivery = locked.get(nameOf(key))
      if (!delivery || !isStillWanted(delivery, body)) continue
      const next = await decide({ ...context, db }, { ...key, userId }, delivery, body)
      if ('code' in next) left.push({ ...key, ...next })
      else due.push({ ...key, ...next })
    }
    if (due.length > 0) await requeueDeliveries(db, userId, due, { ...EARLIER_CALLS, keyId })
    return { retried: due.map(({ postId, accountId }) => ({ postId, accountId })), left, nextCursor }
  })
}

const nameOf = ({ postId, accountId }: OwnKey) => `${postId} ${accountId}`

/** Whether a delivery still meets the filters that a change may concern. It was found before it was locked. */
const isStillWanted = ({ state, error }: OwnedDelivery, body: RetryDeliveries): boolean =>
  (body.state as readonly string[]).includes(state) &&
  (body.errorCode === undefined || error?.code === body.errorCode) &&
  (state !== 'published' || error !== null)

/** The state of a delivery after its retry, or why it is left as it is. */
async function decide(
  context: RetryContext,
  key: DeliveryKey,
  delivery: OwnedDelivery,
  { errorCode }: RetryDeliveries,
): Promise<Pick<RequeuedDelivery, 'next' | 'event'> | Pick<LeftDelivery, 'code' | 'message'>> {
  const { state, error } = delivery
  if (state !== 'cancelled' && error?.code === CANCELLED && errorCode !== CANCELLED) return RETRY_CANCELLED
  const next = retried(delivery, await canReconcile(context, key, delivery))
  if ('state' in next) return { next: next.state, event: requeued(state) }
  // The states of the filter have no other obstacles.
  const code = NOT_RETRIED[next.obstacle as 'mediaDeleted' | 'unconfirmed']
  return { code, message: errorOf(code).message }
}
