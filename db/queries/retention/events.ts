import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'

/** Deletes the next events after `after` that were numbered before `beforeId`. Returns their ids in order. */
export const deleteOldEvents = prepared<{ after: string; beforeId: string; limit: number }, { id: string }>(
  'delete_old_events',
  (_db, value) => sql`
    with old as (
      select id from events
      where id > ${value('after')}::uuid and id < ${value('beforeId')}::uuid
      order by id limit ${value('limit')}
      for update skip locked
    ),
    deleted as (delete from events using old where events.id = old.id returning old.id)
    select id from deleted order by id`,
)

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
