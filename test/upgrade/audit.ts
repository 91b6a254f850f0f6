import type pg from 'pg'

/** As many rows as a statement changes in a moment: a worker's statement that waits for longer than 5 s fails. */
const POSTPONED_MAX = 5_000

/** Puts off the seeded deliveries that are still due, except for those that a worker has locked: it publishes them. */
export async function postponeSeeded(client: pg.Client): Promise<void> {
  let postponed: number | null
  do {
    const { rowCount } = await client.query(
      `update post_targets set claimable_at = now() + interval '1000 hours', due_at = now() + interval '1000 hours'
      where ctid = any(array(
        select post_targets.ctid from post_targets
        join posts on posts.user_id = post_targets.user_id and posts.id = post_targets.post_id
        where state = 'queued' and claimable_at <= now() and caption like 'Seeded %'
        limit $1
        for update of post_targets skip locked))`,
      [POSTPONED_MAX],
    )
    postponed = rowCount
  } while (postponed)
}

const count = async (client: pg.Client, query: string): Promise<number> =>
  (await client.query(`select count(*)::integer as count ${query}`)).rows[0].count

export const countPublished = (client: pg.Client) => count(client, `from sandbox_calls where accepted`)

export const countDue = (client: pg.Client) => count(client, `from post_targets where claimable_at <= now()`)

/** Posts of clients that are not published yet. */
export const countUnpublished = (client: pg.Client) =>
  count(
    client,
    `from post_targets join posts on posts.user_id = post_targets.user_id and id = post_id
     where state in ('queued', 'publishing') and caption like 'Created-%'`,
  )

/** Lists lost or doubled rows, as sentences. The list is empty if everything is as the clients were told. */
export async function audit(client: pg.Client, created: string[], seeded: number): Promise<string[]> {
  const breaches: string[] = []
  const check = async (breach: string, query: string, values: unknown[] = []) => {
    const { rows } = await client.query(query, values)
    if (rows[0].count > 0) breaches.push(`${rows[0].count} ${breach}`)
  }
  await check(
    'acknowledged posts are lost',
    `select count(*)::integer from unnest($1::text[]) as acknowledged(caption)
     where not exists (select from posts where posts.caption = acknowledged.caption)`,
    [created],
  )
  await check(
    'posts were created twice',
    `select count(*)::integer from (select from posts group by caption having count(*) > 1) as doubled`,
  )
  await check(
    'seeded posts are lost',
    `select ($1 - count(*))::integer as count from posts join post_targets on id = post_id where caption like 'Seeded %'`,
    [seeded],
  )
  await check(
    'posts were published twice',
    // A token belongs to one act of one delivery.
    `select count(*)::integer from (
      select from sandbox_calls where accepted group by token having count(*) > 1) as doubled`,
  )
  await check(
    'deliveries are published, and the sandbox has no post of them',
    `select count(*)::integer from post_targets left join sandbox_calls on sandbox_calls.id::text = sent -> 0 ->> 'id'
     where published_at is not null and sandbox_calls.id is null`,
  )
  await check(
    'posts are on the sandbox, and no delivery knows them',
    `select count(*)::integer from sandbox_calls left join post_targets on sandbox_calls.id::text = sent -> 0 ->> 'id'
     where accepted and post_id is null`,
  )
  await check(
    'deliveries failed, are unconfirmed or missed',
    `select count(*)::integer from post_targets where state in ('failed', 'unconfirmed', 'missed')`,
  )
  await check(
    'deliveries have no worker and are never due',
    `select count(*)::integer from post_targets
     where state = 'publishing' or (state = 'queued' and claimable_at is null)`,
  )
  return breaches
}
