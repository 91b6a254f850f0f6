import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { DeliveryState, PublishedAct } from '../../schemas/delivery.ts'
import type { MediaFacts } from '../../schemas/media.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import type { Post, PostDetail, PostStatus } from '../../schemas/post.ts'
import { PAGE } from '../../schemas/shared.ts'
import { batched, each, type WithOrdinal } from '../batch.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import type { DB } from '../types.ts'
import { reachableBy } from './accounts.ts'
import { isoTime } from './iso-time.ts'
import type { Page } from './page.ts'

/** A post as the interface shows it. */
const shownPost = (eb: ExpressionBuilder<DB, 'posts'>) =>
  [
    'id',
    'userId',
    'caption',
    'firstComment',
    eb.ref('postType').$castTo<PostType>().as('postType'),
    eb.ref('status').$castTo<PostStatus>().as('status'),
    isoTime<string | null>('scheduledAt').as('scheduledAt'),
    isoTime('createdAt').as('createdAt'),
    isoTime('updatedAt').as('updatedAt'),
  ] as const

/**
 * The user's posts, newest first: ids are UUIDv7, so the primary key holds them in that order. The limit that is known
 * beforehand shows Postgres that a page is small, whatever it will be asked for: else it plans the statement anew for each
 * page, which costs a third of the page.
 */
const newestOf = (db: Db, userId: string) =>
  db
    .selectFrom('posts')
    .select(shownPost)
    .where('userId', '=', userId)
    .orderBy('id', 'desc')
    .limit(sql.lit(PAGE.limitMax))

const listPostsAfter = prepared<Omit<Page, 'offset'>, Post>('list_posts', (db, value) =>
  db
    .selectFrom(newestOf(db, value('userId')).where('id', '<', value('cursor')).as('page'))
    .selectAll()
    .orderBy('id', 'desc')
    .limit(value('limit')),
)

/** What is skipped is counted in the primary key alone; `offset` of the whole would read each of those rows. */
const listPostsFrom = prepared<Page, Post>('list_posts_from', (db, value) =>
  db
    .selectFrom(
      newestOf(db, value('userId'))
        .where('id', '<=', (eb) =>
          eb
            .selectFrom('posts')
            .select('id')
            .where('userId', '=', value('userId'))
            .where('id', '<', value('cursor'))
            .orderBy('id', 'desc')
            .offset(value('offset'))
            .limit(1),
        )
        .as('page'),
    )
    .selectAll()
    .orderBy('id', 'desc')
    .limit(value('limit')),
)

/** A page of the user's posts that come after `cursor`, newest first. Without an offset, each costs the same. */
export const listPosts = (db: Db, page: Page): Promise<Post[]> =>
  page.offset === 0 ? listPostsAfter(db, page) : listPostsFrom(db, page)

export interface PostSubjects {
  accounts: { id: string; platform: PlatformId; username: string; textLengthMax: number | null }[]
  media: MediaFacts[]
}

const list = (item: Expression<unknown>, order?: Expression<unknown>) =>
  sql`coalesce(json_agg(${item}${order ? sql` order by ${order}` : sql``}), '[]')`.as('list')

/** Of the accounts and media asked for, those that the user may use, in one round trip. Ids have to be UUIDs. */
export const readPostSubjects = prepared<{ userId: string; accountIds: string[]; mediaIds: string[] }, PostSubjects>(
  'read_post_subjects',
  (db, value) =>
    db
      .selectNoFrom((eb) => [
        eb
          .selectFrom('accounts')
          .select((eb) =>
            list(
              jsonBuildObject({
                id: eb.ref('id'),
                platform: eb.ref('platform'),
                username: eb.ref('username'),
                textLengthMax: eb.ref('textLengthMax'),
              }),
            ),
          )
          .where('id', '=', sql<string>`any(${value('accountIds')}::uuid[])`)
          .where(reachableBy(value('userId')))
          .as('accounts'),
        eb
          .selectFrom('media')
          .select((eb) =>
            list(
              jsonBuildObject({
                id: eb.ref('id'),
                mimeType: eb.ref('mimeType'),
                bytes: eb.ref('bytes'),
                width: eb.ref('width'),
                height: eb.ref('height'),
                durationSeconds: eb.ref('durationSeconds'),
                fps: eb.ref('fps'),
                frames: eb.ref('frames'),
              }),
            ),
          )
          .where('userId', '=', value('userId'))
          .where('id', '=', sql<string>`any(${value('mediaIds')}::uuid[])`)
          .as('media'),
      ])
      .$castTo<PostSubjects>(),
)

