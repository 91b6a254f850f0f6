import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import type { DeliveryKey } from '../delivery/delivery.ts'

/** A delivery whose numbers a worker reads, and what people recognise it by. */
interface MeasuredDelivery extends DeliveryKey {
  username: string
  caption: string
  externalUrl: string | null
}

/** The deliveries whose numbers are read, those of the newest posts first. Null does not restrict. */
export async function listMeasured(
  db: Db,
  { userId, accountId, limit }: { userId: string | null; accountId: string | null; limit: number },
): Promise<MeasuredDelivery[]> {
  const { rows } = await sql<MeasuredDelivery>`
    select metrics.user_id, metrics.post_id, metrics.account_id, accounts.username,
      coalesce(target.caption_override, posts.caption) as caption, target.sent -> 0 ->> 'url' as external_url
    from delivery_metrics as metrics
    join posts on posts.user_id = metrics.user_id and posts.id = metrics.post_id
    join post_targets as target
      on target.user_id = metrics.user_id and target.post_id = metrics.post_id
        and target.account_id = metrics.account_id
    join accounts on accounts.id = metrics.account_id
    where (${userId}::uuid is null or metrics.user_id = ${userId}::uuid)
      and (${accountId}::uuid is null or metrics.account_id = ${accountId}::uuid)
    order by metrics.post_id desc, metrics.account_id
    limit ${limit}`.execute(db)
  return rows
}
