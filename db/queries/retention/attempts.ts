import { sql } from 'kysely'
import { ENDED_STATES } from '../../../schemas/delivery-states.ts'
import { each } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { NO_ID } from '../../id.ts'
import { prepared } from '../../prepared.ts'
import { isOneOf } from '../one-of.ts'
import type { OldRange } from './range.ts'

interface AttemptKey {
  userId: string
  postId: string
  accountId: string
  number: number
}

/**
 * The next attempts of these users, in the order of their keys, after `after` of the first user, at posts created
 * before `beforeId`. `isOld` tells which ended before `before` at deliveries that are over. An open delivery keeps its
 * attempts.
 */
export async function findOldAttempts(
  db: Db,
  values: Omit<AttemptKey, 'userId'> & Omit<OldRange, 'after'>,
): Promise<(AttemptKey & { isOld: boolean })[]> {
  const { rows } = await sql<AttemptKey & { isOld: boolean }>`
    select page.user_id, page.post_id, page.account_id, page.number,
      greatest(page.started_at, page.intended_at, page.finished_at) < ${values.before}::timestamptz and exists (
        select from post_targets as delivery
        where delivery.user_id = page.user_id and delivery.post_id = page.post_id
          and delivery.account_id = page.account_id
          and ${isOneOf('delivery.state', ENDED_STATES)}) as is_old
    from (
      select found.*
      from unnest(${values.userIds}::uuid[]) with ordinality as person(id, ordinal), lateral (
        select * from delivery_attempts
        where user_id = person.id and post_id < ${values.beforeId}::uuid
          and (post_id, account_id, number) > (
            case when ordinal = 1 then ${values.postId}::uuid else ${sql.lit(NO_ID)}::uuid end,
            ${values.accountId}::uuid, ${values.number}::integer)
        order by post_id, account_id, number limit ${values.limit}) as found
      order by ordinal, found.post_id, found.account_id, found.number limit ${values.limit}) as page
    order by page.user_id, page.post_id, page.account_id, page.number`.execute(db)
  return rows
}

const deleteAll = prepared<
  { userIds: string[]; postIds: string[]; accountIds: string[]; numbers: number[] },
  { number: number }
>(
  'delete_attempts',
  (_db, value) => sql`
    delete from delivery_attempts as attempt
    using unnest(${value('userIds')}::uuid[], ${value('postIds')}::uuid[], ${value('accountIds')}::uuid[],
      ${value('numbers')}::integer[]) as item(user_id, post_id, account_id, number)
    where attempt.user_id = item.user_id and attempt.post_id = item.post_id and attempt.account_id = item.account_id
      and attempt.number = item.number
    returning attempt.number`,
)

/** Returns how many it deleted. */
export async function deleteAttempts(db: Db, attempts: AttemptKey[]): Promise<number> {
  const deleted = await deleteAll(db, {
    userIds: each(attempts, 'userId'),
    postIds: each(attempts, 'postId'),
    accountIds: each(attempts, 'accountId'),
    numbers: each(attempts, 'number'),
  })
  return deleted.length
}
