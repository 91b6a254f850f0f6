import type { Db } from '../../../db/client.ts'
import { COUNTED_POSTS_MAX, type CountRow, countFound } from '../../../db/queries/find/counts.ts'
import { hasSqlstate, SQLSTATE } from '../../../db/sqlstate.ts'
import type { CountPostsQuery } from '../../../schemas/find.ts'
import { invalidRequest } from '../../base/errors.ts'
import { type Caller, chooseSource, defaultSort, rangeOf, readConditions, resolveConditions } from './filters.ts'
import { isTimeZone, unknownZoneMessage } from './time-zone.ts'

/**
 * Counts the posts of the user, or of an organisation, or their deliveries, in groups. Throws 400 for an unknown time
 * zone.
 */
export async function countOwnPosts(db: Db, caller: Caller, query: CountPostsQuery) {
  const { by, timeZone = 'UTC' } = query
  if (!isTimeZone(timeZone)) throw invalidRequest([unknownZone(timeZone)])
  const conditions = readConditions(caller, query)
  const sort = by === 'day' ? 'scheduledAt' : defaultSort(query)
  const source = chooseSource(sort, conditions)
  const rows = await countFound(
    db,
    { by, timeZone, source, order: 'desc' },
    {
      ...(await resolveConditions(db, conditions)),
      ...rangeOf(sort, 'desc', conditions, undefined),
    },
  ).catch((error): CountRow[] => {
    // Postgres and Node have their own lists of time zones.
    if (hasSqlstate(error, SQLSTATE.INVALID_PARAMETER_VALUE)) throw invalidRequest([unknownZone(timeZone)])
    throw error
  })
  return {
    data: rows.filter(({ value }) => value !== null).map(({ value, count }) => ({ value, count })),
    capped: rows[0]!.posts > COUNTED_POSTS_MAX,
  }
}

const unknownZone = (name: string) => ({
  code: 'custom' as const,
  path: ['timeZone'],
  message: unknownZoneMessage(name),
})
