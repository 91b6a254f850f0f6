import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { userNow } from '../user-now.ts'
import type { DeliveryKey } from './delivery.ts'

/**
 * Makes a published post scheduled again if nothing of it is, or may be, out. Runs in a transaction that has changed
 * one of its deliveries: deliveries are always locked before their post. A concurrent settlement locks the same post,
 * so one of the two sees the other's result.
 */
export async function unpublish(db: Db, { userId, postId }: Pick<DeliveryKey, 'userId' | 'postId'>): Promise<void> {
  await sql`select from posts where user_id = ${userId} and id = ${postId} for update`.execute(db)
  await sql`
    update posts set status = 'scheduled', updated_at = ${userNow(userId)}
    where user_id = ${userId} and id = ${postId} and status = 'published'
      and not exists (
        select from post_targets as delivery
        where delivery.user_id = ${userId} and delivery.post_id = ${postId}
          and (delivery.state = 'published' or delivery.intent is not null or delivery.sent <> '[]'))`.execute(db)
}
