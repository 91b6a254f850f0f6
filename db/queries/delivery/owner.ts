import { type Expression, type RawBuilder, sql } from 'kysely'
import { CANCELLED, type DeliveryError, type DeliveryState } from '../../../schemas/delivery.ts'
import type { EventType } from '../../../schemas/event.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { each } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { inTransaction } from '../../transaction.ts'
import { msSince } from '../clock.ts'
import type { Actor } from '../events/actor.ts'
import { insertDeliveryEvents, writesEvents } from '../events/delivery.ts'
import { CONTENT_COLUMNS, type DeliveryContent, toContentJson } from '../posts/delivery-columns.ts'
import { replaceFilesOfAccount } from '../posts/files.ts'
import { scheduledTime } from '../posts/targets.ts'
import { userNow } from '../user-now.ts'
import type { StoredFile } from './claim.ts'
import { type DeliveryKey, endOfFlight, type SentAct, type StoredEdit } from './delivery.ts'

// Statements for the actions of a post's owner. `src/engine/delivery/machine.ts` decides which states they lead to.

/** The present of the owner of `post_targets`. */
const PRESENT = userNow(sql.ref<string>('post_targets.user_id'))

/** The acts that were sent before the first act that was left out. The acts after that one may be repeated. */
const beforeLeftOut = sql`(
  select coalesce(jsonb_agg(act order by ordinal), '[]')
  from jsonb_array_elements(sent) with ordinality as acts(act, ordinal)
  where ordinal < coalesce((select min(ordinal) from jsonb_array_elements(sent) with ordinality as acts(act, ordinal)
    where act ? 'error'), ordinal + 1))`

/** For how long an earlier call of a delivery counts, and which key makes it due. */
interface DueTerms {
  keyId: Expression<string | null> | string | null
  /** A call that lost its response may still arrive. */
  inFlightMs: Expression<number> | number
  /** Acts keep the names derived from `started_at`. */
  nameKeptMs: Expression<number> | number
}

/**
 * Makes a delivery due at `dueAt`, as if it had just been scheduled. It keeps its intent and its sent acts. It waits
 * until no earlier call can arrive, and for its network if that processes an act. Preparations start again.
 */
const due = (
  state: DeliveryState | RawBuilder<DeliveryState>,
  dueAt: RawBuilder<Date>,
  { inFlightMs, nameKeptMs, keyId }: DueTerms,
) => sql`
  state = ${state},
  due_at = ${dueAt},
  claimable_at = greatest(${dueAt}, case when intent is not null then claimable_at end,
    ${endOfFlight('post_targets', inFlightMs)}),
  error = case when error->>'code' <> ${sql.lit(CANCELLED)} then error end,
  failures = 0,
  prepared = case when intent is not null then prepared end,
  waiting_since = case when intent is not null then waiting_since end,
  sent = case when intent is not null then sent else ${beforeLeftOut} end,
  started_at = case when intent is not null or started_at > ${PRESENT} - ${nameKeptMs}::float8 * interval '1 ms'
    then started_at end,
  -- The budget of this key pays.
  key_id = coalesce(${keyId}::uuid, key_id),
  ${writesEvents()}`

/** Makes a delivery due at its time: now, unless it was cancelled before that time. */
export const dueAgain = (state: RawBuilder<DeliveryState>, terms: DueTerms) =>
  due(
    state,
    sql`greatest(${PRESENT}, (select ${scheduledTime('post_targets')} from posts
      where posts.user_id = post_targets.user_id and posts.id = post_targets.post_id))`,
    terms,
  )

/**
 * Moves the post's deliveries from these states to `to`, and makes a draft scheduled for now. They lose times of their
 * own. A queued delivery that is due keeps its time, from which its lateness counts. Does nothing to a published post.
 * Those that had `ended` get the event. The post is locked. Returns the number of deliveries.
 */
export const publishNow = prepared<PublishNow, { count: number }>(
  'publish_now',
  (_db, value) => sql`
    with due as (
      update post_targets
      set own_scheduled_at = null,
        ${due(value('to'), PRESENT, { inFlightMs: value('inFlightMs'), nameKeptMs: value('nameKeptMs'), keyId: value('keyId') })}
      where user_id = ${value('userId')} and post_id = ${value('id')}
        and state = any(${value('from')}::text[]) and (state <> 'queued' or due_at > ${PRESENT})
      returning *, (
        select ${value('event')}::text from post_targets as before
        where before.user_id = post_targets.user_id and before.post_id = post_targets.post_id
          and before.account_id = post_targets.account_id and before.state = any(${value('ended')}::text[])) as event
    ),
    event as (${insertDeliveryEvents('due', { keyId: value('keyId'), postTime: userNow(value('userId')) })}),
    post as (
      update posts set status = 'scheduled', scheduled_at = ${userNow(value('userId'))}, updated_at = ${userNow(value('userId'))}
      where user_id = ${value('userId')} and id = ${value('id')} and status <> 'published' and exists (select from due)
    )
    select count(*) from due`,
)

