import { sql } from 'kysely'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import { each } from '../../batch.ts'
import type { Db } from '../../client.ts'
import type { DeliveryKey } from './delivery.ts'
import { dueAgain, type OwnedDelivery } from './owner.ts'

/** Identifies a delivery among those of one user. */
export type OwnKey = Omit<DeliveryKey, 'userId'>

/** Locks deliveries of the user, in one order for all callers. Returns those that exist. */
export async function lockDeliveries(db: Db, userId: string, keys: OwnKey[]) {
  const { rows } = await sql<OwnedDelivery & OwnKey>`
    select delivery.post_id, delivery.account_id, platform, state, error, sent, intent,
      started_at is null and due_at > now() as is_early
    from unnest(${each(keys, 'postId')}::uuid[], ${each(keys, 'accountId')}::uuid[]) as wanted(post_id, account_id)
    join post_targets as delivery
      on delivery.user_id = ${userId} and delivery.post_id = wanted.post_id
        and delivery.account_id = wanted.account_id
    order by delivery.post_id, delivery.account_id
    for update of delivery`.execute(db)
  return rows
}

export interface RequeuedDelivery extends OwnKey {
  next: DeliveryState
  inFlightMs: number | null
}

/** Makes locked deliveries of the user due when their posts are. */
export async function requeueDeliveries(
  db: Db,
  userId: string,
  deliveries: RequeuedDelivery[],
  nameKeptMs: number,
): Promise<void> {
  await sql`
    update post_targets set ${dueAgain(sql`retried.next`, nameKeptMs, sql`retried.in_flight_ms`)}
    from unnest(${each(deliveries, 'postId')}::uuid[], ${each(deliveries, 'accountId')}::uuid[],
      ${each(deliveries, 'next')}::text[], ${each(deliveries, 'inFlightMs')}::float8[])
      as retried(post_id, account_id, next, in_flight_ms)
    where post_targets.user_id = ${userId} and post_targets.post_id = retried.post_id
      and post_targets.account_id = retried.account_id`.execute(db)
}
