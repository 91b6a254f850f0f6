import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'

const USERS = 200
const ACCOUNTS = 600
const POSTS = 20_000
/** The posts of the last days are not published yet. */
const PUBLISHED = 18_000

/** A UUIDv7 of the time of a post, or of another row with this number. */
const ID = `create function pg_temp.id(kind text, number integer) returns uuid language sql immutable as $$
  select (lpad(to_hex(1767225600000 + number * 129600::bigint), 12, '0') || '7000' || kind || lpad(to_hex(number), 15, '0'))::uuid
$$`

/** Half of the posts belong to one user in ten, as the posts of agencies do. */
const USER_OF_POST = `pg_temp.id('8', case when number % 2 = 0 then number % ${USERS / 10} else number % ${USERS} end)`
/** Each post has two of the three accounts of its user. */
const TARGETS = `
  select number, ${USER_OF_POST} as user_id, pg_temp.id('9', number) as post_id, place,
    pg_temp.id('a', (case when number % 2 = 0 then number % ${USERS / 10} else number % ${USERS} end)
      + ${USERS} * ((number + place) % 3)) as account_id,
    timestamptz '2026-01-01' + number * interval '129.6 s' as at, number <= ${PUBLISHED} as is_published
  from generate_series(1, ${POSTS}) as number cross join generate_series(0, 1) as place`

const NETWORK = `(array['x', 'bluesky', 'mastodon', 'instagram', 'linkedin', 'sandbox'])[1 + number % 6]`