interface PublishNow extends Actor {
  userId: string
  id: string
  from: DeliveryState[]
  to: DeliveryState
  ended: DeliveryState[]
  event: EventType
  inFlightMs: number
  nameKeptMs: number
}

/** Stores what other posts are compared with: see `NearbyTerms`. A draft has none. */
export async function storeTextDigests(
  db: Db,
  { userId, id }: { userId: string; id: string },
  digests: readonly { accountId: string; textDigest: string | null }[],
): Promise<void> {
  await sql`
    update post_targets set text_digest = digest."textDigest"
    from jsonb_to_recordset(${JSON.stringify(digests)}::jsonb) as digest("accountId" uuid, "textDigest" bigint)
    where user_id = ${userId} and post_id = ${id} and account_id = digest."accountId"`.execute(db)
}

/** The event of a change, and who has made it. */
interface EventOfActor extends Actor {
  event: EventType
}

export interface OwnedDelivery {
  platform: PlatformId
  state: DeliveryState
  error: DeliveryError | null
  sent: SentAct[]
  /** Number of the act whose call may have been made. */
  intent: number | null
  /** Null if no edit is under way, and none has failed. */
  edit: StoredEdit | null
  /** The files that were deleted after it had published them; null if none was. */
  deletedFiles: StoredFile[] | null
  /** Its time has not come yet, and no worker has taken it since it was scheduled. */
  isEarly: boolean
  /** Milliseconds since the last call that lost its response ended; null if none has. */
  lostForMs: number | null
  /** Milliseconds for which it has waited for its network; null if it does not wait. */
  waitedMs: number | null
}

/** Identifies a delivery among those of one user. */
export type OwnKey = Omit<DeliveryKey, 'userId'>

/** The columns of an `OwnedDelivery`, from a row of `delivery`. */
export const ownedColumns = (userId: string) => sql`
  delivery.platform, delivery.state, delivery.error, delivery.sent, delivery.intent, delivery.edit,
  delivery.deleted_files, delivery.started_at is null and delivery.due_at > ${userNow(userId)} as is_early,
  ${msSince(userNow(userId), 'delivery.lost_call_at')} as lost_for_ms,
  ${msSince(userNow(userId), 'delivery.waiting_since')} as waited_ms`

/** Locks deliveries of the user, in one order for all callers. Returns those that exist. */
export async function lockOwnedDeliveries(db: Db, userId: string, keys: OwnKey[]) {
  const { rows } = await sql<OwnedDelivery & OwnKey>`
    select delivery.post_id, delivery.account_id, ${ownedColumns(userId)}
    from unnest(${each(keys, 'postId')}::uuid[], ${each(keys, 'accountId')}::uuid[]) as wanted(post_id, account_id)
    join post_targets as delivery
      on delivery.user_id = ${userId} and delivery.post_id = wanted.post_id
        and delivery.account_id = wanted.account_id
    order by delivery.post_id, delivery.account_id
    for update of delivery`.execute(db)
  return rows
}

/**
 * Stores other content for the acts of a locked delivery that are not sent. Like a change of the whole post, it gives
 * them other names: see `storePostChanges`.
 */
export async function storeDeliveryContent(
  db: Db,
  { userId, postId, accountId }: DeliveryKey,
  content: DeliveryContent & { textDigest: string | null },
): Promise<void> {
  await sql`
    update post_targets
    set (${CONTENT_COLUMNS.names}) = row(${CONTENT_COLUMNS.of('item')}),
      token = gen_random_uuid(),
      started_at = null,
      prepared = null,
      waiting_since = null
    from jsonb_to_record(${JSON.stringify(toContentJson(content, content.textDigest))}::jsonb)
      as item(${CONTENT_COLUMNS.definitions})
    where user_id = ${userId} and post_id = ${postId} and account_id = ${accountId}`.execute(db)
  await replaceFilesOfAccount(db, { userId, postId, accountId }, content)
  await sql`update posts set updated_at = ${userNow(userId)} where user_id = ${userId} and id = ${postId}`.execute(db)
}

/** Stores what the owner has seen on the network, for a locked delivery whose call has an unknown outcome. */
export async function resolveDelivery(
  db: Db,
  { userId, postId, accountId }: DeliveryKey,
  seen: {
    state: DeliveryState
    sent: SentAct[]
    error: DeliveryError | null
    outcome: 'said_published' | 'said_not_published'
  } & EventOfActor,
): Promise<void> {
  const sent = JSON.stringify(seen.sent)
  await sql`
    update delivery_attempts as attempt set outcome = ${seen.outcome}
    from post_targets as delivery
    where attempt.user_id = delivery.user_id and attempt.post_id = delivery.post_id
      and attempt.account_id = delivery.account_id and attempt.number = delivery.attempts
      and delivery.user_id = ${userId} and delivery.post_id = ${postId} and delivery.account_id = ${accountId}`.execute(
    db,
  )
  await sql`
    with resolved as (
      update post_targets
      set state = ${seen.state},
        sent = sent || ${sent}::jsonb,
        published_at = case
          when jsonb_array_length(sent || ${sent}::jsonb) > 0 then coalesce(published_at, intended_at) end,
        error = ${seen.error && JSON.stringify(seen.error)}::jsonb,
        intent = null,
        intended_at = null,
        prepared = null,
        waiting_since = null,
        ${writesEvents()}
      where user_id = ${userId} and post_id = ${postId} and account_id = ${accountId}
      returning *, ${seen.event}::text as event
    )
    ${insertDeliveryEvents('resolved', seen)}`.execute(db)
}