/** A post with everything that hangs on it. The five target lists have one entry for each account, in one order. */
export interface NewPost {
  id: string
  userId: string
  caption: string
  firstComment: string | null
  postType: PostType
  status: PostStatus
  scheduledAt: Date | null
  /** The state in which its deliveries begin. */
  deliveryState: DeliveryState
  accountIds: string[]
  /** By which the post was judged. */
  textLengthMaxes: (number | null)[]
  captionOverrides: (string | null)[]
  /** JSON text. */
  fields: (string | null)[]
  /** JSON text. */
  threadParts: (string | null)[]
  /** In order; may hold the same id twice. */
  mediaIds: string[]
}

/** Null for a draft. Whoever asks for the past gets the present. */
const dueAt = (eb: ExpressionBuilder<DB, 'posts'>) =>
  eb
    .case()
    .when('scheduledAt', 'is not', null)
    .then(eb.fn<Date>('greatest', ['scheduledAt', 'createdAt']))
    .end()

/** Posts, each with what hangs on it: of which post an account or a file is, its ordinal says, from 1. */
interface NewPosts {
  ids: string[]
  userIds: string[]
  captions: string[]
  firstComments: (string | null)[]
  postTypes: PostType[]
  statuses: PostStatus[]
  scheduledAts: (Date | null)[]
  deliveryStates: DeliveryState[]
  accountCounts: number[]
  postsOfAccounts: number[]
  accountIds: string[]
  textLengthMaxes: (number | null)[]
  captionOverrides: (string | null)[]
  fields: (string | null)[]
  threadParts: (string | null)[]
  postsOfMedia: number[]
  positions: number[]
  mediaIds: string[]
}

type TargetList = 'accountIds' | 'textLengthMaxes' | 'captionOverrides' | 'fields' | 'threadParts'

interface NewPostRow extends WithOrdinal, Omit<NewPost, TargetList> {
  accountCount: number
}

/** Gives the ordinals of those that were written. */
const insertPosts = prepared<NewPosts, WithOrdinal>('insert_posts', (db, value) =>
  db
    .with('item', (db) =>
      db
        .selectFrom(
          sql<NewPostRow>`
            unnest(${value('ids')}::uuid[], ${value('userIds')}::uuid[], ${value('captions')}::text[],
              ${value('firstComments')}::text[], ${value('postTypes')}::text[], ${value('statuses')}::text[],
              ${value('scheduledAts')}::timestamptz[], ${value('deliveryStates')}::text[],
              ${value('accountCounts')}::integer[]) with ordinality`.as<'given'>(
            sql`given(id, user_id, caption, first_comment, post_type, status, scheduled_at, delivery_state, account_count,
              ordinal)`,
          ),
        )
        .selectAll(),
    )
    .with('target', (db) =>
      db
        .selectFrom(
          sql<{
            ordinal: number
            accountId: string
            textLengthMax: number | null
            captionOverride: string | null
            fields: string | null
            threadParts: string | null
          }>`
            unnest(${value('postsOfAccounts')}::integer[], ${value('accountIds')}::uuid[],
              ${value('textLengthMaxes')}::integer[], ${value('captionOverrides')}::text[],
              ${value('fields')}::jsonb[], ${value('threadParts')}::jsonb[])`.as<'wanted'>(
            sql`wanted(ordinal, account_id, text_length_max, caption_override, fields, thread_parts)`,
          ),
        )
        .innerJoin('item', 'item.ordinal', 'wanted.ordinal')
        .innerJoin('accounts', 'accounts.id', 'wanted.accountId')
        .where(reachableBy(sql.ref<string>('item.userId')))
        .whereRef('accounts.textLengthMax', 'is not distinct from', 'wanted.textLengthMax')
        .select([
          'item.id as postId',
          'item.deliveryState',
          'wanted.accountId',
          'accounts.platform',
          'wanted.captionOverride',
          'wanted.fields',
          'wanted.threadParts',
        ]),
    )
    .with('post', (db) =>
      db
        .insertInto('posts')
        .columns(['id', 'userId', 'caption', 'firstComment', 'postType', 'status', 'scheduledAt'])
        .expression((eb) =>
          eb
            .selectFrom('item')
            .innerJoin(
              eb
                .selectFrom('target')
                .select((eb) => ['target.postId', eb.fn.countAll<number>().as('count')])
                .groupBy('target.postId')
                .as('reached'),
              'reached.postId',
              'item.id',
            )
            .whereRef('reached.count', '=', 'item.accountCount')
            .select(['id', 'userId', 'caption', 'firstComment', 'postType', 'status', 'scheduledAt']),
        )
        .returning((eb) => ['userId', 'id', dueAt(eb).as('dueAt')]),
    )
    .with('targets', (db) =>
      db
        .insertInto('postTargets')
        .columns([
          'userId',
          'postId',
          'accountId',
          'platform',
          'captionOverride',
          'fields',
          'threadParts',
          'state',
          'dueAt',
          'claimableAt',
        ])
        .expression((eb) =>
          eb
            .selectFrom('post')
            .innerJoin('target', 'target.postId', 'post.id')
            .select([
              'post.userId',
              'post.id',
              'target.accountId',
              'target.platform',
              'target.captionOverride',
              'target.fields',
              'target.threadParts',
              'target.deliveryState as state',
              'post.dueAt',
              'post.dueAt as claimableAt',
            ]),
        ),
    )
    .with('attachments', (db) =>
      db
        .insertInto('postMedia')
        .columns(['userId', 'postId', 'position', 'mediaId'])
        .expression((eb) =>
          eb
            .selectFrom(
              sql<{ ordinal: number; position: number; mediaId: string }>`
                unnest(${value('postsOfMedia')}::integer[], ${value('positions')}::integer[],
                  ${value('mediaIds')}::uuid[])`.as<'file'>(sql`file(ordinal, position, media_id)`),
            )
            .innerJoin('item', 'item.ordinal', 'file.ordinal')
            .innerJoin('post', 'post.id', 'item.id')
            .select(['post.userId', 'post.id', 'file.position', 'file.mediaId']),
        ),
    )
    .selectFrom('post')
    .innerJoin('item', 'item.id', 'post.id')
    .select('item.ordinal'),
)

