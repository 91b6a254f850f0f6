import { type Selectable, sql } from 'kysely'
import type { ListedPost } from '../../../schemas/find.ts'
import type { Db } from '../../client.ts'
import type { Posts } from '../../types.ts'
import { dropAbsent, listedColumns } from '../posts/columns.ts'
import { hasTimes, isPostWanted } from './conditions.ts'
import { formsOf } from './forms.ts'
import { isMarked, isShared } from './organization.ts'
import {
  hasDeliveryConditions,
  isByTime,
  isItsPlace,
  isOfList,
  isScheduled,
  orderOf,
  type PostSource,
  type PostWalk,
  walkPosts,
  wantedDeliveries,
} from './sources.ts'
import { DIRECTIONS, exactTime, isGiven, type Order, WINDOW, WINDOW_WITH_LOOKUP } from './walk.ts'

interface PageValues extends PostWalk {
  limit: number
}

export interface FoundPost extends ListedPost {
  isWanted: boolean
  /** The last row that this page may look at. */
  isLast: boolean
  /** The value that the list is sorted by, for a cursor. */
  sortedBy: string | null
}

type Row = Selectable<Posts> & { isWanted: boolean; isLast: boolean; sortedBy: string | null }

/** A form of the statement: the index that it reads, and the conditions that it has. */
interface PostQuery {
  source: PostSource
  order: Order
}

/**
 * The statement has only the conditions that are given. `coalesce` hides their statistics: with them, Postgres would
 * expect a plan for these values to be cheaper, and plan each time, which takes longer than the rest.
 */
function selectPage(db: Db, query: PostQuery, values: PageValues) {
  const { source, order } = query
  const isByDeliveries = hasDeliveryConditions(source, values)
  // Every row of a walk by these times meets the conditions on them.
  const hasOwnTimes = source === 'scheduled' && hasTimes(values)
  const hasTimesToCheck = source !== 'scheduled' && hasTimes(values) && !isByDeliveries
  const hasLookups =
    isByDeliveries ||
    hasTimesToCheck ||
    source === 'account' ||
    (isShared(values) && !isMarked(values)) ||
    isGiven(values.listedAccountIds) ||
    isGiven(values.words)
  const window = hasLookups ? WINDOW_WITH_LOOKUP : WINDOW
  // Qualified, because a column of the API has the same name. The source has this order already, and naming it three
  // times lets Postgres know, so that it stops when the page is full.
  const orderBy = orderOf(source, 'posts', order)
  const hasDelivery = sql`(select true from (${wantedDeliveries(values)} limit 1) as delivery) is not null`
  const walked = sql<Row>`(
    select *, ${isByTime(source) ? exactTime('placed_at') : sql`null`} as sorted_by, rank = ${sql.lit(window)} as is_last,
      coalesce(
        ${isPostWanted(values)}
          and ${hasTimesToCheck ? isScheduled(values) : sql`true`}
          and ${hasOwnTimes ? isItsPlace(values, DIRECTIONS[order]) : sql`true`}
          and ${isByDeliveries ? hasDelivery : sql`true`}
          and ${isOfList(source, values)}, false) as is_wanted
    from (
      select *, row_number() over (order by ${orderBy}) as rank
      from (${walkPosts({ source, order, isOrdered: true, hasOwnTimes }, values, window)}) as posts
    ) as post)`
  return db
    .selectFrom(walked.as('posts'))
    .select((eb) => [...listedColumns(eb), 'isWanted', 'isLast', 'sortedBy'])
    .where(sql<boolean>`is_wanted or is_last`)
    .orderBy(orderBy)
    .limit(values.limit)
    .$castTo<FoundPost>()
}

const runPage = formsOf('find_posts', selectPage)

/**
 * The next posts of a walk that meet the conditions, at most `limit`. If the walk looks at its last row before the page
 * is full, that row is returned too, wanted or not.
 */
export const findPosts = async (db: Db, query: PostQuery, values: PageValues): Promise<FoundPost[]> =>
  dropAbsent(await runPage(db, query, values))
