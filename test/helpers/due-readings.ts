import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import type { Keyring } from '../../src/base/keyring/keyring.ts'
import type { Credentials } from '../../src/platforms/contract/io.ts'

interface Load {
  userId: string
  credentials: Credentials
  posts: number
  accounts: number
}

/** Posts that were published to Mastodon an hour ago, and whose numbers are due. */
export async function loadReadings(db: Db, keyring: Keyring, { userId, credentials, posts, accounts }: Load) {
  const ids = Array.from({ length: accounts }, newId)
  await sql`
    insert into accounts (id, platform, username, user_id)
    select id, 'mastodon', id::text || '@files.example', ${userId} from unnest(${ids}::uuid[]) as id`.execute(db)
  const sealed = ids.map((accountId) => ({ accountId, ...keyring.seal(accountId, credentials) }))
  await sql`
    insert into account_credentials (account_id, key_id, data_key, data)
    select account_id, key_id, data_key, data
    from unnest(${ids}::uuid[], ${sealed.map(({ keyId }) => keyId)}::text[], ${sealed.map(({ dataKey }) => dataKey)}::bytea[],
      ${sealed.map(({ data }) => data)}::bytea[]) as sealed(account_id, key_id, data_key, data)`.execute(db)
  await sql`
    with post as (
      insert into posts (user_id, id, caption, post_type, status, scheduled_at)
      select ${userId}, id, 'Whales', 'post', 'published', now() - interval '1 hour'
      from unnest(${Array.from({ length: posts }, newId)}::uuid[]) as id
      returning id
    ),
    numbered as (select id, row_number() over () as number from post),
    delivery as (
      insert into post_targets (user_id, post_id, account_id, platform, state, due_at, published_at, sent)
      select ${userId}, id, (${ids}::uuid[])[1 + number % ${accounts}::integer], 'mastodon', 'published',
        now() - interval '1 hour', now() - interval '1 hour',
        jsonb_build_array(jsonb_build_object('id', number::text, 'url', null))
      from numbered
    )
    select`.execute(db)
  await sql`
    insert into delivery_metrics (user_id, post_id, account_id, next_at)
    select user_id, post_id, account_id, now() from post_targets
    where user_id = ${userId} and account_id = any(${ids}::uuid[])`.execute(db)
  await sql`
    insert into metric_turns (account_id, platform, next_at)
    select id, 'mastodon', now() from unnest(${ids}::uuid[]) as id`.execute(db)
}