function insertAll(db: Db, posts: NewPost[]): Promise<WithOrdinal[]> {
  const ordinals = (lengthOf: (post: NewPost) => number) =>
    posts.flatMap((post, index) => Array<number>(lengthOf(post)).fill(index + 1))
  return insertPosts(db, {
    ids: each(posts, 'id'),
    userIds: each(posts, 'userId'),
    captions: each(posts, 'caption'),
    firstComments: each(posts, 'firstComment'),
    postTypes: each(posts, 'postType'),
    statuses: each(posts, 'status'),
    scheduledAts: each(posts, 'scheduledAt'),
    deliveryStates: each(posts, 'deliveryState'),
    accountCounts: posts.map(({ accountIds }) => accountIds.length),
    postsOfAccounts: ordinals(({ accountIds }) => accountIds.length),
    accountIds: each(posts, 'accountIds').flat(),
    textLengthMaxes: each(posts, 'textLengthMaxes').flat(),
    captionOverrides: each(posts, 'captionOverrides').flat(),
    fields: each(posts, 'fields').flat(),
    threadParts: each(posts, 'threadParts').flat(),
    postsOfMedia: ordinals(({ mediaIds }) => mediaIds.length),
    positions: posts.flatMap(({ mediaIds }) => mediaIds.map((_, index) => index + 1)),
    mediaIds: each(posts, 'mediaIds').flat(),
  })
}

const insertBatched = batched(insertAll)

/** Up to these a post goes together with others, for whom a large one would take long. Texts in UTF-16 units, all of them. */
const SMALL = { accounts: 32, texts: 32_768 }

function isSmall({ accountIds, caption, captionOverrides, fields, threadParts }: NewPost): boolean {
  const texts = [caption, ...captionOverrides, ...fields, ...threadParts]
  return accountIds.length <= SMALL.accounts && texts.reduce((sum, text) => sum + (text?.length ?? 0), 0) <= SMALL.texts
}

/**
 * Writes the whole post in one statement: there is no moment at which a part of it exists. Gives false, and writes
 * nothing, where the user does not reach all of its accounts as they were when it was judged. Posts that come at the same
 * time share a statement, and with it the commit, which takes the database longer than the rows do.
 */
export async function insertPost(db: Db, post: NewPost): Promise<boolean> {
  const written = isSmall(post) ? await insertBatched(db, post) : (await insertAll(db, [post]))[0]
  return written !== undefined
}

