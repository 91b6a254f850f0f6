import { sql } from 'kysely'
import t from 'tap'
import { readWaiting } from '../../db/queries/delivery/backlog.ts'
import { LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'

const DUE = 3_000
const HOUR_MS = 3_600_000

t.test('how long due deliveries wait is read from few of them', async (t) => {
  const { db, connectAccount, post, time } = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  await post({ accountIds: [await connectAccount('mastodon')], caption: 'first' })
  const dueAt = new Date(time.now.getTime() - HOUR_MS)
  await sql`
    with account as (
      insert into accounts select (jsonb_populate_record(accounts, jsonb_build_object('id', gen_random_uuid(), 'external_id', number))).*
      from accounts, generate_series(1, ${DUE}) as number returning id, user_id
    ), post as (
      insert into posts select (jsonb_populate_record(posts, jsonb_build_object('id', account.id))).* from posts, account
    )
    insert into post_targets (user_id, post_id, account_id, platform, state, due_at, claimable_at)
    select user_id, id, id, 'mastodon', 'queued', ${dueAt}, ${dueAt} from account`.execute(db)
  await sql`analyze`.execute(db)
  await db.transaction().execute(async (db) => {
    const rowsRead = async () => {
      const { rows } = await sql<{ count: number }>`
        select sum(seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables`.execute(db)
      return rows[0]!.count
    }
    const before = await rowsRead()
    const [waiting] = await readWaiting(db, { platforms: ['mastodon'], leaseMs: LEASE_MS, now: time.now })
    const rows = (await rowsRead()) - before
    t.same(waiting, { waitingMs: HOUR_MS, held: false })
    t.ok(rows < DUE / 5, `${rows} rows`)
  })
})
