import type { CompiledQuery } from 'kysely'
import t, { type Test } from 'tap'
import type { Delivery } from '../../schemas/delivery.ts'
import { FAILURES_MAX, LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, type ScriptedNetwork, scriptedNetwork } from '../helpers/scripted-network.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

/** Creates a delivery whose network has accepted the act and processes it for a minute. */
async function createProcessing(t: Test) {
  const mastodon = scriptedNetwork()
  const world = await createDeliveryWorld(t, { mastodon })
  const account = await world.connectAccount('mastodon')
  mastodon.steps.push({ isAccepted: true, processingMs: MINUTE })
  const id = await world.post({ accountIds: [account], caption: 'video' })
  await world.work()
  t.hasStrict(await world.readDelivery(id), { state: 'queued', attempts: 1, error: null, publishedAt: null })
  t.hasStrict((await world.readDelivery(id)).history, [{ outcome: null, finishedAt: null }])
  return { ...world, mastodon, account, id }
}

const processing = (mastodon: ScriptedNetwork, afterMs: number) => {
  mastodon.reconcileWith = async () => ({ processing: { state: { attempt: 1 }, afterMs } })
}

t.test('what its network processes is not resolved as not published, and a retry asks the network', async (t) => {
  const { ada, mastodon, account, id, readDelivery, work } = await createProcessing(t)
  const act = (name: string, body?: object) => ada.call('POST', `/posts/${id}/deliveries/${account}/${name}`, body)
  t.equal((await act('cancel')).body.targets[0].delivery.state, 'unconfirmed')
  t.hasStrict(await act('resolve', { outcome: 'not_published' }), {
    status: 409,
    headers: { 'x-error-code': 'delivery_in_progress' },
  })
  t.equal((await act('retry')).status, 202)
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published', error: null })
  t.strictSame(mastodon.posts, ['video'])
})

t.test('500 deliveries that wait ten minutes for their network do not hold up others', async (t) => {
  const mastodon = scriptedNetwork('reconcilable', 2)
  const { ada, connectAccount, post, createWorker, readDelivery, readStatus, work, time } = await createDeliveryWorld(
    t,
    { mastodon },
  )
  const shared = await connectAccount('mastodon')
  const waiting: string[] = []
  const begun = new Set<string>()
  // Half of the deliveries wait before the call, the others after it.
  mastodon.stepOf = ({ text }) => {
    const [, number] = /^waiting (\d+)$/.exec(text) ?? []
    if (number === undefined || begun.has(text)) return undefined
    begun.add(text)
    return Number(number) % 2 === 0
      ? { isAccepted: false, laterMs: 10 * MINUTE }
      : { isAccepted: true, processingMs: 10 * MINUTE }
  }
  for (let number = 0; number < 500; number++) {
    // Twenty of them share an account.
    const account = number % 25 === 0 ? shared : await connectAccount('mastodon')
    waiting.push(await post({ accountIds: [account], caption: `waiting ${number}` }))
  }
  const worker = createWorker()
  const drain = async () => {
    do await worker.idle()
    while ((await worker.claim()) > 0)
  }
  await drain()
  t.equal(mastodon.acts.length, 500)
  t.equal(mastodon.posts.length, 250)

  // No slot or account is held: a new post is sent when it is due, also on an account with waiting deliveries.
  const quick = [
    await post({ accountIds: [shared], caption: 'same account' }),
    await post({ accountIds: [await connectAccount('mastodon')], caption: 'other account' }),
  ]
  await drain()
  for (const id of quick) t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1 })
  t.equal(mastodon.acts.length, 502, 'no waiting delivery was prepared again')
  t.hasStrict(await readDelivery(waiting[0]!), { state: 'queued', attempts: 0, error: null })
  t.hasStrict(await readDelivery(waiting[1]!), { state: 'queued', attempts: 1, error: null })
  t.equal(await readStatus(waiting[0]!), 'scheduled', 'the network has not accepted it yet')
  t.equal(await readStatus(waiting[1]!), 'published', 'the network has accepted it')

  // Writing the posts took time, which counts.
  time.now = new Date(time.now.getTime() + 5 * MINUTE)
  t.equal(await worker.claim(), 0, 'none is claimed before its time')
  await work(5 * MINUTE)
  const { data } = (await ada.call('GET', '/posts?limit=100')).body
  t.equal(data.length, 100)
  const deliveries: Delivery[] = []
  // One after the other: 500 concurrent requests may exceed the database budget.
  for (const id of waiting) deliveries.push(await readDelivery(id))
  t.strictSame(new Set(deliveries.map(({ state }) => state)), new Set(['published']))
  t.strictSame(new Set(deliveries.map(({ attempts }) => attempts)), new Set([1]))
  t.equal(new Set(mastodon.posts).size, 502)
  t.equal(mastodon.posts.length, 502, 'each text was sent once')
})

t.test('prepared state is passed to later attempts at the same act, and to no other act', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  mastodon.steps.push(
    { isAccepted: false, laterMs: MINUTE },
    { isAccepted: false, error: refusal('server_error', { retryable: true }) },
    { isAccepted: true },
    { isAccepted: false, error: refusal() },
  )
  const id = await post({
    accountIds: [account],
    postType: 'thread',
    threadParts: { [account]: ['one', 'two'] },
  })
  await work()
  await work(MINUTE)
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'failed' })
  t.strictSame(mastodon.saved, [null, { attempt: 1 }, { attempt: 2 }, null], 'the next act starts without state')

  await post({ accountIds: [account], caption: 'other' })
  await work()
  t.equal(mastodon.saved.at(-1), null)
})

