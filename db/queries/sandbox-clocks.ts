import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { inTransaction } from '../transaction.ts'
import { reachableBy } from './accounts.ts'
import { after } from './clock.ts'
import { endOfSharedRest } from './delivery/available.ts'
import { isoTime } from './iso-time.ts'
import { sandboxAccounts } from './user-now.ts'

/** The clock of a user as its owner sees it. */
interface ClockRow {
  isSet: boolean
  now: string
  /** Null if the clock is there. */
  target: string | null
}

const clockColumns = sql`
  user_id is not null as is_set, ${isoTime(sql`greatest(now(), reached_at)`)} as now, ${isoTime('target_at')} as target`

/** The clock of a user, or the real time without one. */
export async function readClock(db: Db, userId: string): Promise<ClockRow> {
  const { rows } = await sql<ClockRow>`
    select ${clockColumns}
    from (values (1)) as one left join sandbox_clocks on user_id = ${userId} and not is_ending`.execute(db)
  return rows[0]!
}

/** An account that keeps its user from having a clock. */
export interface OtherAccount {
  platform: string
  username: string
  organizationId: string | null
}

type MovedClock = { clock: ClockRow } | { other: OtherAccount | null } | { notBefore: string } | { isEnding: true }

/**
 * Sets the time that workers move the clock of a user to, and creates a missing clock. Does nothing and
 * returns `other` if the user can use another account or is a member of an organisation, and `notBefore` if the time
 * has passed.
 */
export const setClockTarget = (db: Db, { userId, target }: { userId: string; target: Date }): Promise<MovedClock> =>
  inTransaction(db, async (db) => {
    // Accounts that are added at the same time wait: see end_sandbox_clock.sql.
    await sql`select from users where id = ${userId} for update`.execute(db)
    const { rows: others } = await sql<OtherAccount>`
      select platform, username, organization_id from accounts
      where ${reachableBy(userId)} and (platform <> 'sandbox' or organization_id is not null)
      order by id limit 1`.execute(db)
    if (others[0]) return { other: others[0] }
    const { rows: memberships } = await sql`select from memberships where user_id = ${userId} limit 1`.execute(db)
    if (memberships.length > 0) return { other: null }
    if (!(await deleteEnding(db, userId))) return { isEnding: true }
    const { rows: bounds } = await sql<{ notBefore: string; isBefore: boolean }>`
      select ${isoTime('bound')} as not_before, ${target}::timestamptz < bound as is_before
      from (
        select greatest(now(), max(reached_at), max(target_at)) as bound from sandbox_clocks where user_id = ${userId}
      ) as clock`.execute(db)
    const { isBefore, notBefore } = bounds[0]!
    if (isBefore) return { notBefore }
    const { rows } = await sql<ClockRow>`
      insert into sandbox_clocks (user_id, reached_at, target_at) values (${userId}, now(), ${target})
      on conflict (user_id) do update set target_at = excluded.target_at
      returning ${clockColumns}`.execute(db)
    return { clock: rows[0]! }
  })

/** Ends the clock of a user, if there is one. */
export const endClock = (db: Db, userId: string): Promise<unknown> =>
  inTransaction(db, async (db) => {
    await sql`update sandbox_clocks set is_ending = true where user_id = ${userId}`.execute(db)
    await deleteEnding(db, userId)
  })

/**
 * Deletes the clock of a user that is ending, unless a worker that moves it does so later. Returns false in that case.
 */
async function deleteEnding(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql<{ isHeld: boolean }>`
    select lease_token is not null and leased_until > now() as is_held from sandbox_clocks
    where user_id = ${userId} and is_ending for update`.execute(db)
  if (!rows[0]) return true
  if (rows[0].isHeld) return false
  await deleteClock(db, userId)
  return true
}

/**
 * Deletes a clock, and makes the real time the present again: what workers would wait with until the time of the clock
 * is due now, but for deliveries that have times of their own.
 */
async function deleteClock(db: Db, userId: string): Promise<void> {
  await sql`
    update post_targets
    set claimable_at = case when state = 'publishing' then now() else claimable_at end,
      lost_call_at = least(lost_call_at, now())
    where account_id = any(array(${sandboxAccounts(sql`${userId}::uuid`)})) and user_id = ${userId}
      and (lost_call_at > now() or state = 'publishing' and claimable_at > now() + interval '1 minute')`.execute(db)
  await sql`update delivery_changes set next_at = least(next_at, now()) where user_id = ${userId}`.execute(db)
  await sql`
    update accounts set available_at = now()
    where user_id = ${userId} and platform = 'sandbox' and available_at > now()`.execute(db)
  await sql`delete from sandbox_clocks where user_id = ${userId}`.execute(db)
}

