import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../client.ts'
import { scheduledTime } from '../posts/targets.ts'
import { hasTimes, isPostWanted } from './conditions.ts'
import {
  hasDeliveryConditions,
  isItsPlace,
  isOfList,
  isPublishedThen,
  isScheduled,
  type PostSource,
  type PostWalk,
  walkPosts,
  wantedDeliveries,
} from './sources.ts'
import { DIRECTIONS, type Order } from './walk.ts'

/** The number of posts that are read for one request. */
export const COUNTED_POSTS_MAX = 10_000

/** A limit makes Postgres look up the deliveries of each post, where it would otherwise read all of them. */
const DELIVERIES_MAX = 1_000

type CountedBy = 'status' | 'state' | 'account' | 'day'

/** Posts are counted, or their deliveries. */
const GROUPS: Record<CountedBy, { value(timeZone: string): RawBuilder<unknown>; counts: 'posts' | 'deliveries' }> = {
  status: { value: () => sql`post.status`, counts: 'posts' },
  state: { value: () => sql`delivery.state`, counts: 'deliveries' },
  account: { value: () => sql`delivery.account_id`, counts: 'deliveries' },
  day: { value: (timeZone) => sql`to_char(post.placed_at at time zone ${timeZone}, 'YYYY-MM-DD')`, counts: 'posts' },
}

export interface CountRow {
  value: string
  count: number
  /** How many posts were looked at. */
  posts: number
}

/**
 * Counts what meets the conditions, among the first posts of a walk. The statement has no name: each of its many forms
 * is rare, and Postgres plans it for its values.
 */
export async function countFound(
  db: Db,
  { by, timeZone, source, order }: { by: CountedBy; timeZone: string; source: PostSource; order: Order },
  values: PostWalk,
): Promise<CountRow[]> {
  const { value, counts } = GROUPS[by]
  const isByDeliveries = hasDeliveryConditions(source, values)
  const isByDay = by === 'day'
  const hasTimesToCheck = source !== 'scheduled' && hasTimes(values) && !isByDeliveries && counts === 'posts'
  const hasOwnTimes = source === 'scheduled' && (isByDay || hasTimes(values))
  const deliveries = sql`
    ${wantedDeliveries(values)}
      and ${isByDay ? sql`${scheduledTime('delivery', 'post')} = post.placed_at` : sql`true`}`
  const { rows } = await sql<CountRow>`
    with walked as materialized (${walkPosts({ source, order, isOrdered: false, hasOwnTimes }, values, COUNTED_POSTS_MAX + 1)}),
    counted as (
      select ${value(timeZone)} as value, ${isByDay ? sql`count(distinct post.id)` : sql`count(*)`} as count
      from (select * from walked limit ${sql.lit(COUNTED_POSTS_MAX)}) as post
      ${counts === 'deliveries' ? sql`cross join lateral (${deliveries} limit ${sql.lit(DELIVERIES_MAX)}) as delivery` : sql``}
      where ${isPostWanted(values)} and ${isOfList(source, values)}
        ${counts === 'posts' && isByDeliveries ? sql`and (select true from (${deliveries} limit 1) as delivery) is not null` : sql``}
        ${hasTimesToCheck ? sql`and ${isScheduled(values)}` : sql``}
        ${isByDay && !isByDeliveries ? sql`and ${isPublishedThen(values)}` : sql``}
        ${hasOwnTimes && !isByDay ? sql`and ${isItsPlace(values, DIRECTIONS[order])}` : sql``}
      group by 1
    )
    select counted.value::text, counted.count, looked_at.posts
    from (select count(*) as posts from walked) as looked_at left join counted on true
    order by counted.value`.execute(db)
  return rows
}