t.test('a failed delivery that its owner retries is prepared again', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  mastodon.steps.push({ isAccepted: false, error: refusal() })
  const id = await post({ accountIds: [account], caption: 'again' })
  await work()
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  await work(SECOND)
  t.hasStrict(await readDelivery(id), { state: 'published' })
  t.strictSame(mastodon.saved, [null, null])
})

t.test('a delivery is prepared again if its worker dies before it stores that the network needs time', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, readDelivery, db } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'late' })
  mastodon.steps.push({ isAccepted: false, laterMs: MINUTE })
  const storing = Promise.withResolvers<void>()
  const dying = createWorker({
    pause: () => new Promise(() => {}),
    db: new Proxy(db, {
      get(target, key) {
        const value = Reflect.get(target, key, target)
        if (key !== 'executeQuery') return typeof value === 'function' ? value.bind(target) : value
        return (query: CompiledQuery) => {
          if (!query.sql.includes('jsonb_array_length(delivery.sent)')) return target.executeQuery(query)
          storing.resolve()
          return Promise.reject(new Error('Connection terminated unexpectedly'))
        }
      },
    }),
  })
  await dying.claim()
  await storing.promise
  await work(LEASE_MS)
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1 })
  t.strictSame(mastodon.posts, ['late'])
})

t.test('an act that the network processes is reconciled until it is there, and then counts as published', async (t) => {
  const { mastodon, id, work, readDelivery, readStatus } = await createProcessing(t)
  processing(mastodon, HOUR)
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'queued', attempts: 1, error: null })
  mastodon.reconcileWith = undefined
  await work(HOUR - SECOND)
  t.equal(mastodon.reconcileCount, 1, 'no earlier than the network requested')
  await work(SECOND)
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1, externalId: 'n1' })
  t.hasStrict((await readDelivery(id)).history, [{ outcome: 'published', error: null }])
  t.equal(await readStatus(id), 'published')
  t.strictSame(mastodon.posts, ['video'])
})

t.test(
  'an act that the network refuses after processing fails in the words of the network, and its post is scheduled',
  async (t) => {
    const { mastodon, id, work, readDelivery, readStatus } = await createProcessing(t)
    t.equal(await readStatus(id), 'published')
    mastodon.reconcileWith = async () => ({ rejected: 'The video is too long' })
    await work(MINUTE)
    t.hasStrict(await readDelivery(id), {
      state: 'failed',
      attempts: 1,
      error: { code: 'content_refused', message: 'The video is too long', retryable: false },
    })
    t.hasStrict((await readDelivery(id)).history, [{ outcome: 'failed' }])
    t.equal(await readStatus(id), 'scheduled')
  },
)

t.test('an act that the network processes for more than a day becomes unconfirmed', async (t) => {
  const { mastodon, id, work, readDelivery } = await createProcessing(t)
  processing(mastodon, HOUR)
  await work(MINUTE)
  for (let hours = 0; hours < 24; hours++) await work(HOUR)
  t.hasStrict(await readDelivery(id), { state: 'unconfirmed', error: { code: 'timeout' } })
})

t.test('a reconcile that fails during processing decides nothing', async (t) => {
  const { mastodon, id, work, readDelivery } = await createProcessing(t)
  mastodon.reconcileWith = () => Promise.reject(lostResponse())
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'queued', error: { code: 'timeout' } })
  mastodon.reconcileWith = undefined
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1 })
  t.strictSame(mastodon.posts, ['video'])
})

t.test('an act that the network loses during processing is sent again', async (t) => {
  const { mastodon, id, work, readDelivery } = await createProcessing(t)
  mastodon.reconcileWith = async () => 'absent'
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 2 })
  t.strictSame(mastodon.posts, ['video', 'video'])
})

t.test('an act that the network loses each time during processing fails after eight calls', async (t) => {
  const { mastodon, id, work, readDelivery } = await createProcessing(t)
  mastodon.stepOf = () => ({ isAccepted: true, processingMs: MINUTE })
  mastodon.reconcileWith = async () => 'absent'
  for (let call = 0; call < 2 * FAILURES_MAX; call++) await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'failed', attempts: FAILURES_MAX, error: { code: 'server_error' } })
})

t.test('a post that another delivery has sent does not count as found after a wait either', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  await post({ accountIds: [account], caption: 'Good morning' })
  await work()
  const second = await post({ accountIds: [account], caption: 'Good morning' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() })
  processing(mastodon, MINUTE)
  await work()
  await work(MINUTE)
  mastodon.reconcileWith = async () => ({ id: 'n1', url: null })
  await work(MINUTE)
  t.hasStrict(await readDelivery(second), {
    state: 'unconfirmed',
    externalId: null,
    error: { code: 'unknown_outcome' },
  })
})

t.test('a delivery that waits for its network is not missed, however late it is', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  mastodon.steps.push({ isAccepted: false, laterMs: 2 * HOUR })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'long' })
  const worker = createWorker({ latenessMaxMs: HOUR })
  for (let round = 0; round < 2; round++) {
    await worker.claim()
    await worker.idle()
    time.now = new Date(time.now.getTime() + 2 * HOUR)
  }
  t.hasStrict(await readDelivery(id), { state: 'published' })
})

t.test('prepared state of another act, left by an older version, is not used', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'own' })
  await db
    .updateTable('postTargets')
    .set({ prepared: JSON.stringify({ act: 2, state: { attempt: 7 } }) })
    .execute()
  await work()
  t.hasStrict(await readDelivery(id), { state: 'published' })
  t.strictSame(mastodon.saved, [null])
})
