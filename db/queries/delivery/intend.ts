import { sql } from 'kysely'
import { batched, type WithOrdinal } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { reachableBy } from '../accounts.ts'
import type { Now } from '../clock.ts'
import type { Lease, PreparedAct } from './delivery.ts'

/** An act whose call is about to be made. */
export interface Intent extends Lease {
  /** Number of the act, from 1. */
  act: number
  /** What the call needs. Stored with the intent. */
  prepared: PreparedAct | null
  /** Milliseconds since the attempt began, uploads included. */
  startedMsAgo: number
  /** A shorter lease is extended to `leaseMs`. */
  callLeaseMs: number
  leaseMs: number
  now: Now
}

const intend = prepared<{ intents: string }, WithOrdinal & { accountId: string }>(
  'intend_acts',
  (_db, value) => sql`
    with intent as (
      select *, coalesce(now, now()) as at
      from jsonb_to_recordset(${value('intents')}::jsonb) as item(
        ordinal integer, user_id uuid, post_id uuid, account_id uuid, lease_token uuid, act integer, prepared jsonb,
        started_ms_ago float8, call_lease_ms float8, lease_ms float8, now timestamptz)
    ),
    -- Locks the deliveries in the order of their keys, as every statement for several of them does. Most leases are long
    -- enough for the call: then neither an index nor the account changes.
    held as (
      select intent.*, delivery.claimable_at < intent.at + intent.call_lease_ms * interval '1 ms' as is_short
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
        attempts = delivery.attempts + 1,
        prepared = held.prepared,
        waiting_since = null,
        claimable_at = case when held.is_short then held.at + held.lease_ms * interval '1 ms'
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
    select ordinal, account_id from intended`,
)

const intendBatched = batched((db, intents: Intent[]) =>
  intend(db, {
    intents: JSON.stringify(
      intents.map(({ userId, postId, accountId, leaseToken, act, prepared, now, ...ms }, index) => ({
        ordinal: index + 1,
        user_id: userId,
        post_id: postId,
        account_id: accountId,
        lease_token: leaseToken,
        act,
        prepared,
        started_ms_ago: ms.startedMsAgo,
        call_lease_ms: ms.callLeaseMs,
        lease_ms: ms.leaseMs,
        now,
      })),
    ),
  }),
)

/**
 * Commits that the call of an act is about to be made, as an attempt in the history, and makes sure that enough of the
 * lease is left for it. Returns false where another worker holds the delivery by now, or its owner may no longer post to
 * the account: then the call must not be made.
 */
export const intendAct = async (db: Db, intent: Intent): Promise<boolean> =>
  (await intendBatched(db, intent)) !== undefined
