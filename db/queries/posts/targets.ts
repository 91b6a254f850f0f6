import { type RawBuilder, sql } from 'kysely'
import type { DeliveryCost } from '../../../schemas/cost.ts'
import type { DeliveryEdit, DeliveryError, DeliveryState, PublishedAct } from '../../../schemas/delivery.ts'
import type { MediaFit } from '../../../schemas/media.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { PostTarget } from '../../../schemas/post.ts'
import { prepared } from '../../prepared.ts'
import { type AccountReadiness, readiness } from '../accounts.ts'
import { isoTime } from '../iso-time.ts'
import { userNow } from '../user-now.ts'

/** Whether a delivery to the account is under way, whose lease `available_at` then is. */
const isBusy = sql`(accounts.available_at is not null and (
    select true from post_targets as busy
    where busy.platform = accounts.platform and not busy.parked and busy.claimable_at = accounts.available_at
      and busy.account_id = accounts.id and busy.state = 'publishing'
    limit 1) is not null)`

/** After the last post of a sandbox clock, the account is available from the time of the clock on. */
const present = userNow(sql.ref<string>('accounts.user_id'))

/** Until when an account rests, by its own rate or by a limit that it shares; null if it does not. */
const restEnd = sql`(
  select nullif(greatest(${present}, case when not ${isBusy} then accounts.available_at end, max(limit_rests.until)), ${present})
  from limit_rests where limit_rests.key in (accounts.limit_key, accounts.platform))`

export const accountRestsUntil = isoTime<string | null>(restEnd)

/** Until when each of these accounts rests. */
export const listRests = prepared<{ accountIds: string[] }, { id: string; restsUntil: string | null }>(
  'list_rests',
  (db, value) =>
    db
      .selectFrom('accounts')
      .select(['id', accountRestsUntil.as('restsUntil')])
      .where('id', '=', sql<string>`any(${value('accountIds')}::uuid[])`),
)

/**
 * A resting account or limit delays the next attempt. An account that is busy with another delivery may be free at any
 * moment. No `exists`, for which Postgres may read the whole table into a hash.
 */
const nextAttempt = (delivery: string) => sql`case when ${isBusy}
  then ${sql.ref(`${delivery}.claimable_at`)}
  else greatest(${sql.ref(`${delivery}.claimable_at`)}, accounts.available_at,
    (select until from limit_rests where key = accounts.limit_key),
    (select until from limit_rests where key = accounts.platform)) end`

/** When a worker goes on with the removal of a delivery; null while one does. */
const nextRemoval = (delivery: string) => sql`(
  select next_at from delivery_changes as change
  where change.user_id = ${sql.ref(`${delivery}.user_id`)} and change.post_id = ${sql.ref(`${delivery}.post_id`)}
    and change.account_id = ${sql.ref(`${delivery}.account_id`)} and lease_token is null)`

/**
 * When the next attempt of a delivery is due; null if none is planned, such as for a paused account. Its account has to
 * be joined.
 */
export const nextAttemptOf = (delivery: 'post_targets' | 'delivery') =>
  sql<string | null>`case ${sql.ref(`${delivery}.state`)}
    when 'queued' then case when accounts.paused_at is null then ${isoTime(nextAttempt(delivery))} end
    when 'removing' then ${isoTime(nextRemoval(delivery))} end`

/** When a delivery is to be published: its own time, or else that of its post. Null for a draft. */
export const scheduledTime = (delivery: string, post = 'posts') =>
  sql<Date | null>`coalesce(${sql.ref(`${delivery}.own_scheduled_at`)}, ${sql.ref(`${post}.scheduled_at`)})`

/** The money of a delivery; null where no act has cost anything: see `orAbsent`. */
export const costOf = (delivery: 'post_targets' | 'delivery') => {
  const spent = sql.ref(`${delivery}.spent_micros`)
  const reserved = sql.ref(`${delivery}.intent_micros`)
  return sql<DeliveryCost | undefined>`case when coalesce(${spent}, ${reserved}) is not null then json_build_object(
    'spentUsdMicros', coalesce(${spent}, 0), 'reservedUsdMicros', coalesce(${reserved}, 0)) end`
}

/** The edit that is under way, or has failed. Null without one. */
export const editOf = (delivery: 'post_targets' | 'delivery') => {
  const edit = sql.ref(`${delivery}.edit`)
  return sql<DeliveryEdit | undefined>`case when ${edit} is not null then json_build_object(
    'state', ${edit} -> 'state',
    'text', case when ${edit} ? 'content' then coalesce(${edit} #>> '{content,captionOverride}', posts.caption) end,
    'fields', nullif(${edit} #> '{content,fields}', 'null'),
    'error', nullif(${edit} -> 'error', 'null')) end`
}

/** Numbers of parts, which are null for files that belong to no part, and the ids of the files in order. */
type OwnFiles = [part: number | null, id: string][]

