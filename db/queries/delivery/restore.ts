import { sql } from 'kysely'
import type { DeliveryError, DeliveryState } from '../../../schemas/delivery.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import { contentColumns, type DeliveryKey, type PlannedContent, type SentAct, type StoredEdit } from './delivery.ts'
import type { Settlement } from './settlement.ts'

// Statements of `restore finish`. `src/engine/delivery/machine.ts` decides which states they lead to.

/** A delivery as a restored database has it. */
export interface BackedUpDelivery extends DeliveryKey, PlannedContent {
  platform: PlatformId
  state: DeliveryState
  sent: SentAct[]
  edit: StoredEdit | null
  intent: number | null
  attempts: number
  startedAt: Date | null
  claimableAt: Date | null
  token: string
}

const selectDeliveries = sql`
  select delivery.user_id, delivery.post_id, delivery.account_id, delivery.platform, delivery.state, delivery.sent, delivery.edit,
    delivery.intent, delivery.attempts, delivery.started_at, delivery.claimable_at, delivery.token,
    ${contentColumns('delivery')}
  from post_targets as delivery
  join posts on posts.user_id = delivery.user_id and posts.id = delivery.post_id`

/** Locks the deliveries that the backup has. */
export async function lockDeliveries(db: Db, keys: DeliveryKey[]): Promise<BackedUpDelivery[]> {
  const { rows } = await sql<BackedUpDelivery>`
    ${selectDeliveries}
    join unnest(${keys.map(({ userId }) => userId)}::uuid[], ${keys.map(({ postId }) => postId)}::uuid[],
        ${keys.map(({ accountId }) => accountId)}::uuid[]) as key(user_id, post_id, account_id)
      on key.user_id = delivery.user_id and key.post_id = delivery.post_id and key.account_id = delivery.account_id
    order by delivery.user_id, delivery.post_id, delivery.account_id
    for no key update of delivery`.execute(db)
  return rows
}

/**
 * Locks the deliveries without an open call that could be claimed at `until`, of posts that were created before
 * `createdBefore`.
 */
export async function lockClaimable(
  db: Db,
  { until, createdBefore }: { until: Date; createdBefore: Date },
): Promise<BackedUpDelivery[]> {
  const { rows } = await sql<BackedUpDelivery>`
    ${selectDeliveries}
    where delivery.claimable_at <= ${until} and delivery.intent is null and posts.created_at < ${createdBefore}
    order by delivery.user_id, delivery.post_id, delivery.account_id
    for no key update of delivery`.execute(db)
  return rows
}