/** A post with its files, its accounts, and what became of it on each. */
export const findPost = prepared<{ userId: string; id: string }, PostDetail>('find_post', (db, value) =>
  db
    .selectFrom('posts')
    .select((eb) => [
      ...shownPost(eb),
      eb
        .selectFrom('postMedia')
        .select(sql<string[]>`coalesce(json_agg(media_id order by position), '[]')`.as('ids'))
        .whereRef('postMedia.userId', '=', 'posts.userId')
        .whereRef('postMedia.postId', '=', 'posts.id')
        .as('mediaIds'),
      eb
        .selectFrom('postTargets')
        .innerJoin('accounts', 'accounts.id', 'postTargets.accountId')
        .select((eb) =>
          list(
            jsonBuildObject({
              accountId: eb.ref('postTargets.accountId'),
              platform: eb.ref('postTargets.platform'),
              username: eb.ref('accounts.username'),
              captionOverride: eb.ref('captionOverride'),
              fields: eb.ref('fields'),
              threadParts: eb.ref('threadParts'),
              delivery: shownDelivery(eb),
            }),
            sql`post_targets.account_id`,
          ),
        )
        .whereRef('postTargets.userId', '=', 'posts.userId')
        .whereRef('postTargets.postId', '=', 'posts.id')
        .as('targets'),
    ])
    .where('userId', '=', value('userId'))
    .where('id', '=', value('id'))
    .$castTo<PostDetail>(),
)

/** An account that rests is left alone until then; one that is only busy with another delivery may be free at any moment. */
const nextAttempt = sql`case when exists (
    select from post_targets as busy
    where busy.platform = accounts.platform and not busy.parked and busy.claimable_at = accounts.available_at
      and busy.account_id = accounts.id and busy.state = 'publishing')
  then post_targets.claimable_at
  else greatest(post_targets.claimable_at, accounts.available_at,
    (select until from limit_rests where key = accounts.limit_key),
    (select until from limit_rests where key = accounts.platform)) end`

/** A delivery as the interface shows it. */
const shownDelivery = (eb: ExpressionBuilder<DB, 'posts' | 'postTargets' | 'accounts'>) =>
  jsonBuildObject({
    state: eb.ref('postTargets.state'),
    attempts: eb.ref('postTargets.attempts'),
    nextAttemptAt: sql<string | null>`case when post_targets.state = 'queued' then ${isoTime(nextAttempt)} end`,
    publishedAt: isoTime<string | null>('postTargets.publishedAt'),
    latenessMs: sql<number | null>`case when post_targets.published_at is not null
      then greatest(0, round(extract(epoch from
        post_targets.published_at - greatest(posts.scheduled_at, posts.created_at)) * 1000))::bigint end`,
    externalId: sql<string | null>`post_targets.sent -> 0 ->> 'id'`,
    externalUrl: sql<string | null>`post_targets.sent -> 0 ->> 'url'`,
    acts: sql<PublishedAct[]>`(select coalesce(json_agg(json_build_object(
      'externalId', act ->> 'id', 'externalUrl', act ->> 'url') order by ordinal), '[]')
      from jsonb_array_elements(post_targets.sent) with ordinality as acts(act, ordinal))`,
    error: eb.ref('postTargets.error'),
    history: eb
      .selectFrom('deliveryAttempts as attempt')
      .select((eb) =>
        list(
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

/**
 * Deletes the user's post with all that hangs on it, unless it is published or is being sent. Gives the status it had, or
 * nothing where the user has no such post. Its deliveries are locked first, as whoever claims one locks it, and then the
 * post, so that what is decided is what is done.
 */
export const deleteUnpublishedPost = prepared<{ userId: string; id: string }, { status: PostStatus; busy: boolean }>(
  'delete_unpublished_post',
  (db, value) =>
    db
      .with('deliveries', (db) =>
        db
          .selectFrom('postTargets')
          .select('state')
          .where('userId', '=', value('userId'))
          .where('postId', '=', value('id'))
          .orderBy('accountId')
          .forUpdate(),
      )
      .with('found', (db) =>
        db
          .selectFrom('posts')
          .select((eb) => [
            'userId',
            'id',
            eb.ref('status').$castTo<PostStatus>().as('status'),
            sql<boolean>`(select coalesce(bool_or(state = 'publishing'), false) from deliveries)`.as('busy'),
          ])
          .where('userId', '=', value('userId'))
          .where('id', '=', value('id'))
          // The deliveries are read, and so locked, before the post is.
          .where(sql<SqlBool>`(select count(*) from deliveries) >= 0`)
          .forUpdate(),
      )
      .with('deleted', (db) =>
        db
          .deleteFrom('posts')
          .using('found')
          .whereRef('posts.userId', '=', 'found.userId')
          .whereRef('posts.id', '=', 'found.id')
          .where('found.status', '!=', 'published')
          .where('found.busy', '=', false),
      )
      .selectFrom('found')
      .select(['status', 'busy']),
)