/** Deletes a held clock that is ending. */
export const deleteHeldClock = (db: Db, { userId, leaseToken }: HeldClock): Promise<void> =>
  inTransaction(db, async (db) => {
    const { rows } = await sql`
      select from sandbox_clocks where user_id = ${userId} and lease_token = ${leaseToken} and is_ending
      for update`.execute(db)
    if (rows.length > 0) await deleteClock(db, userId)
  })

/** The longest leases of workers. */
interface Leases {
  publishLeaseMs: number
  changeLeaseMs: number
}

const isSoon = (column: string, ms: number) =>
  sql`${sql.ref(column)} > now() and ${sql.ref(column)} <= ${after(null, ms)}`

/**
 * When the next work of each kind is due on the user's accounts, and whether a worker that goes by the real time is at
 * some: the end of its lease is near.
 */
const nextWorkOf = (userId: RawBuilder<unknown>, { publishLeaseMs, changeLeaseMs }: Leases) => sql`(
  select ${roundUp(sql`min(delivery.due_at)`)} as deliveries_at, ${roundUp(sql`min(change.due_at)`)} as changes_at,
    coalesce(bool_or(is_held), false) as is_held
  from (
    select id, available_at, paused_at, ${endOfSharedRest} as rested_until from accounts
    where accounts.user_id = ${userId} and accounts.platform = 'sandbox') as account
  cross join lateral (
    select case when min(claimable_at) is not null
      then greatest(min(claimable_at), account.available_at, account.rested_until) end as due_at
    from post_targets
    -- No delivery is claimed before it is due, so that those need not be read that are due after the first is claimed.
    where account.paused_at is null and account_id = account.id and claimable_at is not null and due_at <= (
      select greatest(claimable_at, due_at) from post_targets
      where account_id = account.id and claimable_at is not null order by due_at, post_id limit 1)) as delivery
  cross join lateral (
    select case when min(next_at) is not null
      then greatest(min(next_at), account.available_at - ${publishLeaseMs}::float8 * interval '1 ms',
        account.rested_until) end as due_at
    from delivery_changes
    where user_id = ${userId} and account_id = account.id) as change
  cross join lateral (
    select exists (
        select from post_targets
        where platform = 'sandbox' and not parked and account_id = account.id and state = 'publishing'
          and ${isSoon('claimable_at', publishLeaseMs)})
      or exists (
        select from delivery_changes
        where account_id = account.id and lease_token is not null and ${isSoon('next_at', changeLeaseMs)}) as is_held
    ) as lease)`

/** JavaScript has milliseconds. */
const roundUp = (time: RawBuilder<unknown>) => sql`date_trunc('milliseconds', ${time} + interval '999 microseconds')`

/** A clock that a worker moves. */
interface HeldClock {
  userId: string
  leaseToken: string
}

export interface ClaimedClock extends HeldClock {
  isEnding: boolean
  /** Its worker has stopped without giving it back: no call of it can arrive any more. */
  wasLost: boolean
}

/** Whether a clock may have to be moved: its user may have something due at the time that it has reached. */
const isMovable = sql`(is_ending or target_at is not null or reached_at > now())`

/** When workers look at the next clock. */
export const movableClocks = sql`(select min(coalesce(leased_until, now())) from sandbox_clocks where ${isMovable})`

/**
 * Claims a clock that has to move or to end, or whose user has something due. The one that was moved last comes last.
 */
export const claimClock = prepared<Leases & { leaseMs: number }, ClaimedClock>(
  'claim_sandbox_clock',
  (_db, value) => sql`
    with chosen as (
      select user_id, lease_token is not null as was_lost from sandbox_clocks as clock
      where coalesce(leased_until, '-infinity') <= now() and ${isMovable}
        and (is_ending or target_at is not null or (
          select least(deliveries_at, changes_at) <= clock.reached_at
          from ${nextWorkOf(sql`clock.user_id`, { publishLeaseMs: value('publishLeaseMs'), changeLeaseMs: value('changeLeaseMs') })} as next))
      order by leased_until nulls first limit 1
      for no key update skip locked
    )
    update sandbox_clocks as clock
    set lease_token = gen_random_uuid(), leased_until = ${after(null, value('leaseMs'))}
    from chosen where clock.user_id = chosen.user_id
    returning clock.user_id, clock.lease_token, clock.is_ending, chosen.was_lost`,
)

