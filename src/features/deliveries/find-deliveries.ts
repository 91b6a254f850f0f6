import type { Db } from '../../../db/client.ts'
import { NO_ID } from '../../../db/id.ts'
import { type FoundDeliveryRow, findDeliveries } from '../../../db/queries/find/deliveries.ts'
import type { DeliveryConditions, DeliveryPlace, DeliverySource } from '../../../db/queries/find/delivery-sources.ts'
import type { ListDeliveriesQuery } from '../../../schemas/find.ts'
import { CURSOR_OF_FIRST_PAGE } from '../../../schemas/shared.ts'
import { hideId, readCursor, writeCursor } from '../../base/http/cursor.ts'
import { type Caller, isTroubled, readDeliveryConditions, readTime, resolveConditions } from '../posts/filters.ts'

/**
 * One page of the deliveries of the posts of the user, or of an organisation. Throws 400 for the cursor of another
 * query.
 */
export async function listOwnDeliveries(db: Db, caller: Caller, query: ListDeliveriesQuery) {
  const { cursor, limit } = query
  const conditions = readDeliveryConditions(caller, query)
  const changedAfter = readTime(query.changedAfter)
  const { userId: _, ...identity } = { ...conditions, changedAfter }
  const source = chooseSource(conditions, changedAfter)
  const place = cursor === undefined ? undefined : readCursor(identity, cursor, 2)
  const found = await findDeliveries(db, source, {
    ...(await resolveConditions(db, conditions)),
    ...(place
      ? { afterTime: place.time ?? '-infinity', afterPostId: place.ids[0]!, afterAccountId: place.ids[1]! }
      : startOf(source, conditions, changedAfter)),
    limit,
  })
  const last = found.at(-1)
  const hasNext = last !== undefined && (found.length === limit || last.isLast)
  const nextCursor = hasNext ? writeCursor(identity, { time: last.sortedBy, ids: placeOf(last, source) }) : null
  return { data: found.filter(({ isWanted }) => isWanted), limit, nextCursor }
}

/** The ids of a delivery; of one that the caller must not see, a place after all deliveries of its post. */
function placeOf({ postId, accountId, isVisible = true }: FoundDeliveryRow, source: DeliverySource): string[] {
  if (isVisible) return [postId, accountId]
  const hidden = hideId(postId, source === 'changed' ? 'asc' : 'desc')
  return [hidden, hidden]
}

/** The index that serves most of the conditions. It decides the order. */
function chooseSource(conditions: DeliveryConditions, changedAfter: Date | null): DeliverySource {
  if (changedAfter) return 'changed'
  if (conditions.scheduledFrom || conditions.scheduledBefore) return 'scheduled'
  if (isTroubled(conditions)) return 'troubled'
  return conditions.accountId === null ? 'all' : 'account'
}

function startOf(
  source: DeliverySource,
  { scheduledBefore }: DeliveryConditions,
  changedAfter: Date | null,
): DeliveryPlace {
  // No post has the smallest id: the first one is due before the time.
  if (source === 'scheduled') {
    return { afterTime: scheduledBefore?.toISOString() ?? 'infinity', afterPostId: NO_ID, afterAccountId: NO_ID }
  }
  const afterTime = changedAfter?.toISOString() ?? '-infinity'
  return { afterTime, afterPostId: CURSOR_OF_FIRST_PAGE, afterAccountId: CURSOR_OF_FIRST_PAGE }
}
