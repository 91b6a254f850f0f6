import { sql } from 'kysely'
import { type ListedMedia, POST_IDS_MAX } from '../../schemas/media.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { WINDOW_WITH_LOOKUP } from './find/walk.ts'
import { hasWords, postIds, shownMedia } from './media.ts'
import { isPostOf } from './roles.ts'

interface SharedPage {
  organizationId: string
  cursor: string
  limit: number
  /** An empty list finds every file. */
  words: readonly string[]
}

interface FoundFiles {
  /** Their owners and their ids, newest first. */
  userIds: string[]
  ids: string[]
  /** The oldest file that was looked at; null if there was none. */
  lastId: string | null
  hasMore: boolean
}

/** Looks at a bounded number of files, because few of a member's files may be in posts of the organisation. */
const findSharedFiles = prepared<SharedPage, FoundFiles>(
  'find_shared_files',
  (_db, value) => sql`
    with seen as materialized (
      select walk.user_id, walk.id
      from memberships
      cross join lateral (
        select media.user_id, media.id from media
        where media.user_id = memberships.user_id and media.id < ${value('cursor')}::uuid and media.kind is not null
        order by media.id desc
        limit ${sql.lit(WINDOW_WITH_LOOKUP)}) as walk
      where memberships.organization_id = ${value('organizationId')}::uuid
      order by walk.id desc
      limit ${sql.lit(WINDOW_WITH_LOOKUP)}
    ),
    wanted as (
      select user_id, id from (select user_id, id from seen order by id desc offset 0) as file
      where (
        select true from post_media
        where post_media.user_id = file.user_id and post_media.media_id = file.id
          and ${isPostOf(sql`${value('organizationId')}`, { userId: sql`post_media.user_id`, id: sql`post_media.post_id` })}
        limit 1) is not null
        and (cardinality(${value('words')}::text[]) = 0 or exists (
          select from media
          where media.user_id = file.user_id and media.id = file.id and ${hasWords(value('words'))}))
      limit ${value('limit')}::integer
    )
    select array(select user_id from wanted order by id desc) as user_ids,
      array(select id from wanted order by id desc) as ids,
      (select id from seen order by id limit 1) as last_id,
      (select count(*) from seen) = ${sql.lit(WINDOW_WITH_LOOKUP)} as has_more`,
)

const readFiles = prepared<{ organizationId: string; userIds: string[]; ids: string[] }, ListedMedia>(
  'read_shared_files',
  (db, value) =>
    db
      .selectFrom('media')
      .select(shownMedia)
      .select(
        postIds(
          POST_IDS_MAX.listed,
          isPostOf(sql`${value('organizationId')}`, { userId: sql`used.user_id`, id: sql`used.post_id` }),
        ),
      )
      .where(
        sql<boolean>`(user_id, id) in (select * from unnest(${value('userIds')}::uuid[], ${value('ids')}::uuid[]))`,
      )
      .where('kind', 'is not', null)
      .orderBy('id', 'desc'),
)

/** A page of the files in posts of an organisation, of all its members, and the place at which it ended. */
export async function listSharedMedia(
  db: Db,
  page: SharedPage,
): Promise<{ data: ListedMedia[]; last: { id: string; isSeen: boolean } | null }> {
  const [found] = await findSharedFiles(db, page)
  const { userIds, ids, lastId, hasMore } = found!
  const data = ids.length > 0 ? await readFiles(db, { organizationId: page.organizationId, userIds, ids }) : []
  if (ids.length === page.limit) return { data, last: { id: ids.at(-1)!, isSeen: true } }
  return { data, last: hasMore ? { id: lastId!, isSeen: false } : null }
}
