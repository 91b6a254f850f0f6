import { sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { DeliveryCounts, ListedFile, ListedTarget } from '../../../schemas/find.ts'
import type { MediaKind } from '../../../schemas/media.ts'
import { PAGE } from '../../../schemas/shared.ts'
import { prepared } from '../../prepared.ts'
import { type AccountReadiness, readiness } from '../accounts.ts'
import { deliveryProperties, selectDeliveries } from '../posts/detail.ts'

interface PostsOfPage {
  userId: string
  ids: string[]
}

/** The number of deliveries in each state, of each of these posts. */
export const countStates = prepared<PostsOfPage, { id: string; states: DeliveryCounts }>(
  'count_states',
  (_db, value) => sql`
    select post_id as id, json_object_agg(state, count) as states
    from (
      select post_id, state, count(*) as count from post_targets
      where user_id = ${value('userId')}::uuid and post_id = any(${value('ids')}::uuid[])
      group by 1, 2) as counted
    group by post_id`,
)

export type FoundTarget = ListedTarget & { readiness: AccountReadiness }

/**
 * The accounts of these posts, with their deliveries, in the order of the ids. They end at `PAGE.bytesMax`: the fields
 * of one account may have a megabyte. One post is read after the other, because their length is known once they are
 * read. Null for a post that does not exist.
 */
export const readDeliveries = prepared<{ userIds: string[]; ids: string[] }, { targets: FoundTarget[] | null }>(
  'read_deliveries',
  (db, value) => sql`
    with recursive page(number, bytes, targets) as (
      select 0, 0, null::json
      union all
      select number + 1, bytes + coalesce(pg_column_size(next.targets), 0), next.targets
      from page
      left join lateral (${db
        .selectFrom('posts')
        .select((eb) =>
          selectDeliveries(eb, (eb) => ({
            delivery: jsonBuildObject(deliveryProperties(eb)),
            readiness: jsonBuildObject(readiness),
          })).as('targets'),
        )
        .where('posts.userId', '=', sql<string>`(${value('userIds')}::uuid[])[number + 1]`)
        .where('posts.id', '=', sql<string>`(${value('ids')}::uuid[])[number + 1]`)}) as next on true
      where number < cardinality(${value('ids')}::uuid[]) and bytes < ${sql.lit(PAGE.bytesMax)}
    )
    select targets from page where number > 0 order by number`,
)

type StoredFile = Omit<ListedFile, 'url' | 'previewUrl'> & { storageKey: string | null }

/** The files with these ids. A type that is neither image nor video is not among them, as the API does not show it. */
export const readListedFiles = prepared<{ userId: string; ids: string[] }, StoredFile>(
  'read_listed_files',
  (db, value) =>
    db
      .selectFrom('media')
      .select((eb) => [
        'id',
        eb.ref('kind').$castTo<MediaKind>().as('kind'),
        ...(['mimeType', 'bytes', 'width', 'height', 'durationSeconds', 'altText', 'fileName', 'storageKey'] as const),
      ])
      .where('userId', '=', value('userId'))
      .where('id', '=', sql<string>`any(${value('ids')}::uuid[])`)
      .where('kind', 'is not', null),
)

/** The alternative texts that posts have in place of those of their files, by the ids of the files. */
export const readAltTexts = prepared<PostsOfPage, { id: string; altTexts: Record<string, string> }>(
  'read_alt_texts',
  (_db, value) => sql`
    select id, alt_texts from posts
    where user_id = ${value('userId')}::uuid and id = any(${value('ids')}::uuid[]) and alt_texts is not null`,
)
