import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { isoTime } from '../iso-time.ts'

/** The facts about a post in an event, beside its ids. `post` has its columns. */
export const postEvent = (post: string) => {
  const column = (name: string) => sql.ref(`${post}.${name}`)
  return sql`jsonb_strip_nulls(jsonb_build_object(
    'status', ${column('status')},
    'scheduledAt', ${isoTime(column('scheduled_at'))},
    'externalReference', ${column('external_reference')},
    'metadata', ${column('metadata')}))`
}

/** Writes that a post was changed. `changed` names the properties. The transaction has stored the changes. */
export const writePostUpdated = (db: Db, { userId, id }: { userId: string; id: string }, changed: readonly string[]) =>
  writePostsUpdated(db, { userId, ids: [id] }, changed)

export async function writePostsUpdated(
  db: Db,
  { userId, ids }: { userId: string; ids: readonly string[] },
  changed: readonly string[],
): Promise<void> {
  await sql`
    insert into event_outbox (user_id, type, post_id, account_ids, data)
    select user_id, 'post.updated', id,
      (select array_agg(account_id order by position, account_id) from post_targets
        where post_targets.user_id = posts.user_id and post_targets.post_id = posts.id),
      ${postEvent('posts')} || jsonb_build_object('changed', ${JSON.stringify(changed)}::jsonb)
    from posts
    where user_id = ${userId} and id = any(${ids}::uuid[])
    order by id`.execute(db)
}

/**
 * Writes that a post is settled, if it is: it was open until the transaction removed some of its deliveries. The trigger of
 * deliveries writes it where one of them ends.
 */
export async function writePostSettled(db: Db, { userId, id }: { userId: string; id: string }): Promise<void> {
  await sql`
    insert into event_outbox (user_id, type, post_id, account_ids, data)
    select user_id, 'post.settled', id, delivery.account_ids, jsonb_strip_nulls(jsonb_build_object(
      'externalReference', external_reference,
      'metadata', metadata,
      'scheduledAt', ${isoTime('scheduled_at')},
      'deliveries', delivery.counts))
    from posts
    cross join lateral (
      select jsonb_object_agg(outcome, count) as counts, array_agg(account_id order by position, account_id) as account_ids,
        bool_or(is_open) as is_open
      from (
        select account_id, position, state in ('waiting', 'queued', 'publishing') as is_open, outcome,
          count(*) over (partition by outcome) as count
        from post_targets
        cross join lateral (
          select case when error ->> 'code' = 'cancelled' then 'cancelled' else state end as outcome) as named
        where post_targets.user_id = posts.user_id and post_targets.post_id = posts.id
      ) as delivery
    ) as delivery
    where user_id = ${userId} and id = ${id} and status = 'scheduled' and not delivery.is_open`.execute(db)
}