/**
 * Stores that the owner has cancelled a locked delivery. The columns that a call with an unknown outcome needs stay.
 */
export async function cancelDelivery(
  db: Db,
  { userId, postId, accountId }: DeliveryKey,
  { state, error, event, keyId }: { state: DeliveryState; error: DeliveryError } & EventOfActor,
): Promise<void> {
  await sql`
    with cancelled as (
      update post_targets
      set state = ${state},
        error = ${JSON.stringify(error)}::jsonb,
        claimable_at = null,
        parked = false,
        prepared = case when intent is not null then prepared end,
        waiting_since = case when intent is not null then waiting_since end,
        ${writesEvents()}
      where user_id = ${userId} and post_id = ${postId} and account_id = ${accountId}
      returning *, ${event}::text as event
    )
    ${insertDeliveryEvents('cancelled', { keyId })}`.execute(db)
}

/** Stores that the owner has published the missing acts of a locked delivery by hand: it has `sent` as well. */
export async function markDeliveryPublished(
  db: Db,
  { userId, postId, accountId }: DeliveryKey,
  { state, sent, event, keyId }: { state: DeliveryState; sent: SentAct[] } & EventOfActor,
): Promise<void> {
  await sql`
    update delivery_attempts as attempt set outcome = 'said_published'
    from post_targets as delivery
    where attempt.user_id = delivery.user_id and attempt.post_id = delivery.post_id
      and attempt.account_id = delivery.account_id and attempt.number = delivery.attempts
      and delivery.intent is not null
      and delivery.user_id = ${userId} and delivery.post_id = ${postId} and delivery.account_id = ${accountId}`.execute(
    db,
  )
  await sql`
    with marked as (
      update post_targets
      set state = ${state},
        sent = sent || ${JSON.stringify(sent)}::jsonb,
        published_at = coalesce(published_at, intended_at, ${userNow(userId)}),
        error = null,
        claimable_at = null,
        parked = false,
        intent = null,
        intended_at = null,
        prepared = null,
        waiting_since = null,
        ${writesEvents()}
      where user_id = ${userId} and post_id = ${postId} and account_id = ${accountId}
      returning *, ${event}::text as event
    )
    ${insertDeliveryEvents('marked', { keyId })}`.execute(db)
  await sql`
    update posts set status = 'published', updated_at = ${userNow(userId)}
    where user_id = ${userId} and id = ${postId} and status <> 'published'`.execute(db)
}

/**
 * Marks any post as published, with its deliveries: a worker that has claimed one of them no longer sends it. Changes
 * nothing and returns `busy` while a call for one of them may be under way, and `missing` if there is no such post.
 * Deliveries that were taken down stay as they are.
 */
export function markPostPublished(
  db: Db,
  id: string,
  { from, to, publishedAt }: { from: DeliveryState[]; to: DeliveryState; publishedAt: Date },
): Promise<'published' | 'busy' | 'missing'> {
  return inTransaction(db, async (db) => {
    const owners = await sql<{ userId: string }>`select user_id from posts where id = ${id}`.execute(db)
    const userId = owners.rows[0]?.userId
    if (userId === undefined) return 'missing'
    const calls = await sql<{ isOpen: boolean }>`
      select (state = 'publishing' and intent is not null) or state = 'removing' as is_open from post_targets
      where user_id = ${userId} and post_id = ${id}
      for update`.execute(db)
    if (calls.rows.some(({ isOpen }) => isOpen)) return 'busy'
    await sql`
      update post_targets
      set state = ${to},
        lease_token = null,
        claimable_at = null,
        parked = false,
        intent = null,
        intended_at = null,
        prepared = null,
        waiting_since = null,
        error = null,
        sent = case when sent = '[]' then '[{"id": null, "url": null}]' else sent end,
        published_at = coalesce(published_at, ${publishedAt})
      where user_id = ${userId} and post_id = ${id} and state = any(${from}::text[])`.execute(db)
    const { numAffectedRows } = await sql`
      update posts set status = 'published', updated_at = ${userNow(userId)}
      where user_id = ${userId} and id = ${id}`.execute(db)
    return numAffectedRows === 1n ? 'published' : 'missing'
  })
}
