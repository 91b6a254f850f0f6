import { sql } from 'kysely'
import { batched, type WithOrdinal } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { after, type Now } from '../clock.ts'
import { FEW_ROWS } from '../few-rows.ts'
import { isoTime } from '../iso-time.ts'
import { earliestOf, hasSharedRest } from './available.ts'
import { type ClaimedDelivery, type ClaimTerms, claimedColumns, claimedTables, claimRows } from './claim.ts'
import type { HeldDelivery } from './delivery.ts'
import { isOpen, type Settlement } from './settlement.ts'
import { unpublish } from './unpublish.ts'

/** Returned by a settlement. */
export interface StoredSettlement {
  /** Number of attempts in the delivery's history. */
  attempts: number
  /** The next delivery of the account, if one was to be claimed and is due. */
  next?: ClaimedDelivery
}

/** How the next delivery of the account is claimed. */
interface NextTerms extends ClaimTerms {
  /** How long the account's lease still has to last. Until then, nobody else can claim one of its deliveries. */
  marginMs: number
}

interface Item extends HeldDelivery {
  now: Now
  settlement: Settlement
}

type Sql = ReturnType<typeof sql>

/** The statement. `claim` adds CTEs that claim the next delivery of each account. */
const settlement = (settlements: string, claim?: { ctes: Sql; columns: Sql; tables: Sql }) => sql`
    with item as (
      select *, coalesce(now, now()) as at
      from jsonb_to_recordset(${settlements}::jsonb) as item(
        ordinal integer, user_id uuid, post_id uuid, account_id uuid, lease_token uuid, now timestamptz, state text,
        keeps_lease boolean, sent jsonb, sent_before integer, may_be_sent boolean, failures integer, error jsonb,
        outcome text, act integer, prepared jsonb, is_waiting boolean, started_ms_ago float8, retry_in_ms float8,
        account_rests_ms float8, attention jsonb, lost_ms_ago float8)
      ${FEW_ROWS}
    ),
    -- The deliveries that are still held, and as they were before.
    settled as (
      select item.*, delivery.intent as intended, delivery.intended_at, delivery.attempts,
        delivery.claimable_at as leased_until
      from item
      join post_targets as delivery
        on delivery.user_id = item.user_id and delivery.post_id = item.post_id and delivery.account_id = item.account_id
      where delivery.lease_token = item.lease_token and jsonb_array_length(delivery.sent) = item.sent_before
      order by delivery.user_id, delivery.post_id, delivery.account_id
      for no key update of delivery
    ),
    delivery as (
      update post_targets as delivery
      set state = settled.state,
        sent = delivery.sent || settled.sent,
        failures = settled.failures,
        error = settled.error,
        prepared = settled.prepared,
        waiting_since = case when settled.is_waiting then coalesce(delivery.waiting_since, settled.at) end,
        lost_call_at = greatest(delivery.lost_call_at, settled.at - settled.lost_ms_ago * interval '1 ms'),
        intent = case when settled.may_be_sent then settled.intended end,
        intended_at = case when settled.may_be_sent then settled.intended_at end,
        attempts = settled.attempts
          + case when settled.intended is null and settled.outcome = 'failed' then 1 else 0 end,
        lease_token = case when settled.keeps_lease then settled.lease_token end,
        claimable_at = case when settled.keeps_lease then delivery.claimable_at
          else settled.at + settled.retry_in_ms * interval '1 ms' end,
        published_at = case
          when delivery.published_at is not null then delivery.published_at
          when settled.sent = '[]' then null
          when settled.outcome = 'found' then settled.intended_at
          else settled.at end
      from settled
      where delivery.user_id = settled.user_id and delivery.post_id = settled.post_id
        and delivery.account_id = settled.account_id
      returning settled.ordinal, settled.account_id, delivery.attempts
    ),
    ${claim ? sql`${claim.ctes},` : sql``}
    -- Completes the attempt that intend_acts began, or adds a failed one that did not get that far. An insert with a
    -- conflict, because an update would not find an attempt that was committed after this statement began. Reconciling
    -- changes neither the end of an attempt nor its error.
    attempt as (
      insert into delivery_attempts as attempt
        (user_id, post_id, account_id, number, act, started_at, finished_at, outcome, error)
      select user_id, post_id, account_id, attempts + case when intended is null then 1 else 0 end, act,
        at - started_ms_ago * interval '1 ms', at, outcome,
        -- An act that is out does not have the error of one that was left out before it.
        case when outcome not in ('published', 'found') then error end
      from settled
      where outcome = 'failed' or (intended is not null and outcome is not null)
      on conflict (user_id, post_id, account_id, number) do update
      set outcome = excluded.outcome,
        error = case when attempt.finished_at is null then excluded.error else attempt.error end,
        finished_at = coalesce(attempt.finished_at, excluded.finished_at)
    ),
    -- Set to now and not to null: readWaiting counts the wait of the account's next delivery from here.
    account as (
      update accounts
      set available_at = case when settled.keeps_lease then accounts.available_at
          else coalesce(${claim ? sql`claimed.claimable_at` : sql`null`},
            settled.at + settled.account_rests_ms * interval '1 ms') end,
        -- These two end when the account is connected again, or has its scopes back.
        attention = case
          when accounts.attention ->> 'code' = 'reconnect_required' then accounts.attention
          when settled.attention is not null then settled.attention || jsonb_build_object('since',
            coalesce(accounts.attention ->> 'since', ${isoTime('settled.at')}))
          when settled.sent = '[]' or accounts.attention ->> 'code' = 'scopes_missing' then accounts.attention end
      from settled ${claim ? sql`left join claimed on claimed.account_id = settled.account_id` : sql``}
      where accounts.id = settled.account_id
    ),
    -- Locked in order, because two workers may settle deliveries of the same posts, and after the deliveries. Their
    -- status is read after the lock: unpublish may be changing it in a concurrent transaction.
    post as (
      select user_id, id, status from posts
      where (user_id, id) in (
          select user_id, post_id from settled where may_be_sent or sent <> '[]')
        and (select count(*) from delivery) > 0
      order by user_id, id
      for no key update
    ),
    published as (
      update posts set status = 'published', updated_at = (select max(at) from settled)
      from post
      where posts.user_id = post.user_id and posts.id = post.id and post.status <> 'published'
    )
    select delivery.ordinal, delivery.attempts ${claim ? sql`, ${claim.columns}` : sql``}
    from delivery
    ${claim ? sql`left join claimed on claimed.account_id = delivery.account_id ${claim.tables}` : sql``}`

