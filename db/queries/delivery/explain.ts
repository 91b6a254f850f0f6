import { sql } from 'kysely'
import type { AccountAttention } from '../../../schemas/account.ts'
import type { EventType } from '../../../schemas/event.ts'
import type { Db } from '../../client.ts'
import { reachableBy, readiness } from '../accounts.ts'
import { type EventRow, findPlaceBefore, listEvents, readBounds } from '../events/read.ts'
import { userNow } from '../user-now.ts'
import { endOfSharedRest } from './available.ts'
import type { DeliveryKey } from './delivery.ts'
import { type OwnedDelivery, ownedColumns } from './owner.ts'

/** A delivery, and everything that may hold it up. */
export interface Circumstances extends OwnedDelivery {
  now: Date
  /** Null for a draft. */
  dueAt: Date | null
  /** When its next attempt is due, or the lease of the worker that holds it ends. */
  claimableAt: Date | null
  startedAt: Date | null
  intendedAt: Date | null
  lostCallAt: Date | null
  waitingSince: Date | null
  changedAt: Date | null
  failures: number
  /** Whether its owner may still post to the account, and the account is connected. */
  isReachable: boolean
  attention: AccountAttention | null
  /** Since when the account is paused; null if it is not. */
  pausedAt: Date | null
  hasCredentials: boolean
  credentialsExpireAt: Date | null
  /** When workers refresh the access token; null if they do not. */
  refreshAt: Date | null
  refreshFailures: number | null
  availableAt: Date | null
  /** When the limits that the account shares let it be sent to again; null without any. */
  sharedRestUntil: Date | null
  /** Why the account shares a rest: the words of the network. */
  sharedRestReason: string | null
  /** When the lease of another delivery of the account ends that is being sent; null without one. */
  otherLeaseUntil: Date | null
  /** How many deliveries of the account are due and go out before it, at most `COUNTED_MAX`. */
  ahead: number
  isConverted: boolean
  /** When its removal or edit is due. */
  changeAt: Date | null
  /** Since when workers send nothing, because the database was restored. */
  refusedSince: Date | null
}

/** Due deliveries, and calls, of the account that are looked at. */
export const COUNTED_MAX = 1_000

/** The circumstances of a delivery, by the clock of its owner. Undefined if there is no such delivery. */
export async function readCircumstances(
  db: Db,
  { userId, postId, accountId }: DeliveryKey,
): Promise<Circumstances | undefined> {
  const { rows } = await sql<Circumstances>`
    with delivery as (
      select * from post_targets where user_id = ${userId} and post_id = ${postId} and account_id = ${accountId}
    )
    select ${userNow(userId)} as now, ${ownedColumns(userId)},
      delivery.due_at, delivery.claimable_at, delivery.started_at, delivery.intended_at, delivery.lost_call_at,
      delivery.waiting_since, delivery.changed_at, delivery.failures,
      ${reachableBy(userId)} as is_reachable, ${readiness.attention} as attention, accounts.paused_at,
      account_credentials.account_id is not null as has_credentials, accounts.credentials_expire_at,
      account_credentials.refresh_at, account_credentials.refresh_failures, accounts.available_at,
      ${endOfSharedRest} as shared_rest_until,
      (select reason ->> 'message' from limit_rests
        where limit_rests.key in (accounts.limit_key, accounts.platform) order by until desc limit 1)
        as shared_rest_reason,
      due.other_lease_until, due.ahead,
      exists (
        select from jsonb_object_keys(coalesce(delivery.renditions, '{}')) as file
        join rendition_jobs on rendition_jobs.user_id = delivery.user_id and rendition_jobs.media_id = file::uuid)
        as is_converted,
      delivery_changes.next_at as change_at, (select refused_since from installation) as refused_since
    from delivery
    join accounts on accounts.id = delivery.account_id
    left join account_credentials on account_credentials.account_id = accounts.id
    left join delivery_changes
      on delivery_changes.user_id = delivery.user_id and delivery_changes.post_id = delivery.post_id
        and delivery_changes.account_id = delivery.account_id,
    lateral (
      select max(claimable_at) filter (where state = 'publishing') as other_lease_until,
        count(*) filter (where is_before and state = 'queued' and claimable_at <= ${userNow(userId)})::integer as ahead
      from (
        select state, claimable_at, (due_at, post_id) < (delivery.due_at, delivery.post_id) as is_before
        from post_targets as other
        where other.account_id = delivery.account_id and other.claimable_at is not null
          and other.due_at <= ${userNow(userId)} and other.post_id <> delivery.post_id
        order by other.due_at, other.post_id limit ${sql.lit(COUNTED_MAX)}) as earliest) as due`.execute(db)
  return rows[0]
}

/** The calls of other posts to the account in a time, and the last pause that the network required at one of them. */
export interface OtherCalls {
  count: number
  refusedAt: Date | null
  refusal: string | null
}

/** Reads the earliest `COUNTED_MAX` calls. `codes`: the errors after which an account rests. */
export async function readOtherCalls(
  db: Db,
  {
    postId,
    accountId,
    from,
    to,
    codes,
  }: Omit<DeliveryKey, 'userId'> & { from: Date; to: Date; codes: readonly string[] },
): Promise<OtherCalls> {
  const { rows } = await sql<OtherCalls>`
    with called as (
      select finished_at, error from delivery_attempts
      where account_id = ${accountId} and intended_at >= ${from} and intended_at < ${to} and post_id <> ${postId}
      order by intended_at limit ${sql.lit(COUNTED_MAX)}
    ),
    refused as (
      select finished_at, error ->> 'message' as message from called
      where error ->> 'code' = any(${codes}::text[]) order by finished_at desc limit 1
    )
    select (select count(*)::integer from called) as count, (select finished_at from refused) as refused_at,
      (select message from refused) as refusal`.execute(db)
  return rows[0]!
}

/**
 * The events of a delivery, of these types, among those that follow on each of these times. One page of the stream is
 * read for each time, because events have no index by post. Oldest first.
 */
export async function listDeliveryEvents(
  db: Db,
  { userId, postId, accountId }: DeliveryKey,
  { types, from }: { types: readonly EventType[]; from: readonly Date[] },
): Promise<EventRow[]> {
  const bounds = await readBounds(db, { userId, after: null })
  const wanted = { userId, types, postId, accountId, listedAccountIds: null, organizationId: null }
  const found = new Map<string, EventRow>()
  for (const time of from) {
    const after = await findPlaceBefore(db, { userId, from: time, ...bounds })
    const { events } = await listEvents(db, { ...wanted, after, limit: 100 })
    for (const event of events) found.set(event.id, event)
  }
  return [...found.values()].sort((one, other) => one.position - other.position)
}
