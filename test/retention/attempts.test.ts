import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Deps } from '../../src/engine/delivery/deps.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'
import { DAY_MS, sweepNow } from '../helpers/sweeps.ts'

const KEPT_MS = 30 * DAY_MS

async function createScene(t: Test) {
  const mastodon = scriptedNetwork('reconcilable')
  const world = await createDeliveryWorld(t, { mastodon })
  const account = await world.connectAccount('mastodon')
  const sweep = async () => (await sweepNow(world, { retention: { attemptsMs: KEPT_MS } }))?.attempts
  const wait = (days: number) => {
    world.time.now = new Date(world.time.now.getTime() + days * DAY_MS)
  }
  const workWith = async (deps: Partial<Deps>) => {
    wait(1)
    const worker = world.createWorker(deps)
    do await worker.idle()
    while ((await worker.claim()) > 0)
  }
  return { ...world, mastodon, account, sweep, wait, workWith }
}

t.test('old attempts of finished deliveries are removed, and the result stays', async (t) => {
  const { mastodon, account, ada, post, work, workWith, readDelivery, sweep, wait } = await createScene(t)
  mastodon.steps.push({ isAccepted: false, error: refusal() })
  const failed = await post({ accountIds: [account], caption: 'failed' })
  await work(1_000)
  const published = await post({ accountIds: [account], caption: 'published' })
  await work(1_000)
  const before = await readDelivery(published)
  t.equal(before.history.length, 1)
  wait(29)
  t.equal(await sweep(), 0)
  wait(2)
  t.equal(await sweep(), 2)
  t.strictSame(await readDelivery(published), { ...before, history: [] })
  t.equal((await ada.call('POST', `/posts/${failed}/deliveries/${account}/retry`)).status, 202)
  // The database's clock sets the time of the retry.
  await workWith({ latenessMaxMs: 100 * DAY_MS })
  t.match(await readDelivery(failed), { state: 'published', attempts: 2, history: [{ number: 2 }] })
  t.equal(await sweep(), 0, 'the new attempt is kept')
})

t.test('an open delivery keeps all its attempts', async (t) => {
  const { db, mastodon, account, ada, post, work, readDelivery, sweep, wait, endFlights } = await createScene(t)
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  mastodon.reconcileWith = async () => 'unknown'
  const id = await post({ accountIds: [account], caption: 'lost' })
  await work()
  await work(60_000)
  t.match(await readDelivery(id), { state: 'unconfirmed' })
  wait(1_000)
  t.equal(await sweep(), 0)
  await endFlights()
  await ada.call('POST', `/posts/${id}/deliveries/${account}/resolve`, { outcome: 'not_published' })
  t.match(await readDelivery(id), { state: 'failed', history: [{ outcome: 'said_not_published' }] })
  await sql`update delivery_attempts set number = number + 600 where post_id = ${id}`.execute(db)
  t.equal(await sweep(), 1, 'its owner has resolved it')
})

t.test('a sweep removes many attempts of one post and of many posts', async (t) => {
  const { db, account, post, work, sweep, wait } = await createScene(t)
  for (const caption of ['one', 'other']) {
    const id = await post({ accountIds: [account], caption })
    await work(1_000)
    await sql`
      insert into delivery_attempts (user_id, post_id, account_id, number, act, started_at, finished_at, outcome)
      select user_id, post_id, account_id, n, act, started_at, finished_at, 'failed'
      from delivery_attempts, generate_series(2, 700) as n where post_id = ${id}`.execute(db)
  }
  wait(31)
  t.equal(await sweep(), 1_400)
})

t.test(
  'a post that is found on the network is unconfirmed, if removed attempts could tell that another one made it',
  async (t) => {
    const { mastodon, account, ada, post, work, workWith, readDelivery, wait } = await createScene(t)
    const recover = async (attemptsKeptMs: number | null) => {
      mastodon.steps.push({ isAccepted: true, error: lostResponse() })
      mastodon.reconcileWith = async () => 'unknown'
      const id = await post({ accountIds: [account], caption: `kept for ${attemptsKeptMs}` })
      await work()
      await work(60_000)
      wait(31)
      mastodon.reconcileWith = async () => ({ id: `found ${attemptsKeptMs}`, url: null })
      t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
      await workWith({ attemptsKeptMs, latenessMaxMs: 100 * DAY_MS })
      return readDelivery(id)
    }
    t.match(await recover(KEPT_MS), { state: 'unconfirmed', error: { message: /too long ago/ } })
    t.match(await recover(KEPT_MS * 2), { state: 'published', externalId: `found ${KEPT_MS * 2}` })
    t.match(await recover(null), { state: 'published', externalId: 'found null' })
  },
)
