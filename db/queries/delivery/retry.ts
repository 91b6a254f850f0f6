import { sql } from 'kysely'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import type { EventType } from '../../../schemas/event.ts'
import { each } from '../../batch.ts'
import type { Db } from '../../client.ts'
import type { Actor } from '../events/actor.ts'
import { insertDeliveryEvents } from '../events/delivery.ts'
import { dueAgain, type OwnKey } from './owner.ts'

export interface RequeuedDelivery extends OwnKey {
  next: DeliveryState
  /** Null if it was queued before. */
  event: EventType | null
}

/** Makes locked deliveries of the user due when their posts are. */
export async function requeueDeliveries(
  db: Db,
  userId: string,
  deliveries: RequeuedDelivery[],
  terms: Parameters<typeof dueAgain>[1] & Actor,
): Promise<void> {
  await sql`
    with requeued as (
      update post_targets set ${dueAgain(sql`retried.next`, terms)}
      from unnest(${each(deliveries, 'postId')}::uuid[], ${each(deliveries, 'accountId')}::uuid[],
        ${each(deliveries, 'next')}::text[], ${each(deliveries, 'event')}::text[])
        as retried(post_id, account_id, next, event)
      where post_targets.user_id = ${userId} and post_targets.post_id = retried.post_id
        and post_targets.account_id = retried.account_id
      returning post_targets.*, retried.event
    )
    ${insertDeliveryEvents('requeued', terms)}`.execute(db)
}
