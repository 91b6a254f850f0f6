import { sql } from 'kysely'
import type { DeliveryCost } from '../../../schemas/cost.ts'
import type { DeliveryEdit, DeliveryError, DeliveryState } from '../../../schemas/delivery.ts'
import { EXCERPT_MAX } from '../../../schemas/find.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import type { DeliveryRow } from '../delivery/delivery.ts'
import { isoTime } from '../iso-time.ts'
import { costOf, editOf, nextAttemptOf, orAbsent, scheduledTime } from '../posts/targets.ts'
import { hasTimes, isDeliveryWanted, isListed } from './conditions.ts'
import {
  type DeliverySource,
  type DeliveryWalk,
  isOfList,
  isScheduled,
  SORTED_BY,
  walkDeliveries,
} from './delivery-sources.ts'
import { formsOf } from './forms.ts'
import { isShared } from './organization.ts'
import { exactTime, isGiven, WINDOW, WINDOW_WITH_LOOKUP } from './walk.ts'

interface PageValues extends DeliveryWalk {
  limit: number
}

export interface FoundDeliveryRow {
  userId: string
  postId: string
  accountId: string
  platform: PlatformId
  username: string
  captionExcerpt: string
  state: DeliveryState
  scheduledAt: string | null
  attempts: number
  nextAttemptAt: string | null
  publishedAt: string | null
  changedAt: string | null
  cost?: DeliveryCost
  edit?: DeliveryEdit
  goneAt?: string
  externalId: string | null
  externalUrl: string | null
  error: DeliveryError | null
  isWanted: boolean
  /** Whether the caller may see its post. Absent from lists of the user's own posts. */
  isVisible?: boolean
  /** The last row that this page may look at. */
  isLast: boolean
  /** `changedAt` or `scheduledAt` to the microsecond, for a cursor; null in other orders. */
  sortedBy: string | null
}

type Row = DeliveryRow & { isWanted: boolean; isVisible?: boolean; isLast: boolean; rank: number }

/** The source along which the statement walks. */
interface DeliveryQuery {
  source: DeliverySource
}

/** As for posts: only with the conditions that are given, and without their statistics. */
function selectPage(db: Db, { source }: DeliveryQuery, values: PageValues) {
  const sortedBy = SORTED_BY[source]
  const hasHidden = isShared(values) || isGiven(values.listedAccountIds)
  const hasLookups = hasTimes(values) || source === 'changed' || hasHidden
  const window = hasLookups ? WINDOW_WITH_LOOKUP : WINDOW
  const isVisible = sql`coalesce(${isOfList(source, values)}
    and ${isListed(values, { userId: sql`delivery.user_id`, id: sql`delivery.post_id` })}, false)`
  const walked = sql<Row>`(
    select *, rank = ${sql.lit(window)} as is_last,
      coalesce(
        ${isDeliveryWanted(values)}${hasTimes(values) ? sql` and ${isScheduled(source, values)}` : sql``}
          and ${hasHidden ? isVisible : sql`true`}, false
      ) as is_wanted${hasHidden ? sql`, case when rank = ${sql.lit(window)} then ${isVisible} else true end as is_visible` : sql``}
    from (
      select *, row_number() over () as rank
      from (${walkDeliveries(source, values, window)}) as walked) as delivery)`
  // The page is complete before posts and accounts are joined to its rows.
  const page = db
    .selectFrom(walked.as('postTargets'))
    .selectAll()
    .where(sql<boolean>`is_wanted or is_last`)
    .limit(values.limit)
  return db
    .selectFrom(page.as('delivery'))
    .innerJoin('posts', (join) =>
      join.onRef('posts.userId', '=', 'delivery.userId').onRef('posts.id', '=', 'delivery.postId'),
    )
    .innerJoin('accounts', 'accounts.id', 'delivery.accountId')
    .select([
      'delivery.userId',
      'delivery.postId',
      'delivery.accountId',
      'delivery.platform',
      'accounts.username',
      sql<string>`left(coalesce(delivery.caption_override, posts.caption), ${sql.lit(EXCERPT_MAX)})`.as(
        'captionExcerpt',
      ),
      'delivery.state',
      isoTime<string | null>(scheduledTime('delivery')).as('scheduledAt'),
      'delivery.attempts',
      nextAttemptOf('delivery').as('nextAttemptAt'),
      isoTime<string | null>('delivery.publishedAt').as('publishedAt'),
      isoTime<string | null>('delivery.changedAt').as('changedAt'),
      sql<string | null>`delivery.sent -> 0 ->> 'id'`.as('externalId'),
      sql<string | null>`delivery.sent -> 0 ->> 'url'`.as('externalUrl'),
      'delivery.error',
      costOf('delivery').as('cost'),
      editOf('delivery').as('edit'),
      isoTime<string | null>('delivery.goneAt').as('goneAt'),
      'delivery.isWanted',
      ...(hasHidden ? (['delivery.isVisible'] as const) : []),
      'delivery.isLast',
      (sortedBy ? exactTime(sortedBy) : sql<string | null>`null`).$castTo<string | null>().as('sortedBy'),
    ])
    .orderBy('delivery.rank')
    .$castTo<FoundDeliveryRow>()
}

const runPage = formsOf('find_deliveries', selectPage)

/**
 * The next deliveries of a walk that meet the conditions, at most `limit`. If the walk looks at its last row before the
 * page is full, that row is returned too, wanted or not.
 */
export async function findDeliveries(db: Db, source: DeliverySource, values: PageValues): Promise<FoundDeliveryRow[]> {
  const rows = await runPage(db, { source }, values)
  return rows.map((row) => ({
    ...row,
    cost: orAbsent(row.cost as DeliveryCost | null),
    edit: orAbsent(row.edit as DeliveryEdit | null),
    goneAt: orAbsent(row.goneAt as string | null),
  }))
}
