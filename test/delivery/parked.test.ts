import { sql } from 'kysely'
import t from 'tap'
import { readWaiting } from '../../db/queries/delivery/backlog.ts'
import { countDeliveries } from '../../db/queries/delivery/counts.ts'
import { LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { markPostPublished } from '../../src/features/deliveries/settle-delivery.ts'
import { claimDue, createDeliveryWorld, type DeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

const SECOND = 1_000
const MINUTE = 60_000

const advance = (time: { now: Date }, ms: number) => {
  time.now = new Date(time.now.getTime() + ms)
}

const countDue = async (db: DeliveryWorld['db'], now: Date) =>
  (await countDeliveries(db, { platforms: ['mastodon'], now }))[0]!.due

const readParked = (db: DeliveryWorld['db']) =>
  db.selectFrom('postTargets').select('postId').where('parked', '=', true).execute()

/** Claims due deliveries of a network, counts the rows that this reads from a table, and rolls back. */
async function countRowsRead(
  { db, time }: DeliveryWorld,
  platform: string,
  { table = 'post_targets', plansOff = ['seqscan', 'bitmapscan'] } = {},
) {
  const seen: { claimed: string[]; rows: number }[] = []
  const rollback = new Error('rolled back')
  const claiming = db.transaction().execute(async (db) => {
    // On a small table Postgres would choose a sequential scan; a test may ask for other plans.
    for (const plan of plansOff) await sql.raw(`set local enable_${plan} = off`).execute(db)
    const rowsRead = async () => {
      const { rows } = await sql<{ count: number }>`
        select (seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables
        where relname = ${table}`.execute(db)
      return rows[0]!.count
    }
    const before = await rowsRead()
    const claimed = await claimDue(db, { platforms: [platform], slots: [9], now: time.now })
    seen.push({ claimed: claimed.map(({ caption }) => caption), rows: (await rowsRead()) - before })
    throw rollback
  })
  await claiming.catch((error) => {
    if (error !== rollback) throw error
  })
  return seen[0]!
}

t.test('parked deliveries are sent in order and do not hold up other accounts', async (t) => {
  const telegram = scriptedNetwork('at-most-once', 8)
  const { db, connectAccount, post, time, work } = await createDeliveryWorld(t, { telegram })
  const [resting, other] = [await connectAccount('telegram'), await connectAccount('telegram')]
  const start = time.now.getTime() + MINUTE
  const captions = Array.from({ length: 100 }, (_, index) => String(index))
  for (const caption of captions.toReversed()) {
    const scheduledAt = new Date(start + Number(caption)).toISOString()
    await post({ accountIds: [resting], caption, scheduledAt })
  }
  advance(time, 2 * MINUTE)
  await work()
  t.same(telegram.posts, ['0'], 'the limit is one message a second')
  t.equal((await readParked(db)).length, 98, 'all are parked except the next one')
  await post({ accountIds: [other], caption: 'other' })
  await work()
  await work(SECOND)
  t.same(telegram.posts, ['0', 'other', '1'], 'parked deliveries continue in order')
  const early = await post({ accountIds: [resting], caption: 'early' })
  await db
    .updateTable('postTargets')
    .set({ dueAt: new Date(start) })
    .where('postId', '=', early)
    .execute()
  await work(SECOND)
  await work(SECOND)
  t.same(telegram.posts.slice(3), ['early', '2'], 'an earlier one passes parked ones')
})

t.test('a claim reads the deliveries of a busy account once, even with a bad plan', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { connectAccount, post } = world
  const [much, little] = [await connectAccount('mastodon'), await connectAccount('mastodon')]
  for (let index = 0; index < 100; index++) await post({ accountIds: [much], caption: String(index) })
  await post({ accountIds: [little], caption: 'behind' })
  const { claimed, rows } = await countRowsRead(world, 'mastodon', { plansOff: ['indexscan'] })
  t.same(new Set(claimed), new Set(['0', 'behind']))
  t.ok(rows < 1_000, `${rows} rows`)
})

t.test(
  'a claim finds a delivery behind thousands of others, and the next claim does not read them again',
  async (t) => {
    const mastodon = scriptedNetwork()
    const world = await createDeliveryWorld(t, { mastodon })
    const { ada, db, connectAccount, post, createWorker } = world
    const [resting, other] = [await connectAccount('mastodon'), await connectAccount('mastodon')]
    const { body } = await ada.call('POST', '/posts', { accountIds: [resting], caption: 'waits' })
    await sql`
    insert into posts select (jsonb_populate_record(posts, jsonb_build_object('id', gen_random_uuid()))).*
    from posts, generate_series(1, 2000) where id = ${body.id}`.execute(db)
    await sql`
    insert into post_targets (user_id, post_id, account_id, platform, state, due_at, claimable_at)
    select user_id, id, ${resting}, 'mastodon', 'queued', '2020-01-01', '2020-01-01' from posts
    where id <> ${body.id}`.execute(db)
    await db
      .updateTable('accounts')
      .set({ availableAt: sql<Date>`now() + interval '1 day'` })
      .where('id', '=', resting)
      .execute()
    await post({ accountIds: [other], caption: 'behind' })
    const worker = createWorker()
    t.equal(await worker.claim(), 1)
    await worker.idle()
    t.same(mastodon.posts, ['behind'])
    await sql`analyze`.execute(db)
    await post({ accountIds: [other], caption: 'next' })
    const { claimed, rows } = await countRowsRead(world, 'mastodon')
    t.same(claimed, ['next'])
    t.ok(rows < 20, `${rows} rows`)
  },
)

t.test('parked and other deliveries are claimed in the order in which they became due', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork(), bluesky: scriptedNetwork('exactly-once') })
  const { db, connectAccount, post, createWorker, time } = world
  const start = time.now.getTime() + MINUTE
  const write = async (accountId: string, second: number) => {
    const scheduledAt = new Date(start + second * SECOND).toISOString()
    for (const turn of [1, 2]) await post({ accountIds: [accountId], caption: `${second}-${turn}`, scheduledAt })
    return accountId
  }
  const [late, early] = [
    await write(await connectAccount('mastodon'), 4),
    await write(await connectAccount('mastodon'), 3),
  ]
  const resting = await write(await connectAccount('mastodon'), 0)
  await write(await connectAccount('bluesky'), 1)
  await db
    .updateTable('accounts')
    .set({ availableAt: new Date(start + 10 * MINUTE) })
    .execute()
  advance(time, 2 * MINUTE)
  t.equal(await createWorker().claim(), 0)
  t.equal((await readParked(db)).length, 8)
  const free = db.updateTable('accounts').where('id', '!=', resting)
  await free.set({ availableAt: new Date(time.now.getTime() - 10 * SECOND) }).execute()
  const platforms = ['mastodon', 'bluesky']
  t.hasStrict(await readWaiting(db, { platforms, leaseMs: LEASE_MS, now: time.now }), [
    { waitingMs: 10 * SECOND, held: false },
  ])

  await write(await connectAccount('mastodon'), 2)
  const claim = async (slots: number[]) =>
    (await claimDue(db, { platforms, slots, now: time.now })).map(({ caption }) => caption).sort()
  t.same(await claim([1, 1]), ['1-1', '2-1'])
  t.same(await claim([2, 1]), ['3-1', '4-1'])
  t.same(await claim([2, 1]), [], 'one delivery per account')
  const of = db.selectFrom('postTargets').select('accountId').where('parked', '=', true)
  t.equal((await of.where('accountId', 'in', [late, early]).execute()).length, 2, 'claimed deliveries are not parked')
})