/** Number of deliveries that a worker holds. */
export async function countHeld(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from post_targets where state = 'publishing' and claimable_at > now()`.execute(db)
  return rows[0]!.count
}

export interface RestoredAttempt {
  act: number
  startedAt: Date
  intendedAt: Date | null
  finishedAt: Date | null
  outcome: Settlement['outcome']
  error: DeliveryError | null
}

/** The known facts about a delivery after its database was restored. */
export interface RestoredDelivery extends DeliveryKey {
  state: DeliveryState
  /** All acts that are out. */
  sent: SentAct[]
  intent: number | null
  intendedAt: Date | null
  startedAt: Date | null
  publishedAt: Date | null
  error: DeliveryError | null
  /** Attempts after those that the backup has. */
  attempts: RestoredAttempt[]
  /** When the first call was made that the backup does not have. The delivery was due by then. */
  calledAt: Date | null
}

/** Stores locked deliveries, with the status of their posts. */
export async function storeRestored(db: Db, deliveries: RestoredDelivery[]): Promise<void> {
  await sql`
    with item as (
      select * from jsonb_to_recordset(${JSON.stringify(deliveries.map(rowOf))}::jsonb) as item(
        user_id uuid, post_id uuid, account_id uuid, state text, sent jsonb, intent integer, intended_at timestamptz,
        started_at timestamptz, published_at timestamptz, error jsonb, attempts jsonb, called_at timestamptz)
    ),
    attempt as (
      insert into delivery_attempts
        (user_id, post_id, account_id, number, act, started_at, intended_at, finished_at, outcome, error)
      select item.user_id, item.post_id, item.account_id, delivery.attempts + made.number, made.act, made.started_at,
        made.intended_at, made.finished_at, made.outcome, made.error
      from item
      join post_targets as delivery
        on delivery.user_id = item.user_id and delivery.post_id = item.post_id and delivery.account_id = item.account_id
      cross join lateral jsonb_to_recordset(item.attempts) as made(
        number integer, act integer, started_at timestamptz, intended_at timestamptz, finished_at timestamptz,
        outcome text, error jsonb)
    )
    update post_targets as delivery
    set state = item.state,
      sent = item.sent,
      intent = item.intent,
      intended_at = item.intended_at,
      started_at = coalesce(item.started_at, delivery.started_at),
      published_at = coalesce(delivery.published_at, item.published_at),
      -- The journal does not tell when the call ended.
      lost_call_at = case when item.intent is not null then now() else delivery.lost_call_at end,
      error = item.error,
      edit = case when item.state not in ('removing', 'removed', 'remove_failed') then delivery.edit end,
      attempts = delivery.attempts + jsonb_array_length(item.attempts),
      failures = 0,
      prepared = null,
      waiting_since = null,
      lease_token = null,
      parked = false,
      due_at = least(delivery.due_at, item.called_at),
      own_scheduled_at = case when delivery.own_scheduled_at is not null
        then least(delivery.own_scheduled_at, item.called_at) end,
      claimable_at = case when item.state = 'queued' then now() end
    from item
    where delivery.user_id = item.user_id and delivery.post_id = item.post_id and delivery.account_id = item.account_id`.execute(
    db,
  )
  await storeRemovals(db, deliveries)
  await sql`
    with item as (
      -- A delivery at a time of its own tells nothing of that of the post.
      select user_id, post_id, min(called_at) filter (where delivery.own_scheduled_at is null) as called_at
      from jsonb_to_recordset(${JSON.stringify(deliveries.map(rowOf))}::jsonb) as item(
        user_id uuid, post_id uuid, account_id uuid, called_at timestamptz)
      join post_targets as delivery using (user_id, post_id, account_id)
      group by user_id, post_id
    )
    update posts
    set status = case
        when exists (
          select from post_targets as delivery
          where delivery.user_id = posts.user_id and delivery.post_id = posts.id
            and (delivery.state = 'published' or delivery.intent is not null or delivery.sent <> '[]')) then 'published'
        when posts.status = 'draft' then 'scheduled'
        else posts.status end,
      scheduled_at = least(posts.scheduled_at, item.called_at),
      updated_at = now()
    from item
    where posts.user_id = item.user_id and posts.id = item.post_id`.execute(db)
}

/** Lets workers go on with the removals of these deliveries that are not over. */
async function storeRemovals(db: Db, deliveries: RestoredDelivery[]): Promise<void> {
  const items = sql`jsonb_to_recordset(${JSON.stringify(deliveries.map(rowOf))}::jsonb) as item(
    user_id uuid, post_id uuid, account_id uuid, state text)`
  await sql`
    delete from delivery_changes as change using ${items}
    where change.user_id = item.user_id and change.post_id = item.post_id and change.account_id = item.account_id
      and item.state in ('removing', 'removed', 'remove_failed')`.execute(db)
  await sql`
    insert into delivery_changes (user_id, post_id, account_id, kind, next_at)
    select user_id, post_id, account_id, 'remove', now() from ${items} where state = 'removing'
    order by user_id, post_id, account_id`.execute(db)
}

const rowOf = ({ attempts, ...delivery }: RestoredDelivery) => ({
  user_id: delivery.userId,
  post_id: delivery.postId,
  account_id: delivery.accountId,
  state: delivery.state,
  sent: delivery.sent,
  intent: delivery.intent,
  intended_at: delivery.intendedAt,
  started_at: delivery.startedAt,
  published_at: delivery.publishedAt,
  error: delivery.error ?? undefined,
  called_at: delivery.calledAt,
  attempts: attempts.map((attempt, index) => ({
    number: index + 1,
    act: attempt.act,
    started_at: attempt.startedAt,
    intended_at: attempt.intendedAt,
    finished_at: attempt.finishedAt,
    outcome: attempt.outcome,
    error: attempt.error ?? undefined,
  })),
})
