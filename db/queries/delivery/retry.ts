import { sql } from 'kysely'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import { each } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { dueAgain, type OwnKey } from './owner.ts'

export interface RequeuedDelivery extends OwnKey {
  next: DeliveryState
}

/** Makes locked deliveries of the user due when their posts are. */
export async function requeueDeliveries(
  db: Db,
  userId: string,
  deliveries: RequeuedDelivery[],
  times: Parameters<typeof dueAgain>[1],
): Promise<void> {
  await sql`
    update post_targets set ${dueAgain(sql`retried.next`, times)}
    from unnest(${each(deliveries, 'postId')}::uuid[], ${each(deliveries, 'accountId')}::uuid[],
      ${each(deliveries, 'next')}::text[]) as retried(post_id, account_id, next)
    where post_targets.user_id = ${userId} and post_targets.post_id = retried.post_id
      and post_targets.account_id = retried.account_id`.execute(db)
}
