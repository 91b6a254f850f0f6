import { sql } from 'kysely'
import { prepared } from '../../prepared.ts'

/** Deletes the next calls after `after` that were received before `beforeId`. Returns their ids in order. */
export const deleteOldSandboxCalls = prepared<{ after: string; beforeId: string; limit: number }, { id: string }>(
  'delete_old_sandbox_calls',
  (_db, value) => sql`
    with old as (
      select id from sandbox_calls
      where id > ${value('after')}::uuid and id < ${value('beforeId')}::uuid
      order by id limit ${value('limit')}
      for update skip locked
    ),
    deleted as (delete from sandbox_calls using old where sandbox_calls.id = old.id returning old.id)
    select id from deleted order by id`,
)