t.test('workers that claim at the same time share the parked deliveries', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { db, connectAccount, post, createWorker, time } = world
  const accounts = await Promise.all(Array.from({ length: 6 }, () => connectAccount('mastodon')))
  for (const accountId of accounts) await post({ accountIds: [accountId], caption: accountId })
  await db
    .updateTable('accounts')
    .set({ availableAt: new Date(time.now.getTime() + MINUTE) })
    .execute()
  t.equal(await createWorker().claim(), 0)
  advance(time, 2 * MINUTE)
  const claim = (db: DeliveryWorld['db']) => claimDue(db, { platforms: ['mastodon'], slots: [3], now: time.now })
  const others = await db.transaction().execute(async (first) => {
    t.equal((await claim(first)).length, 3)
    return claim(db)
  })
  t.equal(others.length, 3)
  t.same(await claim(db), [])
})

t.test('a delivery that a worker may still hold is not parked, and can end late', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, createWorker, time, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'late' })
  const gate = Promise.withResolvers<void>()
  mastodon.steps.push({ isAccepted: true, beforeResponse: () => gate.promise })
  const slow = createWorker()
  t.equal(await slow.claim(), 1)
  await until('the network has the post', () => mastodon.posts.length === 1)
  const availableAt = new Date(time.now.getTime() + 10 * MINUTE)
  await db.updateTable('accounts').set({ availableAt }).execute()
  advance(time, MINUTE)
  t.equal(await createWorker().claim(), 0)
  gate.resolve()
  await slow.idle()
  t.hasStrict(await readDelivery(id), { state: 'published' })
  t.equal(await countDue(db, time.now), 0)
})

t.test('a parked delivery that is marked as published is no longer due', async (t) => {
  const { db, connectAccount, post, createWorker, time } = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const accountIds = [await connectAccount('mastodon')]
  const id = await post({ accountIds, caption: 'by hand' })
  await db
    .updateTable('accounts')
    .set({ availableAt: new Date(time.now.getTime() + MINUTE) })
    .execute()
  t.equal(await createWorker().claim(), 0)
  t.same(await readParked(db), [{ postId: id }])
  t.equal(await countDue(db, time.now), 1)
  t.equal(await markPostPublished(db, id), 'published')
  t.equal(await countDue(db, time.now), 0)
})
