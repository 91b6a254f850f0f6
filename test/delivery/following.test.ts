import t from 'tap'
import type { Publisher } from '../../src/engine/delivery/publisher.ts'
import { LEASE_MARGIN_MS, LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { createDeliveryWorld, type DeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { withRecordedStatements } from '../helpers/settlement.ts'

const MINUTE = 60_000

/** Lets the worker send a post to the account: deliveries follow each other where it has sent to lately. */
async function sendBefore({ post }: DeliveryWorld, worker: Publisher, accountIds: string[]): Promise<void> {
  await post({ accountIds, caption: 'before' })
  await worker.claim()
  await worker.idle()
}

t.test(
  'due deliveries of an account follow each other without another claim, in the order of their times',
  async (t) => {
    const mastodon = scriptedNetwork()
    const { db, connectAccount, post, createWorker, time, readDelivery } = await createDeliveryWorld(t, { mastodon })
    const accountIds = [await connectAccount('mastodon')]
    const start = time.now.getTime()
    const write = (caption: string, ms: number) =>
      post({ accountIds, caption, scheduledAt: new Date(start + ms).toISOString() })
    await write('third', 3)
    await write('first', 1)
    await write('second', 2)
    const later = await write('later', 2 * MINUTE)
    time.now = new Date(start + MINUTE)
    const recorded = withRecordedStatements(db)
    const worker = createWorker({ db: recorded.db })
    t.equal(await worker.claim(), 1)
    await worker.idle()
    t.same(mastodon.posts, ['first'], 'an account that may have a single delivery')
    recorded.statements.length = 0
    t.equal(await worker.claim(), 1)
    await worker.idle()
    t.same(mastodon.posts, ['first', 'second', 'third'])
    const outcomes = recorded.statements.filter((statement) => statement.includes('update posts set status'))
    const claims = recorded.statements.filter((statement) => statement.includes('gen_random_uuid()'))
    t.equal(outcomes.length, 2)
    t.same(claims.slice(1), outcomes, 'each outcome is committed with the claim of what follows')
    t.hasStrict(await readDelivery(later), { state: 'queued', attempts: 0 })
  },
)

t.test('while all slots of a network are in use, accounts take turns', async (t) => {
  const mastodon = scriptedNetwork('reconcilable', 1)
  const { connectAccount, post, createWorker } = await createDeliveryWorld(t, { mastodon })
  const [one, other] = [await connectAccount('mastodon'), await connectAccount('mastodon')]
  await post({ accountIds: [one], caption: 'one 1' })
  await post({ accountIds: [other], caption: 'other 1' })
  for (const caption of ['one 2', 'other 2', 'one 3']) {
    await post({ accountIds: [caption.startsWith('one') ? one : other], caption })
  }
  const worker = createWorker()
  while ((await worker.claim()) > 0) await worker.idle()
  t.same(mastodon.posts, ['one 1', 'other 1', 'one 2', 'other 2', 'one 3'])
})

t.test('no delivery follows while a rate limit that the account shares rests', async (t) => {
  const linkedin = scriptedNetwork()
  const world = await createDeliveryWorld(t, { linkedin })
  const { db, connectAccount, post, createWorker, time, work } = world
  const accountIds = [await connectAccount('linkedin')]
  const worker = createWorker()
  await sendBefore(world, worker, accountIds)
  const until = new Date(time.now.getTime() + MINUTE)
  linkedin.steps.push({
    isAccepted: true,
    beforeResponse: () => db.insertInto('limitRests').values({ key: 'linkedin', until }).execute(),
  })
  for (const caption of ['first', 'second']) await post({ accountIds, caption })
  await worker.claim()
  await worker.idle()
  t.same(linkedin.posts, ['before', 'first'])
  await work(MINUTE)
  t.same(linkedin.posts, ['before', 'first', 'second'])
})

t.test('no delivery follows if another worker may soon claim the account', async (t) => {
  const mastodon = scriptedNetwork()
  const world = await createDeliveryWorld(t, { mastodon })
  const { connectAccount, post, createWorker, time } = world
  const accountIds = [await connectAccount('mastodon')]
  const worker = createWorker()
  await sendBefore(world, worker, accountIds)
  const leaseEndsAt = time.now.getTime() + LEASE_MS
  mastodon.steps.push({
    isAccepted: true,
    beforeResponse: () => {
      time.now = new Date(leaseEndsAt - LEASE_MARGIN_MS)
    },
  })
  for (const caption of ['first', 'second']) await post({ accountIds, caption })
  await worker.claim()
  await worker.idle()
  t.same(mastodon.posts, ['before', 'first'])
})

t.test('a worker that stops while the next delivery is claimed gives it back', async (t) => {
  const mastodon = scriptedNetwork()
  const world = await createDeliveryWorld(t, { mastodon })
  const { db, connectAccount, post, createWorker, readDelivery } = world
  const accountIds = [await connectAccount('mastodon')]
  let settled = 0
  const worker = createWorker({
    db: withRecordedStatements(db, (statement) => {
      if (statement.includes('update posts set status') && ++settled === 2) worker.stop()
    }).db,
  })
  await sendBefore(world, worker, accountIds)
  await post({ accountIds, caption: 'first' })
  const second = await post({ accountIds, caption: 'second' })
  await worker.claim()
  await worker.idle()
  t.same(mastodon.posts, ['before', 'first'])
  t.hasStrict(await readDelivery(second), { state: 'queued', attempts: 0 })
  t.equal(await createWorker().claim(), 1, 'another worker can claim it immediately')
})
