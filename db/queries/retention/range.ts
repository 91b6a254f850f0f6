import { sql } from 'kysely'
import { NO_ID } from '../../id.ts'
import { prepared } from '../../prepared.ts'

/**
 * Rows of these users, created before `beforeId`, after the row `after` of the first user, at most `limit`. Statements
 * with such a range have no name, so that Postgres plans them with these values: a generic plan might read and sort all
 * rows of a user instead of a page.
 */
export interface OldRange {
  userIds: string[]
  after: string
  beforeId: string
  before: Date
  limit: number
}

/** The columns of the rows in the range, in the order of their keys, with user_id and id. */
export const rowsInRange = (
  table: string,
  columns: string[],
  { userIds, after, beforeId, limit }: Omit<OldRange, 'before'>,
) => sql`(
  select found.*
  from unnest(${userIds}::uuid[]) with ordinality as person(id, ordinal), lateral (
    select ${sql.join(['user_id', 'id', ...columns].map((column) => sql.ref(column)))} from ${sql.table(table)}
    where user_id = person.id and id < ${beforeId}::uuid
      and id > case when ordinal = 1 then ${after}::uuid else ${sql.lit(NO_ID)}::uuid end
    order by id limit ${limit}) as found
  order by ordinal, found.id limit ${limit})`

/**
 * A statement that deletes the next rows of `table` after `after` whose ids, which are UUIDv7, are below `beforeId`. It
 * returns their ids in order.
 */
export const deletionByTime = (name: string, table: string) =>
  prepared<{ after: string; beforeId: string; limit: number }, { id: string }>(
    name,
    (_db, value) => sql`
      with old as (
        select id from ${sql.table(table)}
        where id > ${value('after')}::uuid and id < ${value('beforeId')}::uuid
        order by id limit ${value('limit')}
        for update skip locked
      ),
      deleted as (delete from ${sql.table(table)} as expired using old where expired.id = old.id returning old.id)
      select id from deleted order by id`,
  )