const ROWS = [
  `insert into users (id, name) select pg_temp.id('8', number), 'user' from generate_series(0, ${USERS - 1}) as number`,
  `insert into organizations (id, name) select pg_temp.id('b', number), 'team' from generate_series(1, 20) as number`,
  `insert into memberships (user_id, organization_id, role)
    select pg_temp.id('8', number), pg_temp.id('b', 1 + number % 20), 'admin' from generate_series(0, 99) as number`,
  `insert into api_keys (id, user_id, hash, start)
    select pg_temp.id('c', number), pg_temp.id('8', number % ${USERS}), sha256(number::text::bytea), 'pr_'
    from generate_series(0, 399) as number`,
  `insert into accounts (id, platform, username, user_id, organization_id, external_id)
    select pg_temp.id('a', number), ${NETWORK}, 'account' || number, pg_temp.id('8', number % ${USERS}),
      case when number % ${USERS} < 100 and number % 2 = 0 then pg_temp.id('b', 1 + number % 20) end, number
    from generate_series(0, ${ACCOUNTS - 1}) as number`,
  `insert into account_credentials (account_id, key_id, data_key, data)
    select id, 'key', '\\x00', '\\x00' from accounts`,
  `insert into posts (user_id, id, caption, post_type, status, scheduled_at, created_at, updated_at, external_reference,
      organization_id)
    select ${USER_OF_POST}, pg_temp.id('9', number), repeat('a word ', 20), 'post',
      case when number <= ${PUBLISHED} then 'published' when number % 3 = 0 then 'draft' else 'scheduled' end,
      case when number <= ${PUBLISHED} or number % 3 > 0 then at end, at, at, case when number % 10 = 0 then number end,
      case when number % 7 = 0 then pg_temp.id('b', 1 + number % 20) end
    from generate_series(1, ${POSTS}) as number,
      lateral (select timestamptz '2026-01-01' + number * interval '129.6 s' as at) as time`,
  `insert into post_targets (user_id, post_id, account_id, platform, state, position, sent, attempts, due_at, claimable_at,
      published_at, changed_at, error, key_id, fields)
    select user_id, post_id, account_id, (select platform from accounts where id = account_id),
      case when number % 100 = 0 then 'failed' when is_published then 'published' when number % 3 = 0 then 'waiting'
        else 'queued' end,
      place + 1,
      case when is_published then jsonb_build_array(jsonb_build_object('id', number::text, 'url', 'https://example.com'))
        else '[]' end,
      case when is_published then 1 else 0 end, case when not is_published and number % 3 > 0 then at end,
      case when not is_published and number % 3 > 0 and number % 100 > 0 then at end,
      case when is_published then at end, case when is_published then at end,
      case when number % 100 = 0 then '{"code":"timeout","message":"no"}'::jsonb end,
      pg_temp.id('c', number % 400), case when number % 5 = 0 then '{"title":"a"}'::jsonb end
    from (${TARGETS}) as target`,
  `insert into delivery_attempts (user_id, post_id, account_id, number, act, started_at, finished_at, outcome)
    select user_id, post_id, account_id, 1, 1, at, at, 'published' from (${TARGETS}) as target where is_published`,
  `insert into media (user_id, id, mime_type, bytes, kind, width, height, storage_key, last_used_at, created_at)
    select ${USER_OF_POST}, pg_temp.id('d', number), 'image/jpeg', 100000, 'image', 800, 600, 'key' || number,
      timestamptz '2026-01-01' + number * interval '129.6 s', timestamptz '2026-01-01' + number * interval '129.6 s'
    from generate_series(1, ${POSTS}) as number where number % 2 = 0`,
  `insert into post_media (user_id, post_id, position, media_id)
    select user_id, pg_temp.id('9', ('x' || right(id::text, 7))::bit(28)::integer), 1, id from media`,
  `insert into renditions (user_id, media_id, target, storage_key, mime_type, bytes, width, height)
    select user_id, id, 'preview', 'preview' || id, 'image/webp', 10000, 400, 300 from media`,
  `insert into loose_files (user_id, storage_key) select pg_temp.id('8', number), 'loose' || number
    from generate_series(1, 100) as number`,
  `insert into post_words (user_id, post_id, words)
    select ${USER_OF_POST}, pg_temp.id('9', number),
      array(select ${USER_OF_POST}::text || ':' || left(pg_temp.id('9', number)::text, 5) union all
        select 'word' || (number * item % 5000) from generate_series(1, 10) as item)
    from generate_series(1, ${POSTS}) as number`,
  `insert into events (user_id, position, id, type, occurred_at, numbered_at, post_id, account_ids, data, global_position)
    select user_id, row_number() over (partition by user_id order by number, place), pg_temp.id('e', number * 2 + place),
      'delivery.published', at, at, post_id, array[account_id], '{"state":"published"}',
      row_number() over (order by number, place)
    from (${TARGETS}) as target where is_published`,
  `insert into event_streams (user_id, last) select user_id, max(position) from events group by user_id`,
  `insert into webhooks (id, user_id, url, payload, key_id, data_key, data, secret_start)
    select pg_temp.id('f', number), pg_temp.id('8', number), 'https://example.com', 'thin', 'key', '\\x00', '\\x00', 'whsec_'
    from generate_series(0, 49) as number`,
  `insert into webhook_deliveries (webhook_id, event_id, state, attempts, queued_at, due_at, attempted_at)
    select webhooks.id, events.id, case when position % 500 = 0 then 'pending' else 'delivered' end, 1, occurred_at,
      occurred_at, occurred_at
    from events join webhooks on webhooks.user_id = events.user_id`,
  `insert into delivery_metrics (user_id, post_id, account_id, next_at, attempted_at, fetched_at, counts)
    select user_id, post_id, account_id, at + interval '60 d', at, at, '{"likes":1}'
    from (${TARGETS}) as target where is_published`,
  `insert into delivery_metric_points (user_id, post_id, account_id, day, counts)
    select user_id, post_id, account_id, at::date + day, '{"likes":1}'
    from (${TARGETS}) as target cross join generate_series(0, 1) as day where is_published`,
  `insert into metric_turns (account_id, platform, next_at) select id, platform, now() + interval '1 d' from accounts`,
  `insert into sandbox_calls (id, account_id, token, accepted, content)
    select pg_temp.id('1', number * 2 + place), account_id, gen_random_uuid(), true, '{"caption":"a"}'
    from (${TARGETS}) as target where is_published and number % 6 = 0`,
  `insert into idempotency_keys (user_id, key, request_hash, status, body)
    select ${USER_OF_POST}, 'key' || number, '\\x00', 201, '{}' from generate_series(1, 1000) as number`,
]

/**
 * Fills an empty database with a month of a service that 200 users use: 20,000 posts on two accounts each, a tenth of
 * them not published yet. Postgres then has statistics of all tables.
 */
export async function fillWithMonth(db: Db): Promise<void> {
  await db.connection().execute(async (connection) => {
    // Skips triggers and foreign keys, which the rows satisfy.
    for (const statement of ['set session_replication_role = replica', ID, ...ROWS, 'vacuum analyze', 'reset all']) {
      await sql.raw(statement).execute(connection)
    }
  })
}
