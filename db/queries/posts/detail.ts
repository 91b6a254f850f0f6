import { type Expression, type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { DeliveryCost } from '../../../schemas/cost.ts'
import type { DeliveryEdit, PublishedAct } from '../../../schemas/delivery.ts'
import type { MediaFit } from '../../../schemas/media.ts'
import type { PostDetail, PostTarget } from '../../../schemas/post.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import type { DB } from '../../types.ts'
import { type AccountReadiness, readiness } from '../accounts.ts'
import { isoTime } from '../iso-time.ts'
import { jsonList } from '../json-list.ts'
import { userNow } from '../user-now.ts'
import { dropAbsent, postColumns } from './columns.ts'
import { type SentRendition, sentRenditions } from './sent-renditions.ts'

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

/** When the next attempt of a delivery is due; null if none is planned. Its account has to be joined. */
export const nextAttemptOf = (delivery: 'post_targets' | 'delivery') =>
  sql<string | null>`case ${sql.ref(`${delivery}.state`)}
    when 'queued' then ${isoTime(nextAttempt(delivery))}
    when 'removing' then ${isoTime(nextRemoval(delivery))} end`

/** When a delivery is to be published: its own time, or else that of its post. Null for a draft. */
export const scheduledTime = (delivery: string, post = 'posts') =>
  sql<Date | null>`coalesce(${sql.ref(`${delivery}.own_scheduled_at`)}, ${sql.ref(`${post}.scheduled_at`)})`

/** The money of a delivery; null where no act has cost anything: see `dropAbsent`. */
export const costOf = (delivery: 'post_targets' | 'delivery') => {
  const spent = sql.ref(`${delivery}.spent_micros`)
  const reserved = sql.ref(`${delivery}.intent_micros`)
  return sql<DeliveryCost | undefined>`case when coalesce(${spent}, ${reserved}) is not null then json_build_object(
    'spentUsdMicros', coalesce(${spent}, 0), 'reservedUsdMicros', coalesce(${reserved}, 0)) end`
}

/** The edit that is under way, or has failed. `dropAbsentOfDeliveries` makes null, for no edit, absent. */
export const editOf = (delivery: 'post_targets' | 'delivery') => {
  const edit = sql.ref(`${delivery}.edit`)
  return sql<DeliveryEdit | undefined>`case when ${edit} is not null then json_build_object(
    'state', ${edit} -> 'state',
    'text', case when ${edit} ? 'content' then coalesce(${edit} #>> '{content,captionOverride}', posts.caption) end,
    'fields', nullif(${edit} #> '{content,fields}', 'null'),
    'error', nullif(${edit} -> 'error', 'null')) end`
}

type DeliveryBuilder = ExpressionBuilder<DB, 'posts' | 'postTargets' | 'accounts'>

/** A delivery as the API shows it in a list. */
export const deliveryProperties = (eb: DeliveryBuilder) => ({
  state: eb.ref('postTargets.state'),
  attempts: eb.ref('postTargets.attempts'),
  nextAttemptAt: nextAttemptOf('post_targets'),
  publishedAt: isoTime<string | null>('postTargets.publishedAt'),
  latenessMs: sql<number | null>`case when post_targets.published_at is not null
      then greatest(0, round(extract(epoch from
        post_targets.published_at - greatest(${scheduledTime('post_targets')}, posts.created_at)) * 1000))::bigint end`,
  externalId: sql<string | null>`post_targets.sent -> 0 ->> 'id'`,
  externalUrl: sql<string | null>`post_targets.sent -> 0 ->> 'url'`,
  // `dropAbsentOfDeliveries` makes them what the API shows.
  acts: sql<PublishedAct[]>`post_targets.sent`,
  error: eb.ref('postTargets.error'),
  cost: costOf('post_targets'),
  edit: editOf('post_targets'),
  goneAt: isoTime<string | null>('postTargets.goneAt').$castTo<string | undefined>(),
})

/** A delivery as the API shows it. */
const buildDelivery = (eb: DeliveryBuilder) =>
  jsonBuildObject({
    ...deliveryProperties(eb),
    history: eb
      .selectFrom('deliveryAttempts as attempt')
      .select((eb) =>
        jsonList(
          jsonBuildObject({
            number: eb.ref('attempt.number'),
            act: eb.ref('attempt.act'),
            startedAt: isoTime('attempt.startedAt'),
            intendedAt: isoTime<string | null>('attempt.intendedAt'),
            finishedAt: isoTime<string | null>('attempt.finishedAt'),
            outcome: eb.ref('attempt.outcome'),
            error: eb.ref('attempt.error'),
          }),
          sql`attempt.number`,
        ),
      )
      .whereRef('attempt.userId', '=', 'postTargets.userId')
      .whereRef('attempt.postId', '=', 'postTargets.postId')
      .whereRef('attempt.accountId', '=', 'postTargets.accountId'),
  })

/** The owner of a post, and the facts of its files in order; undefined if there is no such post. */
export async function findPostOwner(db: Db, id: string) {
  const { rows } = await sql<{ userId: string; userName: string; media: PostFile[] }>`
    select posts.user_id, users.name as user_name,
      (select coalesce(json_agg(json_build_object(
          'id', media.id, 'mimeType', media.mime_type, 'bytes', media.bytes, 'stored', media.storage_key is not null)
          order by position), '[]')
        from post_media join media on media.user_id = post_media.user_id and media.id = post_media.media_id
        where post_media.user_id = posts.user_id and post_media.post_id = posts.id) as media
    from posts join users on users.id = posts.user_id
    where posts.id = ${id}`.execute(db)
  return rows[0]
}

export interface PostFile {
  id: string
  mimeType: string
  bytes: number
  /** Whether the service has its content. */
  stored: boolean
}

/** That of `accountIds`. Posts of version 1.0 have no positions. */
const DELIVERY_ORDER = sql`post_targets.position, post_targets.account_id`

/** A post with facts about each account that its warnings need: whether it is ready, and the limit of its server. */
export interface PostWithReadiness extends PostDetail {
  targets: (PostTarget & {
    readiness: AccountReadiness
    altTextLengthMax: number | null
    /** Whether its time is a slot that the queue has chosen. */
    isInSlot: boolean
  })[]
  adjustments?: SentRendition[]
}

/** The ids of those files of a post, as a JSON array in their order. */
const selectMediaIds = (which: RawBuilder<boolean>) => sql<string[]>`(
  select coalesce(json_agg(media_id order by post_media.position), '[]') from post_media
  where post_media.user_id = posts.user_id and post_media.post_id = posts.id and ${which})`

const isOwnFile = sql<boolean>`post_media.user_id = post_targets.user_id and post_media.post_id = post_targets.post_id
  and post_media.account_id = post_targets.account_id`

/** Null if the files belong to parts of a thread. */
const ownMediaIds = sql<string[] | null>`(
  select coalesce(json_agg(media_id order by post_media.position), '[]') from post_media
  where ${isOwnFile} having count(part) = 0)`

/** The files of the parts of a thread in order, each with the number of its part. Null if no file has a part. */
const partFiles = sql`(
  select json_agg(json_build_array(part, media_id) order by post_media.position) from post_media
  where ${isOwnFile} having count(part) > 0)`

/** The accounts of a post as a JSON array, each with `more` of it and of its delivery. */
export const selectDeliveries = (
  eb: ExpressionBuilder<DB, 'posts'>,
  more: (eb: DeliveryBuilder) => Record<string, Expression<unknown>>,
) =>
  eb
    .selectFrom('postTargets')
    .innerJoin('accounts', 'accounts.id', 'postTargets.accountId')
    // Postgres leaves this join out if no column of it is selected.
    .leftJoin('accountCredentials', 'accountCredentials.accountId', 'accounts.id')
    .select((eb) =>
      jsonList(
        jsonBuildObject({
          accountId: eb.ref('postTargets.accountId'),
          platform: eb.ref('postTargets.platform'),
          username: eb.ref('accounts.username'),
          captionOverride: eb.ref('captionOverride'),
          fields: eb.ref('fields'),
          threadParts: eb.ref('threadParts'),
          mediaIds: eb.case().when('ownMedia', '=', true).then(ownMediaIds).end(),
          threadMedia: eb.case().when('ownMedia', '=', true).then(partFiles).end(),
          scheduledAt: isoTime<string | null>('postTargets.ownScheduledAt'),
          ...more(eb),
        }),
        DELIVERY_ORDER,
      ),
    )
    .whereRef('postTargets.userId', '=', 'posts.userId')
    .whereRef('postTargets.postId', '=', 'posts.id')

const optionsOf = (eb: DeliveryBuilder) => ({
  mediaFit: eb.ref('postTargets.mediaFit'),
  padColor: eb.ref('postTargets.padColor'),
  captionSuffix: eb.ref('postTargets.captionSuffix'),
})

/** Posts with their files, their accounts, the delivery to each, and `more` of each account. */
const selectPosts = (db: Db, more: Record<string, RawBuilder<unknown>> = {}) =>
  db.selectFrom('posts').select((eb) => [
    ...postColumns(eb),
    selectMediaIds(sql`post_media.account_id is null`).as('mediaIds'),
    eb.ref('altTexts').$castTo<Record<string, string> | null>().as('altTexts'),
    eb.ref('posts.mediaFit').$castTo<MediaFit | null>().as('mediaFit'),
    'posts.padColor',
    // Few posts have some: see `addAdjustments`.
    sql<SentRendition[] | null>`null::json`.as('adjustments'),
    selectDeliveries(eb, (eb) => ({
      delivery: buildDelivery(eb),
      ...optionsOf(eb),
      ...more,
      hasRenditions: sql<boolean>`post_targets.renditions is not null`,
    })).as('targets'),
  ])

type TargetRow = Pick<PostTarget, 'mediaFit' | 'padColor' | 'captionSuffix' | 'threadMedia' | 'threadParts'>

/** The files of each part. Postgres would expect 1,000 parts of `generate_series`. */
function filesOfParts({ threadParts }: TargetRow, files: [part: number, id: string][]): string[][] {
  const parts: string[][] = Array.from({ length: Math.max(1, threadParts?.length ?? 0) }, () => [])
  for (const [part, id] of files) parts[part - 1]?.push(id)
  return parts
}

/** Makes accounts what the API shows: absent in place of null, and files by their parts. Changes them. */
export function dropAbsentOfTargets(targets: TargetRow[]): void {
  for (const target of targets) {
    if (target.mediaFit === null) delete target.mediaFit
    if (target.padColor === null) delete target.padColor
    if (target.captionSuffix === null) delete target.captionSuffix
    const files = target.threadMedia as [part: number, id: string][] | null | undefined
    if (files) target.threadMedia = filesOfParts(target, files)
    else delete target.threadMedia
  }
}

interface DetailRow {
  id: string
  userId: string
  adjustments?: SentRendition[] | null
  targets: { hasRenditions?: boolean | undefined }[]
}

const readAdjustments = prepared<
  { userId: string; ids: string[] },
  { id: string; adjustments: SentRendition[] | null }
>('read_adjustments', (db, value) =>
  db
    .selectFrom('posts')
    .select(['id', sentRenditions.as('adjustments')])
    .where('userId', '=', value('userId'))
    .where('id', '=', sql<string>`any(${value('ids')}::uuid[])`),
)

/** Adds the renditions of posts that have some. In the statement of all posts, they would take a fifth of its time. */
async function addAdjustments(db: Db, posts: DetailRow[]): Promise<void> {
  const adjusted = new Map<string, DetailRow>()
  for (const post of posts) {
    for (const target of post.targets) {
      if (target.hasRenditions) adjusted.set(post.id, post)
      target.hasRenditions = undefined
    }
  }
  if (adjusted.size === 0) return
  const rows = await readAdjustments(db, { userId: posts[0]!.userId, ids: [...adjusted.keys()] })
  for (const { id, adjustments } of rows) adjusted.get(id)!.adjustments = adjustments
}

/** Makes posts of one user what the API shows: see `dropAbsent`. */
async function completePosts<T extends PostDetail>(db: Db, posts: T[]): Promise<T[]> {
  await addAdjustments(db, posts as unknown as DetailRow[])
  for (const { targets } of posts) dropAbsentOfTargets(targets)
  return dropAbsent(posts)
}

const selectPost = prepared<{ userId: string; id: string }, PostDetail>('find_post', (db, value) =>
  selectPosts(db).where('userId', '=', value('userId')).where('id', '=', value('id')).$castTo<PostDetail>(),
)

export const findPost = async (db: Db, key: { userId: string; id: string }): Promise<PostDetail[]> =>
  completePosts(db, await selectPost(db, key))

const selectPostWithReadiness = prepared<{ userId: string; id: string }, PostWithReadiness>(
  'find_post_with_readiness',
  (db, value) =>
    selectPosts(db, {
      readiness: jsonBuildObject(readiness),
      altTextLengthMax: sql`accounts.alt_text_length_max`,
      isInSlot: sql`post_targets.slot_at is not distinct from ${scheduledTime('post_targets')} and slot_at is not null`,
    })
      .where('userId', '=', value('userId'))
      .where('id', '=', value('id'))
      .$castTo<PostWithReadiness>(),
)

export const findPostWithReadiness = async (db: Db, key: { userId: string; id: string }) =>
  completePosts(db, await selectPostWithReadiness(db, key))

interface PostDetailPage {
  userId: string
  after: string
}

const DETAILS_PER_PAGE = 25

const selectPostDetails = prepared<PostDetailPage, PostDetail>('list_post_details', (db, value) =>
  selectPosts(db)
    .where('userId', '=', value('userId'))
    .where('id', '>', value('after'))
    .orderBy('id')
    .limit(sql.lit(DETAILS_PER_PAGE))
    .$castTo<PostDetail>(),
)

/** The next posts of a user after `after`, oldest first. */
export const listPostDetails = async (db: Db, page: PostDetailPage): Promise<PostDetail[]> =>
  completePosts(db, await selectPostDetails(db, page))
