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
 * Writes that a post is settled, if it is: it was open until the transaction removed some of its deliveries. The
 * trigger of deliveries writes it where one of them ends.
 */
export async function writePostSettled(db: Db, { userId, id }: { userId: string; id: string }): Promise<void> {
  await sql`
    insert into event_outbox (user_id, type, post_id, account_ids, data)
    select posts.user_id, 'post.settled', posts.id, settled.account_ids, settled.data
    from posts cross join lateral settled_post(posts.user_id, posts.id) as settled
    where posts.user_id = ${userId} and posts.id = ${id} and posts.status = 'scheduled'`.execute(db)
}
