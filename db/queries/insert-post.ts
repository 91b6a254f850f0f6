import { type ExpressionBuilder, sql } from 'kysely'
import type { DeliveryState } from '../../schemas/delivery.ts'
import type { PostType } from '../../schemas/platform.ts'
import type { PostStatus } from '../../schemas/post.ts'
import { batched, each, type WithOrdinal } from '../batch.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import type { DB } from '../types.ts'
import { reachableBy } from './accounts.ts'

/** A post with its targets and attachments. The five lists of its targets have one entry for each account, in the same order. */
export interface NewPost {
  id: string
  userId: string
  caption: string
  firstComment: string | null
  postType: PostType
  status: PostStatus
  scheduledAt: Date | null
  /** The first state of its deliveries. */
  deliveryState: DeliveryState
  accountIds: string[]
  /** The text limits that the post was checked against. */
  textLengthMaxes: (number | null)[]
  captionOverrides: (string | null)[]
  /** JSON text. */
  fields: (string | null)[]
  /** JSON text. */
  threadParts: (string | null)[]
  /** In order. An id may occur twice. */
  mediaIds: string[]
}

/** Null for a draft. A schedule in the past is due at its creation. */
const dueAt = (eb: ExpressionBuilder<DB, 'posts'>) =>
  eb
    .case()
    .when('scheduledAt', 'is not', null)
    .then(eb.fn<Date>('greatest', ['scheduledAt', 'createdAt']))
    .end()

/** Several posts as columns. `postsOfAccounts` and `postsOfMedia` have the ordinal of the post, counted from 1. */
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

/** Returns the ordinals of the posts that were written: those whose user may use all of their accounts. */
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

/** A larger post gets a statement of its own, because it would delay the others of a batch. */
const BATCHED_ACCOUNTS_MAX = 32
/** Of all texts together, in UTF-16 units. */
const BATCHED_LENGTH_MAX = 32_768

function isSmall({ accountIds, caption, captionOverrides, fields, threadParts }: NewPost): boolean {
  const texts = [caption, ...captionOverrides, ...fields, ...threadParts]
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  return accountIds.length <= BATCHED_ACCOUNTS_MAX && length <= BATCHED_LENGTH_MAX
}

/**
 * Writes a post in one statement. Returns false, and writes nothing, if the user may not use one of its accounts, or if
 * the text limit of an account is another than the post was checked against. Concurrent posts share a statement and its
 * commit, which takes longer than writing the rows.
 */
export async function insertPost(db: Db, post: NewPost): Promise<boolean> {
  const written = isSmall(post) ? await insertBatched(db, post) : (await insertAll(db, [post]))[0]
  return written !== undefined
}
