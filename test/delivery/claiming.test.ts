import { sql } from 'kysely'
import t from 'tap'
import { LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { claimDue, createDeliveryWorld } from '../helpers/publisher.ts'
import { beforePrepare, scriptedNetwork } from '../helpers/scripted-network.ts'
import { blockedBackends, until } from '../helpers/until.ts'

const SECOND = 1_000
const MINUTE = 60_000

const advance = (time: { now: Date }, ms: number) => {
  time.now = new Date(time.now.getTime() + ms)
}

t.test('workers that claim at the same time send each delivery once', async (t) => {
  const mastodon = scriptedNetwork('reconcilable', 3)
  const { connectAccount, post, createWorker } = await createDeliveryWorld(t, { mastodon })
  const accounts = await Promise.all(Array.from({ length: 10 }, () => connectAccount('mastodon')))
  const captions: string[] = []
  for (const [index, account] of accounts.entries()) {
    for (const turn of [1, 2, 3]) {
      captions.push(`${index}-${turn}`)
      await post({ accountIds: [account], caption: `${index}-${turn}` })
    }
  }
  const workers = Array.from({ length: 4 }, () => createWorker())
  await Promise.all(
    workers.map(async (worker) => {
      for (let idle = 0; idle < 20; ) {
        idle = (await worker.claim()) > 0 ? 0 : idle + 1
        await worker.idle()
      }
    }),
  )
  t.same([...mastodon.posts].sort(), [...captions].sort())
})

t.test('an account sends one delivery at a time, in the order of their times', async (t) => {
  const mastodon = scriptedNetwork('reconcilable', 10)
  const { db, connectAccount, post, createWorker, time } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const other = createWorker()
  let running = 0
  let most = 0
  const watch = async () => {
    running++
    most = Math.max(most, running)
    // Five round trips to the database leave the workers time to claim another delivery by mistake.
    for (let turn = 0; turn < 5; turn++) await sql`select 1`.execute(db)
    running--
  }
  const captions = Array.from({ length: 10 }, (_, index) => String(index))
  const start = time.now.getTime() + 60 * MINUTE
  for (const caption of captions.toReversed()) {
    mastodon.steps.push({ isAccepted: true, beforeResponse: watch })
    await post({ accountIds: [account], caption, scheduledAt: new Date(start + Number(caption)).toISOString() })
  }
  advance(time, 61 * MINUTE)
  const worker = createWorker()
  await until('all posts are sent', async () => {
    await Promise.all([worker.claim(), other.claim()])
    return mastodon.posts.length === captions.length
  })
  await Promise.all([worker.idle(), other.idle()])
  t.same(mastodon.posts, captions)
  t.equal(most, 1)
})

t.test('a network carries out at most its concurrency, and does not hold up other networks', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork('reconcilable', 2), scriptedNetwork('exactly-once', 2)]
  const { connectAccount, post, createWorker } = await createDeliveryWorld(t, { mastodon, bluesky })
  const gate = Promise.withResolvers<void>()
  for (let index = 0; index < 5; index++) {
    mastodon.steps.push({ isAccepted: true, beforeResponse: () => gate.promise })
    await post({ accountIds: [await connectAccount('mastodon')], caption: `m${index}` })
  }
  await post({ accountIds: [await connectAccount('bluesky')], caption: 'b' })
  const worker = createWorker()
  t.equal(await worker.claim(), 3)
  await until('both networks have their posts', () => mastodon.posts.length === 2 && bluesky.posts.length === 1)
  t.equal(await worker.claim(), 0)
  gate.resolve()
  await worker.idle()
  t.equal(await worker.claim(), 2)
  await worker.idle()
})

t.test('deleting a post and claiming it exclude each other', async (t) => {
  const mastodon = scriptedNetwork('reconcilable', 64)
  const { connectAccount, post, createWorker, ada, db } = await createDeliveryWorld(t, { mastodon })
  const account = await Promise.all(Array.from({ length: 20 }, () => connectAccount('mastodon')))
  const ids: string[] = []
  for (const [index, id] of account.entries()) ids.push(await post({ accountIds: [id], caption: String(index) }))
  const worker = createWorker()
  const [replies] = await Promise.all([
    Promise.all(ids.map((id) => ada.call('DELETE', `/posts/${id}`))),
    worker.claim(),
    worker.claim(),
  ])
  await worker.idle()
  const deleted = replies.flatMap(({ status }, index) => (status === 200 ? [String(index)] : []))
  t.same(new Set([...mastodon.posts, ...deleted]).size, 20)
  t.same(
    mastodon.posts.filter((text) => deleted.includes(text)),
    [],
    'no deleted post is sent',
  )
  const { count } = await db
    .selectFrom('posts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  t.equal(count, 20 - deleted.length)
  for (const { status, body } of replies.filter(({ status }) => status !== 200)) {
    t.ok(status === 409 || (status === 400 && body.error === 'Cannot delete published post'), `${status} ${body.error}`)
  }
})

t.test('no other delivery of an account is claimed while one is prepared', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, time, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const gate = Promise.withResolvers<void>()
  const slow = createWorker({ networks: { mastodon: beforePrepare(mastodon, () => gate.promise) } })
  await post({ accountIds: [account], caption: 'first' })
  const second = await post({ accountIds: [account], caption: 'second' })
  const { nextAttemptAt } = await readDelivery(second)
  t.equal(await slow.claim(), 1)
  t.hasStrict(await readDelivery(second), { state: 'queued', nextAttemptAt }, 'it is due when the account is free')
  for (let turn = 0; turn < 5; turn++) {
    t.equal(await createWorker().claim(), 0)
    advance(time, LEASE_MS - SECOND)
    await slow.renew()
  }
  slow.stop()
  gate.resolve()
  await slow.idle()
  t.same(mastodon.posts, ['first'])
})

t.test('a claim skips rows that another transaction has locked', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { db, time } = world
  const [locked, free] = [await world.connectAccount('mastodon'), await world.connectAccount('mastodon')]
  for (const account of [locked, free]) await world.post({ accountIds: [account], caption: 'due' })
  for (const table of ['post_targets', 'accounts'] as const) {
    const column = table === 'accounts' ? 'id' : 'account_id'
    await db.transaction().execute(async (holding) => {
      await sql`select from ${sql.table(table)} where ${sql.ref(column)} = ${locked} for update`.execute(holding)
      let isDone = false
      const claim = claimDue(db, { platforms: ['mastodon'], slots: [2], now: time.now }).then((found) => {
        isDone = true
        return found
      })
      await until('the claim ends, or waits for a lock', async () => isDone || (await blockedBackends(db)).length > 0)
      t.ok(isDone, `a row of ${table}`)
      // A claim that waits ends only with the transaction: awaiting it here would deadlock.
      if (!isDone) return
      const claimed = (await claim).map(({ accountId }) => accountId)
      t.strictSame(claimed, table === 'post_targets' ? [free] : [])
    })
  }
})
