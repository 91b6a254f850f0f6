import { sql } from 'kysely'
import type { DeliveryError, DeliveryState } from '../../../schemas/delivery.ts'
import type { Db } from '../../client.ts'
import { NO_ID } from '../../id.ts'
import type { DeliveryKey } from './delivery.ts'

// Statements of `delivery hold` and `delivery release`. `src/engine/delivery/machine.ts` decides the states.

/** The number of deliveries that are locked at a time: workers and requests wait for them. */
const BATCH = 1_000

/** Holds the deliveries in one of these states that are due before `dueBefore`. Returns their number. */
export const holdDeliveries = (
  db: Db,
  { from, to, dueBefore, error }: { from: DeliveryState[]; to: DeliveryState; dueBefore: Date; error: DeliveryError },
): Promise<number> =>
  inBatches(
    db,
    sql`state = any(${from}::text[]) and due_at < ${dueBefore}`,
    sql`state = ${to}, error = ${JSON.stringify(error)}::jsonb, claimable_at = null, parked = false`,
  )

/**
 * Queues deliveries whose error has one of `codes`, at their time or now. If `dueBefore` is set, only those that were
 * due before. Returns their number.
 */
export const releaseDeliveries = (
  db: Db,
  { from, to, dueBefore, codes }: { from: DeliveryState[]; to: DeliveryState; dueBefore: Date | null; codes: string[] },
): Promise<number> =>
  inBatches(
    db,
    sql`state = any(${from}::text[]) and error ->> 'code' = any(${codes}::text[])
      and due_at < coalesce(${dueBefore}::timestamptz, 'infinity')`,
    sql`state = ${to}, error = null, failures = 0, due_at = greatest(due_at, now()), claimable_at = greatest(due_at, now())`,
  )

/** Number of deliveries in this state that are due before `dueBefore`. */
export async function countDueIn(db: Db, state: DeliveryState, dueBefore: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from post_targets where state = ${state} and due_at < ${dueBefore}`.execute(db)
  return rows[0]!.count
}

async function inBatches(db: Db, where: ReturnType<typeof sql>, set: ReturnType<typeof sql>): Promise<number> {
  let after: DeliveryKey = { userId: NO_ID, postId: NO_ID, accountId: NO_ID }
  for (let changed = 0; ; ) {
    const { rows } = await sql<DeliveryKey>`
      with found as (
        select user_id, post_id, account_id from post_targets
        where (user_id, post_id, account_id) > (${after.userId}::uuid, ${after.postId}::uuid, ${after.accountId}::uuid)
          and ${where}
        order by user_id, post_id, account_id
        limit ${sql.lit(BATCH)}
        for no key update
      ),
      changed as (
        update post_targets as delivery set ${set}
        from found
        where delivery.user_id = found.user_id and delivery.post_id = found.post_id
          and delivery.account_id = found.account_id
        returning delivery.user_id, delivery.post_id, delivery.account_id
      )
      select * from changed order by user_id, post_id, account_id`.execute(db)
    changed += rows.length
    if (rows.length < BATCH) return changed
    after = rows.at(-1)!
  }
}
