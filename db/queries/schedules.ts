import { sql } from 'kysely'
import type { AccountSchedule } from '../../schemas/schedule.ts'
import type { Db } from '../client.ts'
import { reachableBy } from './accounts.ts'
import { isoTime } from './iso-time.ts'

export interface ReachableSchedule {
  /** Null if the account has none. */
  schedule: AccountSchedule | null
  now: Date
}

/** The schedule of an account that the user may post to; undefined if there is no such account. */
export async function findSchedule(db: Db, { userId, id }: { userId: string; id: string }) {
  const { rows } = await sql<ReachableSchedule>`
    select clock_timestamp() as now,
      case when schedule.account_id is not null then
        jsonb_build_object('timeZone', schedule.time_zone, 'slots', schedule.slots, 'skip', schedule.skip)
      end as schedule
    from accounts
    left join account_schedules as schedule on schedule.account_id = accounts.id
    where accounts.id = ${id} and ${reachableBy(userId)}`.execute(db)
  return rows[0]
}

/** Stores the schedule of an account that the user may post to. Returns whether there is such an account. */
export async function storeSchedule(
  db: Db,
  { userId, id }: { userId: string; id: string },
  { timeZone, slots, skip }: AccountSchedule,
): Promise<boolean> {
  const { rows } = await sql`
    insert into account_schedules (account_id, time_zone, slots, skip)
    select accounts.id, ${timeZone}, ${JSON.stringify(slots)}::jsonb, ${JSON.stringify(skip)}::jsonb
    from accounts
    where accounts.id = ${id} and ${reachableBy(userId)}
    on conflict (account_id) do update
      set time_zone = excluded.time_zone, slots = excluded.slots, skip = excluded.skip
    returning account_id`.execute(db)
  return rows.length > 0
}

export interface TakenSlot {
  dueAt: string
  /** Null if the caller may not see the post. */
  postId: string | null
}

/** The deliveries of an account that take its slots between two times. */
export async function listTakenSlots(
  db: Db,
  { accountId, from, to }: { accountId: string; from: Date; to: Date },
  { userId, accountIds }: { userId: string; accountIds: readonly string[] | null },
) {
  const { rows } = await sql<TakenSlot>`
    select ${isoTime(sql`delivery.due_at`)} as due_at,
      case when delivery.user_id = ${userId} and not exists (
          select from post_targets as other
          where other.user_id = delivery.user_id and other.post_id = delivery.post_id
            and other.account_id <> all(${accountIds}::uuid[]))
        then delivery.post_id end as post_id
    from post_targets as delivery
    where delivery.account_id = ${accountId} and delivery.claimable_at is not null
      and delivery.due_at >= ${from} and delivery.due_at < ${to}
    order by delivery.due_at, delivery.post_id`.execute(db)
  return rows
}
