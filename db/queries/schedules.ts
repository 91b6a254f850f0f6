import { sql } from 'kysely'
import type { AccountSchedule } from '../../schemas/schedule.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { reachableBy } from './accounts.ts'
import { accountEvents } from './events/account.ts'
import { type Actor, actorJson } from './events/actor.ts'
import { isoTime } from './iso-time.ts'
import type { QueuedDelivery } from './queue.ts'
import { clockOf } from './user-now.ts'

export interface ReachableSchedule {
  platform: string
  username: string
  /** Null if the account has none. */
  schedule: AccountSchedule | null
  now: Date
}

/** The schedule of an account that the user may post to; undefined if there is no such account. */
export async function findSchedule(db: Db, { userId, id }: { userId: string; id: string }) {
  const { rows } = await sql<ReachableSchedule>`
    select platform, username, greatest(clock_timestamp(), ${clockOf(sql.ref<string>('accounts.user_id'))}) as now,
      case when schedule.account_id is not null then
        jsonb_build_object('timeZone', schedule.time_zone, 'slots', schedule.slots, 'skip', schedule.skip)
      end as schedule
    from accounts
    left join account_schedules as schedule on schedule.account_id = accounts.id
    where accounts.id = ${id} and ${reachableBy(userId)}`.execute(db)
  return rows[0]
}

/**
 * Stores the schedule of an account that the user may post to, and writes the event of a change. Returns whether there
 * is such an account.
 */
export async function storeSchedule(
  db: Db,
  { userId, id, keyId }: { userId: string; id: string } & Actor,
  { timeZone, slots, skip }: AccountSchedule,
): Promise<boolean> {
  const { rows } = await sql`
    with account as (
      select accounts.* from accounts where accounts.id = ${id} and ${reachableBy(userId)}
    ),
    stored as (
      insert into account_schedules as schedule (account_id, time_zone, slots, skip)
      select id, ${timeZone}, ${JSON.stringify(slots)}::jsonb, ${JSON.stringify(skip)}::jsonb from account
      on conflict (account_id) do update
        set time_zone = excluded.time_zone, slots = excluded.slots, skip = excluded.skip
        where (schedule.time_zone, schedule.slots, schedule.skip)
          is distinct from (excluded.time_zone, excluded.slots, excluded.skip)
      returning account_id
    ),
    changed as (
      select account.* from account join stored on stored.account_id = account.id
    ),
    event as (
      insert into event_outbox (user_id, type, account_ids, data)
      ${accountEvents('changed', {
        type: sql`'account.updated'`,
        facts: sql`jsonb_build_object('changed', jsonb_build_array('schedule'),
          'actor', ${actorJson(keyId)})`,
      })}
    )
    select id from account`.execute(db)
  return rows.length > 0
}

interface Range {
  accountIds: unknown
  from: unknown
  to: unknown
}

/**
 * The deliveries that take slots of accounts between two times: those that are to be published, also by hand, and those
 * that were published before the slot that they have, or may have been.
 */
const takingDeliveries = ({ accountIds, from, to }: Range) => sql`(
  select account_id, due_at, user_id, post_id from post_targets
  where account_id = any(${accountIds}::uuid[]) and claimable_at is not null and due_at >= ${from} and due_at < ${to}
  union all
  select account_id, due_at, user_id, post_id from post_targets
  where account_id = any(${accountIds}::uuid[]) and slot_at >= ${from} and slot_at < ${to} and due_at = slot_at
    and claimable_at is null and state in ('published', 'unconfirmed', 'removing', 'removed', 'remove_failed'))`

interface TakenSlot {
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
    from ${takingDeliveries({ accountIds: sql`${[accountId]}`, from: sql`${from}`, to: sql`${to}` })} as delivery
    order by delivery.due_at, delivery.post_id`.execute(db)
  return rows
}

/** The schedule of an account, locked until the transaction ends; undefined if it has none. */
export const lockSchedule = (db: Db, accountId: string) =>
  db
    .selectFrom('accountSchedules')
    .select((eb) => [
      'timeZone',
      eb.ref('slots').$castTo<AccountSchedule['slots']>().as('slots'),
      eb.ref('skip').$castTo<AccountSchedule['skip']>().as('skip'),
    ])
    .where('accountId', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** A schedule that is locked, and the time after its lock was awaited. */
export interface LockedSchedule extends AccountSchedule {
  accountId: string
  now: Date
}

/**
 * Locks the schedules of accounts that have slots until the transaction ends, in one order for all callers. Only
 * the holder of the lock puts posts into the slots of an account.
 */
export const lockSchedules = prepared<{ accountIds: readonly string[] }, LockedSchedule>(
  'lock_schedules',
  (_db, value) => sql`
    with locked as materialized (
      select account_id, time_zone, slots, skip from account_schedules
      where account_id = any(${value('accountIds')}::uuid[]) and slots <> '[]'
      order by account_id
      for no key update
    )
    select locked.*, greatest(clock_timestamp(), ${clockOf(sql.ref<string>('accounts.user_id'))}) as now
    from locked join accounts on accounts.id = locked.account_id`,
)

/** A delivery that leaves the slots it has. */
export type LeavingDelivery = Pick<QueuedDelivery, 'userId' | 'postId' | 'accountId'>

interface TakenRange {
  accountIds: readonly string[]
  from: Date
  to: Date
  /** Deliveries that do not count. */
  leaving: readonly LeavingDelivery[]
}

/** The minutes since 1970 in which an account publishes something, each as often as it does. */
export interface TakenMinutes {
  accountId: string
  minutes: number[]
}

const selectTakenMinutes = prepared<Omit<TakenRange, 'leaving'> & { leaving: string }, TakenMinutes>(
  'list_taken_minutes',
  (_db, value) => sql`
    select account_id, array_agg(floor(extract(epoch from due_at) / 60)::integer) as minutes
    from ${takingDeliveries({ accountIds: value('accountIds'), from: value('from'), to: value('to') })} as delivery
    where (user_id, post_id, account_id) not in (
      select "userId", "postId", "accountId" from jsonb_to_recordset(${value('leaving')}::jsonb)
        as leaving("userId" uuid, "postId" uuid, "accountId" uuid))
    group by account_id`,
)

export const listTakenMinutes = (db: Db, { leaving, ...range }: TakenRange) =>
  selectTakenMinutes(db, { ...range, leaving: JSON.stringify(leaving) })

/** How many deliveries of an account are in slots from a time on. */
export async function countQueued(db: Db, { accountId, from }: { accountId: string; from: Date }): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from post_targets
    where account_id = ${accountId} and slot_at > ${from} and due_at = slot_at and claimable_at is not null
      and state = 'queued'`.execute(db)
  return rows[0]!.count
}
