import { type CompiledQuery, sql } from 'kysely'
import t from 'tap'
import { FAILURES_MAX, LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { claimDue, createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork, unreachable } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

t.test('the rest of a delivery is not late after the network processed its first act for long', async (t) => {
  for (const body of [{ postType: 'thread' as const }, { firstComment: 'comment' }]) {
    const mastodon = scriptedNetwork()
    const { connectAccount, post, createWorker, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
    const account = await connectAccount('mastodon')
    mastodon.steps.push({ isAccepted: true, processingMs: 2 * HOUR })
    const id = await post({
      accountIds: [account],
      ...('postType' in body
        ? { postType: 'thread', threadParts: { [account]: ['one', 'two'] } }
        : { caption: 'video', firstComment: 'comment' }),
    })
    const worker = createWorker({ latenessMaxMs: HOUR })
    for (let round = 0; round < 2; round++) {
      await worker.claim()
      await worker.idle()
      time.now = new Date(time.now.getTime() + 2 * HOUR)
    }
    t.hasStrict(await readDelivery(id), { state: 'published', error: null })
    t.equal(mastodon.posts.length, 2)
  }
})

t.test('any words with which a network rejects an act can be stored', async (t) => {
  for (const words of ['no\0', 'no \ud800', `no ${'x'.repeat(5000)}`]) {
    const mastodon = scriptedNetwork()
    const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
    mastodon.steps.push({ isAccepted: true, processingMs: MINUTE })
    const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'video' })
    await work()
    mastodon.reconcileWith = async () => ({ rejected: words })
    await work(MINUTE)
    const { state, error } = await readDelivery(id)
    t.equal(state, 'failed')
    t.ok((error?.message.length ?? 0) <= 600)
  }
})

t.test('a pause that is no usable number does not lose the delivery', async (t) => {
  for (const laterMs of [Number.NaN, 1e15, Number.POSITIVE_INFINITY]) {
    const mastodon = scriptedNetwork()
    const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
    mastodon.steps.push({ isAccepted: false, laterMs })
    const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'video' })
    await work()
    const { state, nextAttemptAt } = await readDelivery(id)
    t.equal(state, 'queued')
    t.ok(nextAttemptAt !== null, `${laterMs}: it has a next attempt`)
    await work(DAY)
    t.equal((await readDelivery(id)).state, 'published', `${laterMs}: it goes on after a day at the latest`)
  }
})

t.test('an open call of an older version is not taken for one in processing', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'own' })
  mastodon.steps.push({ isAccepted: false, laterMs: MINUTE })
  await work()
  time.now = new Date(time.now.getTime() + MINUTE)
  // The statements of the older version do not know waiting_since.
  const [claimed] = await claimDue(db, { platforms: ['mastodon'], slots: [1], now: time.now })
  t.ok(claimed)
  await sql`update post_targets set intent = 1, intended_at = ${time.now}, attempts = attempts + 1`.execute(db)
  await sql`insert into delivery_attempts (user_id, post_id, account_id, number, act, started_at, intended_at)
    select user_id, post_id, account_id, attempts, 1, ${time.now}, ${time.now} from post_targets`.execute(db)
  // Its worker dies, and its call may still arrive after the lease has ended.
  await work(LEASE_MS)
  t.equal(mastodon.reconcileCount, 0, 'the network is not queried while the call may arrive')
  t.strictSame(mastodon.posts, [], 'and the act is not sent again')
  t.equal((await readDelivery(id)).state, 'queued')
})

