import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { deletionByTime } from './range.ts'

/** Goes by the ids of events, which tell when they got their position. */
export const deleteOldEvents = deletionByTime('delete_old_events', 'events')

/** Deletes events of a user, numbered or not. Returns how many. */
export async function deleteEventsOf(db: Db, { userId, limit }: { userId: string; limit: number }): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with waiting as (
      delete from event_outbox
      where seq in (select seq from event_outbox where user_id = ${userId} order by seq limit ${limit})
      returning seq
    ),
    numbered as (
      delete from events
      where user_id = ${userId} and position in (
        select position from events where user_id = ${userId} order by position limit ${limit})
      returning position
    )
    select (select count(*) from waiting) + (select count(*) from numbered) as count`.execute(db)
  return rows[0]!.count
}