const settle = prepared<{ settlements: string }, WithOrdinal & StoredSettlement>('settle_acts', (_db, value) =>
  settlement(value('settlements')),
)

/**
 * Also claims the earliest due delivery of each account. It is a separate statement because the claim has a cost even
 * if it finds nothing, and is not needed while all slots of a network are in use.
 */
const settleAndClaim = prepared<
  { settlements: string } & NextTerms,
  WithOrdinal & StoredSettlement & { [key in keyof ClaimedDelivery]: ClaimedDelivery[key] | null }
>('settle_and_claim', (_db, value) => {
  const now = value('now')
  const ctes = sql`
    head as (
      select earliest.row_id
      from settled
      join accounts on accounts.id = settled.account_id and accounts.paused_at is null and not ${hasSharedRest(now)},
        lateral (${earliestOf('accounts.id', now)}) as earliest
      where settled.leased_until > ${after(now, value('marginMs'))}
    ),
    ${claimRows(sql`select row_id from head`, { leaseMs: value('leaseMs'), state: value('state'), now })}`
  return settlement(value('settlements'), { ctes, columns: claimedColumns(now), tables: claimedTables })
})

const settlementsOf = (items: Item[]) => JSON.stringify(items.map((item, index) => rowOf(item, index + 1)))

const settleBatched = batched((db, items: Item[]) => settle(db, { settlements: settlementsOf(items) }))

const settleAndClaimBatched = batched(async (db, items: (Item & { next: NextTerms })[]) => {
  // The terms are the same for all.
  const rows = await settleAndClaim(db, { settlements: settlementsOf(items), ...items[0]!.next })
  return rows.map(({ ordinal, attempts, ...next }) => ({
    ordinal,
    attempts,
    ...(next.leaseToken !== null && { next: next as ClaimedDelivery }),
  }))
})

/** Leaves out the keys whose value is null, which most are: Postgres reads an absent key as null, and parses less. */
const rowOf = ({ settlement, ...lease }: Item, ordinal: number) => ({
  ordinal,
  user_id: lease.userId,
  post_id: lease.postId,
  account_id: lease.accountId,
  lease_token: lease.leaseToken,
  now: lease.now ?? undefined,
  state: settlement.state,
  keeps_lease: settlement.state === 'publishing',
  sent: settlement.sent ? [settlement.sent] : [],
  sent_before: settlement.sentBefore,
  may_be_sent: isOpen(settlement),
  failures: settlement.failures,
  error: settlement.error ?? undefined,
  outcome: settlement.outcome ?? undefined,
  act: settlement.act,
  prepared: settlement.prepared ?? undefined,
  is_waiting: settlement.state === 'queued' && settlement.isWaiting,
  lost_ms_ago: settlement.lostMsAgo ?? undefined,
  started_ms_ago: settlement.startedMsAgo,
  retry_in_ms: settlement.state === 'queued' ? settlement.retryInMs : undefined,
  account_rests_ms: settlement.accountRestsMs,
  attention: settlement.attention ?? undefined,
})

/**
 * Commits the outcome of an act: the act's id, the attempt, the status of the post and the rest of the account, in one
 * statement. Returns undefined if another worker holds the delivery by now.
 *
 * A post is published as soon as anything of it is, or may be, out. With `next`, the statement also claims the next
 * delivery of the account.
 */
export async function settleAct(
  db: Db,
  lease: HeldDelivery & { now: Now },
  settlement: Settlement,
  next?: NextTerms,
): Promise<StoredSettlement | undefined> {
  if (next) return settleAndClaimBatched(db, { ...itemOf(lease, settlement), next })
  if (!settlement.mayUnpublish) return settleBatched(db, itemOf(lease, settlement))
  return db.transaction().execute(async (db) => {
    const stored = await settleBatched(db, itemOf(lease, settlement))
    if (stored) await unpublish(db, lease)
    return stored
  })
}

function itemOf(lease: HeldDelivery & { now: Now }, settlement: Settlement): Item {
  const { userId, postId, accountId, leaseToken, now } = lease
  return { userId, postId, accountId, leaseToken, now, settlement }
}