/** A row of `targetColumns`. */
export interface TargetRow extends AccountReadiness {
  accountId: string
  platform: PlatformId
  username: string
  captionOverride: string | null
  fields: PostTarget['fields']
  threadParts: string[] | null
  /** Null if the account gets the files of the post. */
  ownFiles: OwnFiles | null
  ownScheduledAt: string | null
  state: DeliveryState
  attempts: number
  nextAttemptAt: string | null
  publishedAt: string | null
  latenessMs: number | null
  sent: SentAct[]
  error: DeliveryError | null
  cost: DeliveryCost | null
  edit: DeliveryEdit | null
  goneAt: string | null
  ownMediaFit: MediaFit | null
  ownPadColor: string | null
  captionSuffix: string | null
}

/**
 * The accounts of a row of `posts`, with the delivery to each, as rows: for Postgres, they take a third of the time of
 * a JSON array. `content` may leave out values that may be long.
 */
export const targetColumns = (content = (value: RawBuilder<unknown>) => value) =>
  Object.entries<RawBuilder<unknown>>({
    accountId: sql.ref('post_targets.account_id'),
    platform: sql.ref('post_targets.platform'),
    username: sql.ref('accounts.username'),
    captionOverride: content(sql.ref('post_targets.caption_override')),
    fields: content(sql.ref('post_targets.fields')),
    threadParts: content(sql.ref('post_targets.thread_parts')),
    ownFiles: sql`case when post_targets.own_media then (
      select coalesce(json_agg(json_build_array(part, media_id) order by post_media.position), '[]') from post_media
      where post_media.user_id = post_targets.user_id and post_media.post_id = post_targets.post_id
        and post_media.account_id = post_targets.account_id) end`,
    ownScheduledAt: isoTime('post_targets.own_scheduled_at'),
    state: sql.ref('post_targets.state'),
    attempts: sql.ref('post_targets.attempts'),
    nextAttemptAt: nextAttemptOf('post_targets'),
    publishedAt: isoTime('post_targets.published_at'),
    latenessMs: sql`case when post_targets.published_at is not null
      then greatest(0, round(extract(epoch from
        post_targets.published_at - greatest(${scheduledTime('post_targets')}, posts.created_at)) * 1000))::bigint end`,
    sent: content(sql.ref('post_targets.sent')),
    error: sql.ref('post_targets.error'),
    cost: costOf('post_targets'),
    edit: content(editOf('post_targets')),
    goneAt: isoTime('post_targets.gone_at'),
    ownMediaFit: sql.ref('post_targets.media_fit'),
    ownPadColor: sql.ref('post_targets.pad_color'),
    captionSuffix: sql.ref('post_targets.caption_suffix'),
    attention: readiness.attention,
    credentials: readiness.credentials,
    credentialsExpireAt: readiness.credentialsExpireAt,
  }).map(([name, value]) => value.as(name))

/** An act as `post_targets.sent` has it. One that failed, and was left out, has an error. */
interface SentAct {
  id: string | null
  url: string | null
  removedAt?: string
  error?: unknown
}

const toPublishedActs = (sent: readonly SentAct[]): PublishedAct[] =>
  sent
    .filter((act) => !('error' in act))
    .map(({ id, url, removedAt }) => ({
      externalId: id,
      externalUrl: url,
      ...(removedAt !== undefined && { removedAt }),
    }))

/** The files of a target: those of all, or those of each part of its thread. */
function filesOf({ ownFiles, threadParts }: TargetRow): Pick<PostTarget, 'mediaIds' | 'threadMedia'> {
  if (!ownFiles) return { mediaIds: null }
  if (ownFiles.every(([part]) => part === null)) return { mediaIds: ownFiles.map(([, id]) => id) }
  // Postgres would expect 1,000 parts of `generate_series`.
  const threadMedia: string[][] = Array.from({ length: Math.max(1, threadParts?.length ?? 0) }, () => [])
  for (const [part, id] of ownFiles) threadMedia[part! - 1]?.push(id)
  return { mediaIds: null, threadMedia }
}

/** Null as absent: JSON leaves undefined out, which no type of the API has. */
export const orAbsent = <T>(value: T | null): T => (value ?? undefined) as T

/** An account of a post as the API shows it, with its delivery. The order of properties decides the ETag. */
export function toTarget<D extends object>(row: TargetRow, more: D) {
  const { sent } = row
  const { mediaIds, threadMedia } = filesOf(row)
  return {
    accountId: row.accountId,
    platform: row.platform,
    username: row.username,
    captionOverride: row.captionOverride,
    fields: row.fields,
    threadParts: row.threadParts,
    mediaIds,
    threadMedia: threadMedia!,
    scheduledAt: row.ownScheduledAt,
    delivery: {
      state: row.state,
      attempts: row.attempts,
      nextAttemptAt: row.nextAttemptAt,
      publishedAt: row.publishedAt,
      latenessMs: row.latenessMs,
      externalId: sent[0]?.id ?? null,
      externalUrl: sent[0]?.url ?? null,
      acts: toPublishedActs(sent),
      error: row.error,
      cost: orAbsent(row.cost),
      edit: orAbsent(row.edit),
      goneAt: orAbsent(row.goneAt),
      ...more,
    },
  }
}
