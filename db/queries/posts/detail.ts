import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { DeliveryAttempt } from '../../../schemas/delivery.ts'
import type { LocalSchedule, PostDetail, PostTarget } from '../../../schemas/post.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import type { DB, Posts } from '../../types.ts'
import type { AccountReadiness } from '../accounts.ts'
import { isoTime } from '../iso-time.ts'
import { dropAbsent, headColumns, mediaIds } from './columns.ts'
import { type SentRendition, sentRenditions } from './sent-renditions.ts'
import { orAbsent, scheduledTime, type TargetRow, targetColumns, toTarget } from './targets.ts'

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

/** A post with facts about each account that its warnings need: whether it is ready, and the limit of its server. */
export interface PostWithReadiness extends PostDetail {
  targets: (PostTarget & TargetFacts)[]
  adjustments?: SentRendition[]
}

interface TargetFacts {
  readiness: AccountReadiness
  altTextLengthMax: number | null
  /** Whether its time is a slot that the queue has chosen. */
  isInSlot: boolean
}

/** A post and one of its accounts. A post without accounts has one row, with nulls. */
interface Row extends Omit<PostDetail, 'targets'>, Omit<TargetRow, 'accountId'>, Omit<TargetFacts, 'readiness'> {
  accountId: string | null
  localSchedule: LocalSchedule | null
  history: DeliveryAttempt[] | null
  hasRenditions: boolean
}

const history = sql`(
  select json_agg(json_build_object(
      'number', attempt.number, 'act', attempt.act, 'startedAt', ${isoTime('attempt.startedAt')},
      'intendedAt', ${isoTime('attempt.intendedAt')}, 'finishedAt', ${isoTime('attempt.finishedAt')},
      'outcome', attempt.outcome, 'error', attempt.error) order by attempt.number)
  from delivery_attempts as attempt
  where attempt.user_id = post_targets.user_id and attempt.post_id = post_targets.post_id
    and attempt.account_id = post_targets.account_id)`

const DETAIL_ORDER = sql`posts.id, post_targets.position, post_targets.account_id`

/** A value that only the first row of a post has: a post may have a megabyte, and 2,000 accounts. */
const once = <T>(value: RawBuilder<T>) =>
  sql<T>`case when row_number() over (partition by posts.id order by ${DETAIL_ORDER}) = 1 then ${value} end`

/** Posts with their files, their accounts and the delivery to each. `page` is a list of posts. */
const selectPosts = (db: Db, page: SelectQueryBuilder<DB, 'posts', Selectable<Posts>>) =>
  db
    .selectFrom(page.as('posts'))
    .leftJoin('postTargets', (join) =>
      join.onRef('postTargets.userId', '=', 'posts.userId').onRef('postTargets.postId', '=', 'posts.id'),
    )
    .leftJoin('accounts', 'accounts.id', 'postTargets.accountId')
    .leftJoin('accountCredentials', 'accountCredentials.accountId', 'accounts.id')
    .select(headColumns)
    .select([
      once(sql`posts.caption`).as('caption'),
      once(sql`posts.first_comment`).as('firstComment'),
      once(mediaIds).as('mediaIds'),
      'posts.links',
      once(sql`posts.comments`).as('comments'),
      'posts.poll',
      once(sql`posts.alt_texts`).as('altTexts'),
      'posts.mediaFit',
      'posts.padColor',
      ...targetColumns(),
      history.as('history'),
      'accounts.altTextLengthMax',
      sql`post_targets.slot_at is not distinct from ${scheduledTime('post_targets')} and slot_at is not null`.as(
        'isInSlot',
      ),
      sql`post_targets.renditions is not null`.as('hasRenditions'),
    ])
    .orderBy(DETAIL_ORDER)
    .$castTo<Row>()

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
async function addAdjustments(
  db: Db,
  posts: { id: string; userId: string; adjustments?: SentRendition[] }[],
  ids: Set<string>,
): Promise<void> {
  const rows = await readAdjustments(db, { userId: posts[0]!.userId, ids: [...ids] })
  for (const { id, adjustments } of rows) posts.find((post) => post.id === id)!.adjustments = orAbsent(adjustments)
}

/** Posts of one user as the API shows them. The order of properties decides the ETag. */
async function toPosts<T extends PostTarget>(db: Db, rows: Row[], toTarget: (row: Row & TargetRow) => T) {
  const posts: (Omit<PostDetail, 'targets'> & { targets: T[]; adjustments?: SentRendition[] })[] = []
  const adjustedIds = new Set<string>()
  for (const row of rows) {
    if (row.id !== posts.at(-1)?.id) posts.push(toPost(row))
    if (row.accountId !== null) posts.at(-1)!.targets.push(toTarget(row as Row & TargetRow))
    if (row.hasRenditions) adjustedIds.add(row.id)
  }
  if (adjustedIds.size > 0) await addAdjustments(db, posts, adjustedIds)
  return dropAbsent(posts)
}

const toPost = (row: Row) => ({
  id: row.id,
  userId: row.userId,
  postType: row.postType,
  status: row.status,
  scheduledAt: row.scheduledAt,
  localSchedule: row.localSchedule,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  externalReference: row.externalReference!,
  metadata: row.metadata!,
  caption: row.caption,
  firstComment: row.firstComment,
  mediaIds: row.mediaIds,
  links: row.links!,
  comments: row.comments!,
  poll: row.poll!,
  altTexts: row.altTexts!,
  mediaFit: row.mediaFit!,
  padColor: row.padColor!,
  adjustments: orAbsent<SentRendition[]>(null),
  targets: [],
})

const toDetailTarget = (row: Row & TargetRow) => ({
  ...toTarget(row, { history: row.history ?? [] }),
  mediaFit: orAbsent(row.ownMediaFit),
  padColor: orAbsent(row.ownPadColor),
  captionSuffix: orAbsent(row.captionSuffix),
})

const toTargetWithReadiness = (row: Row & TargetRow) => ({
  ...toDetailTarget(row),
  readiness: row as AccountReadiness,
  altTextLengthMax: row.altTextLengthMax,
  isInSlot: row.isInSlot,
})

const selectPost = prepared<{ userId: string; id: string }, Row>('find_post', (db, value) =>
  selectPosts(
    db,
    db.selectFrom('posts').selectAll().where('userId', '=', value('userId')).where('id', '=', value('id')),
  ),
)

export const findPost = async (db: Db, key: { userId: string; id: string }): Promise<PostDetail[]> =>
  toPosts(db, await selectPost(db, key), toDetailTarget)

export const findPostWithReadiness = async (
  db: Db,
  key: { userId: string; id: string },
): Promise<PostWithReadiness[]> => toPosts(db, await selectPost(db, key), toTargetWithReadiness)

interface PostDetailPage {
  userId: string
  after: string
}

const DETAILS_PER_PAGE = 25

const selectPostDetails = prepared<PostDetailPage, Row>('list_post_details', (db, value) =>
  selectPosts(
    db,
    db
      .selectFrom('posts')
      .selectAll()
      .where('userId', '=', value('userId'))
      .where('id', '>', value('after'))
      .orderBy('id')
      .limit(sql.lit(DETAILS_PER_PAGE)),
  ),
)

/** The next posts of a user after `after`, oldest first. */
export const listPostDetails = async (db: Db, page: PostDetailPage): Promise<PostDetail[]> =>
  toPosts(db, await selectPostDetails(db, page), toDetailTarget)
