import { sql } from 'kysely'
import { batched, each, type WithOrdinal } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { reachableBy } from '../accounts.ts'
import type { Now } from '../clock.ts'
import type { HeldDelivery, PreparedAct } from './delivery.ts'

/** An act whose call is about to be made. */
export interface Intent extends HeldDelivery {
  /** Number of the act, from 1. */
  act: number
  /** The state that the call needs. Stored with the intent. */
  prepared: PreparedAct | null
  /** The price of the act in millionths of a US dollar, which is reserved with the intent. None where acts are free. */
  micros?: number | null
  /** Milliseconds since the attempt began, uploads included. */
  startedMsAgo: number
  now: Now
}

/** A lease shorter than `callLeaseMs` is extended to `leaseMs`. */
export interface LeaseTimes {
  callLeaseMs: number
  leaseMs: number
}

// The statement takes arrays; settle.ts takes one JSON parameter. JSON would take Postgres 42 instead of 31 µs of CPU
// for an act, in batches of 64.
const intend = prepared<
  {
    userIds: string[]
    postIds: string[]
    accountIds: string[]
    leaseTokens: string[]
    acts: number[]
    prepareds: (string | null)[]
    micros: (number | null)[]
    startedMsAgos: number[]
    nows: Now[]
  } & LeaseTimes,
  WithOrdinal & { accountId: string; attempts: number }
>('intend_acts', (_db, value) => {
  const ms = (count: ReturnType<typeof sql> | number) => sql`${count}::float8 * interval '1 ms'`
  return sql`
    with intent as (
      select *, coalesce(now, now()) as at
      from unnest(${value('userIds')}::uuid[], ${value('postIds')}::uuid[], ${value('accountIds')}::uuid[],
          ${value('leaseTokens')}::uuid[], ${value('acts')}::integer[], ${value('prepareds')}::jsonb[],
          ${value('micros')}::bigint[], ${value('startedMsAgos')}::float8[], ${value('nows')}::timestamptz[])
        with ordinality as item(user_id, post_id, account_id, lease_token, act, prepared, micros, started_ms_ago, now, ordinal)
    ),
    -- Locks the deliveries in the order of their keys, as every statement for several of them does. Most leases are
    -- long enough for the call: then neither an index nor the account changes.
    held as (
      select intent.*, delivery.claimable_at < intent.at + ${ms(value('callLeaseMs'))} as is_short
      from intent
      join post_targets as delivery
        on delivery.user_id = intent.user_id and delivery.post_id = intent.post_id
        and delivery.account_id = intent.account_id
      where delivery.lease_token = intent.lease_token
        and exists (
          select from accounts
          where accounts.id = intent.account_id and ${reachableBy(sql`intent.user_id`)})
      order by delivery.user_id, delivery.post_id, delivery.account_id
      for no key update of delivery
    ),
    intended as (
      update post_targets as delivery
      set intent = held.act,
        intended_at = held.at,
        intent_micros = held.micros,
        attempts = delivery.attempts + 1,
        prepared = held.prepared,
        waiting_since = null,
        claimable_at = case when held.is_short then held.at + ${ms(value('leaseMs'))}
          else delivery.claimable_at end
      from held
      where delivery.user_id = held.user_id and delivery.post_id = held.post_id
        and delivery.account_id = held.account_id
      returning held.*, delivery.attempts, delivery.claimable_at
    ),
    extended as (
      update accounts set available_at = intended.claimable_at
      from intended
      where accounts.id = intended.account_id and intended.is_short
    ),
    attempt as (
      insert into delivery_attempts (user_id, post_id, account_id, number, act, started_at, intended_at)
      select user_id, post_id, account_id, attempts, act, at - started_ms_ago * interval '1 ms', at
      from intended
    )
    select ordinal, account_id, attempts from intended`
})

const intendBatched = batched((db, intents: (Intent & LeaseTimes)[]) =>
  intend(db, {
    userIds: each(intents, 'userId'),
    postIds: each(intents, 'postId'),
    accountIds: each(intents, 'accountId'),
    leaseTokens: each(intents, 'leaseToken'),
    acts: each(intents, 'act'),
    prepareds: intents.map(({ prepared }) => prepared && JSON.stringify(prepared)),
    micros: intents.map(({ micros = null }) => micros),
    startedMsAgos: each(intents, 'startedMsAgo'),
    nows: each(intents, 'now'),
    // The same for all.
    callLeaseMs: intents[0]!.callLeaseMs,
    leaseMs: intents[0]!.leaseMs,
  }),
)

/**
 * Commits the intent to call the network for an act, as an attempt in the history. Extends the lease if too little of
 * it is left. Returns the number of the attempt. Returns undefined if another worker holds the delivery by now, or its
 * owner may no longer post to the account: then the call must not be made.
 */
export const intendAct = async (db: Db, intent: Intent & LeaseTimes): Promise<number | undefined> =>
  (await intendBatched(db, intent))?.attempts