t.test('an adapter does not publish after its attempt was settled', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, work, createWorker } = await createDeliveryWorld(t, { mastodon })
  await post({ accountIds: [await connectAccount('mastodon')], caption: 'once' })
  let isIntending = false
  const delayed = Promise.withResolvers<void>()
  const worker = createWorker({
    db: new Proxy(db, {
      get(target, key) {
        const value = Reflect.get(target, key, target)
        if (key !== 'executeQuery') return typeof value === 'function' ? value.bind(target) : value
        return async (query: CompiledQuery) => {
          const result = await target.executeQuery(query)
          if (query.sql.includes('set intent = held.act')) {
            isIntending = true
            await delayed.promise
          }
          return result
        }
      },
    }),
  })
  await worker.claim()
  await until('the intent is committed', () => isIntending)
  await worker.drain()
  delayed.resolve()
  await work(5 * MINUTE)
  await work(5 * MINUTE)
  t.strictSame(mastodon.posts, ['once'])
})

t.test('a failed check does not end the wait for a network', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  mastodon.steps.push(
    { isAccepted: false, laterMs: 2 * HOUR },
    { isAccepted: false, isEarly: true, error: refusal('unreachable', { retryable: true }) },
  )
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'long' })
  const worker = createWorker({ latenessMaxMs: HOUR })
  for (const ms of [2 * HOUR, MINUTE, 0]) {
    await worker.claim()
    await worker.idle()
    time.now = new Date(time.now.getTime() + ms)
  }
  t.hasStrict(await readDelivery(id), { state: 'published' })
})

t.test('failures between responses of a network that still works do not end the wait', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const rounds = 2 * FAILURES_MAX
  for (let round = 0; round < rounds; round++) {
    mastodon.steps.push(
      { isAccepted: false, laterMs: MINUTE },
      { isAccepted: false, isEarly: true, error: unreachable() },
    )
  }
  mastodon.steps.push({ isAccepted: true, processingMs: MINUTE })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'video' })
  await work()
  for (let round = 0; round < 2 * rounds; round++) await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'queued', attempts: 1 + rounds })
  for (let round = 0; round < rounds; round++) {
    mastodon.reconcileWith = () => Promise.reject(lostResponse())
    await work(MINUTE)
    mastodon.reconcileWith = async () => ({ processing: { state: { attempt: 1 }, afterMs: MINUTE } })
    await work(MINUTE)
  }
  mastodon.reconcileWith = undefined
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published' })
  t.strictSame(mastodon.posts, ['video'])
})

t.test('calls that fail after each wait are counted in a row', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  for (let round = 0; round < FAILURES_MAX; round++) {
    for (let wait = 0; wait < 2; wait++) mastodon.steps.push({ isAccepted: false, laterMs: MINUTE })
    mastodon.steps.push({ isAccepted: false, error: unreachable() })
  }
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'video' })
  await work()
  for (let round = 0; round < 3 * FAILURES_MAX; round++) await work(HOUR)
  t.hasStrict(await readDelivery(id), { state: 'failed', attempts: FAILURES_MAX, error: { code: 'unreachable' } })
})

t.test('a waiting delivery that no worker continues is missed', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  mastodon.steps.push({ isAccepted: false, laterMs: 500 })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'long' })
  await work()
  await work(30 * DAY)
  t.hasStrict(await readDelivery(id), { state: 'missed' })
})

t.test('a state that is too large fails its own delivery, before or after the call', async (t) => {
  const mastodon = scriptedNetwork('at-most-once')
  const large = { attempt: 1, pad: 'x'.repeat(300_000) }
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, {
    mastodon: {
      ...mastodon,
      prepare: async (act) => ({ ready: act.text === 'before' ? large : { attempt: 1 } }),
      publish: async () => ({ processing: { state: large, afterMs: MINUTE } }),
    },
  })
  const before = await post({ accountIds: [await connectAccount('mastodon')], caption: 'before' })
  const after = await post({ accountIds: [await connectAccount('mastodon')], caption: 'after' })
  await work()
  const { state, error, attempts } = await readDelivery(before)
  t.strictSame([state, error?.code, attempts], ['queued', 'unexpected_answer', 1])
  t.hasStrict((await readDelivery(before)).history, [{ outcome: 'failed', intendedAt: null }])
  t.hasStrict(await readDelivery(after), { state: 'unconfirmed', error: { code: 'unexpected_answer' } })
})