interface NextWork {
  reachedAt: Date
  targetAt: Date | null
  deliveriesAt: Date | null
  changesAt: Date | null
  isHeld: boolean
}

/** The work that a held clock comes to next; nothing if the clock is ending, or another worker holds it. */
export const readNextWorkOf = prepared<HeldClock & Leases, NextWork>(
  'read_next_work_of_clock',
  (_db, value) => sql`
    select reached_at, target_at, next.*
    from sandbox_clocks as clock
    cross join lateral ${nextWorkOf(sql`clock.user_id`, { publishLeaseMs: value('publishLeaseMs'), changeLeaseMs: value('changeLeaseMs') })} as next
    where clock.user_id = ${value('userId')} and lease_token = ${value('leaseToken')} and not is_ending`,
)

/**
 * Moves a held clock to a time, and renews its lease. Events that are not numbered yet get the time that the clock
 * leaves. Returns nothing if the clock is ending, or another worker holds it.
 */
export const advanceClock = prepared<HeldClock & { reachedAt: Date; leaseMs: number }, { reachedAt: Date }>(
  'advance_sandbox_clock',
  (_db, value) => sql`
    with held as (
      select * from sandbox_clocks
      where user_id = ${value('userId')} and lease_token = ${value('leaseToken')} and not is_ending
      for no key update
    ),
    dated as (
      update event_outbox as event set occurred_at = greatest(event.occurred_at, held.reached_at), is_dated = true
      from held where event.user_id = held.user_id and not event.is_dated
    )
    update sandbox_clocks as clock
    set reached_at = ${roundUp(sql`greatest(held.reached_at, ${value('reachedAt')}::timestamptz, now())`)},
      leased_until = ${after(null, value('leaseMs'))}
    from held where clock.user_id = held.user_id
    returning clock.reached_at`,
)

/** Stores that a held clock has reached its target, and writes the event. */
export const stopClock = prepared<HeldClock & { targetAt: Date }, never>(
  'stop_sandbox_clock',
  (_db, value) => sql`
    with reached as (
      update sandbox_clocks set target_at = null
      where user_id = ${value('userId')} and lease_token = ${value('leaseToken')} and target_at = ${value('targetAt')}
        and not is_ending
      returning user_id, reached_at
    )
    insert into event_outbox (user_id, type, data)
    select user_id, 'sandbox.clock_reached', jsonb_build_object('now', ${isoTime('reached_at')}) from reached`,
)

/** Gives a held clock back. Workers leave it alone for `waitMs`. */
export const releaseClock = prepared<HeldClock & { waitMs: number }, never>(
  'release_sandbox_clock',
  (_db, value) => sql`
    update sandbox_clocks set lease_token = null, leased_until = ${after(null, value('waitMs'))}
    where user_id = ${value('userId')} and lease_token = ${value('leaseToken')}`,
)

/**
 * Ends the leases of a worker that was moving the clock and has stopped, as if they had ended `inFlightMs` before the
 * present: by the real time, they have. Then what was being done is looked up and goes on without a pause.
 */
export async function endLostLeases(
  db: Db,
  { userId, publishLeaseMs, changeLeaseMs, inFlightMs }: HeldClock & Leases & { inFlightMs: number },
): Promise<void> {
  const clock = sql`sandbox_clocks as clock where clock.user_id = ${userId}`
  await sql`
    with ended as (
      update post_targets as delivery
      set claimable_at = clock.reached_at - ${inFlightMs}::float8 * interval '1 ms'
      from ${clock} and delivery.account_id = any(array(${sandboxAccounts(sql`${userId}::uuid`)}))
        and delivery.state = 'publishing' and delivery.claimable_at > ${after(null, publishLeaseMs)}
      returning delivery.account_id, clock.reached_at
    )
    update accounts set available_at = ended.reached_at from ended where accounts.id = ended.account_id`.execute(db)
  await sql`
    update delivery_changes as change set next_at = clock.reached_at
    from ${clock} and change.user_id = clock.user_id and change.lease_token is not null
      and change.next_at > ${after(null, changeLeaseMs)}`.execute(db)
}
