import { sql } from 'kysely'
import type { DeliveryState } from '../../schemas/delivery.ts'
import type { PostType } from '../../schemas/platform.ts'
import type { PostStatus } from '../../schemas/post.ts'
import { batched, each, type WithOrdinal } from '../batch.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
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

const reachable = reachableBy(sql.ref<string>('item.user_id'))

/** Returns the ordinals of the posts that were written. */
const insertPosts = prepared<NewPosts, WithOrdinal>(
  'insert_posts',
  (_db, value) => sql`
    with item as (
      select *
      from unnest(${value('ids')}::uuid[], ${value('userIds')}::uuid[], ${value('captions')}::text[],
          ${value('firstComments')}::text[], ${value('postTypes')}::text[], ${value('statuses')}::text[],
          ${value('scheduledAts')}::timestamptz[], ${value('deliveryStates')}::text[],
          ${value('accountCounts')}::integer[])
        with ordinality as item(
          id, user_id, caption, first_comment, post_type, status, scheduled_at, delivery_state, account_count, ordinal)
    ),
    -- The targets that the user may use, and whose text limit is the one that was checked.
    target as (
      select item.id as post_id, item.delivery_state, wanted.account_id, accounts.platform, wanted.caption_override,
        wanted.fields, wanted.thread_parts
      from unnest(${value('postsOfAccounts')}::integer[], ${value('accountIds')}::uuid[],
          ${value('textLengthMaxes')}::integer[], ${value('captionOverrides')}::text[], ${value('fields')}::jsonb[],
          ${value('threadParts')}::jsonb[])
        as wanted(ordinal, account_id, text_length_max, caption_override, fields, thread_parts)
      join item on item.ordinal = wanted.ordinal
      join accounts on accounts.id = wanted.account_id
      where ${reachable} and accounts.text_length_max is not distinct from wanted.text_length_max
    ),
    -- Only posts with all of their targets.
    post as (
      insert into posts (id, user_id, caption, first_comment, post_type, status, scheduled_at)
      select id, user_id, caption, first_comment, post_type, status, scheduled_at
      from item
      join (select post_id, count(*) as count from target group by post_id) as reachable on reachable.post_id = item.id
      where reachable.count = item.account_count
      -- A draft is never due. A schedule in the past is due at the creation.
      returning user_id, id, case when scheduled_at is not null then greatest(scheduled_at, created_at) end as due_at
    ),
    inserted_targets as (
      insert into post_targets
        (user_id, post_id, account_id, platform, caption_override, fields, thread_parts, state, due_at, claimable_at)
      select post.user_id, post.id, target.account_id, target.platform, target.caption_override, target.fields,
        target.thread_parts, target.delivery_state, post.due_at, post.due_at
      from post
      join target on target.post_id = post.id
    ),
    inserted_media as (
      insert into post_media (user_id, post_id, position, media_id)
      select post.user_id, post.id, file.position, file.media_id
      from unnest(${value('postsOfMedia')}::integer[], ${value('positions')}::integer[], ${value('mediaIds')}::uuid[])
        as file(ordinal, position, media_id)
      join item on item.ordinal = file.ordinal
      join post on post.id = item.id
    )
    select item.ordinal
    from post
    join item on item.id = post.id`,
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
