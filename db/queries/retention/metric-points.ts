import { sql } from 'kysely'
import type { Db } from '../../client.ts'

/** Deletes the daily numbers of before `before`, at most `limit`. Returns how many. */
export async function deleteOldMetricPoints(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from delivery_metric_points
    where ctid = any(array(
      select ctid from delivery_metric_points
      where day < (${before}::timestamptz at time zone 'UTC')::date
      order by day limit ${limit}
      for update skip locked))`.execute(db)
  return Number(numAffectedRows)
}
