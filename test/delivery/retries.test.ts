import t from 'tap'
import { backoffMs } from '../../src/engine/delivery/failures.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

t.test(
  'a delivery that the network refuses fails with the words of the network, and its post can be deleted',
  async (t) => {
    const mastodon = scriptedNetwork()
    const { ada, connectAccount, post, work, readStatus, readDelivery } = await createDeliveryWorld(t, { mastodon })
    const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'no' })
    mastodon.steps.push({ isAccepted: false, error: refusal() })
    await work()
    await work(DAY)
    t.equal(mastodon.acts.length, 1)
    const error = { code: 'content_refused', message: 'network.example: no', retryable: false }
    t.hasStrict(await readDelivery(id), {
      state: 'failed',
      attempts: 1,
      error,
      history: [{ outcome: 'failed', error }],
    })
    t.equal(await readStatus(id), 'scheduled')
    t.hasStrict(await ada.call('DELETE', `/posts/${id}`), { status: 200 })
  },
)

t.test('a passing failure is retried with growing pauses, and fails after eight attempts', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery, time, readStatus } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'again' })
  const waits: number[] = []
  for (let attempt = 1; attempt <= 8; attempt++) {
    mastodon.steps.push({
      isAccepted: false,
      error: refusal('unreachable', { retryable: true }),
      isEarly: attempt % 2 === 0,
    })
    await work()
    t.equal(mastodon.acts.length, attempt)
    const { state, nextAttemptAt } = await readDelivery(id)
    if (attempt === 8) t.equal(state, 'failed')
    else {
      t.equal(state, 'queued')
      waits.push(Date.parse(nextAttemptAt!) - time.now.getTime())
      await work(waits.at(-1)! - 1)
      t.equal(mastodon.acts.length, attempt, 'no attempt before nextAttemptAt')
      time.now = new Date(time.now.getTime() + 1)
    }
  }
  for (const [index, wait] of waits.entries()) {
    const longest = Math.min(30 * SECOND * 2 ** index, HOUR)
    t.ok(wait > longest / 2 && wait <= longest, `${wait} ms after failure ${index + 1}`)
  }
  t.hasStrict(await readDelivery(id), { attempts: 8, error: { code: 'unreachable', retryable: true } })
  t.equal(await readStatus(id), 'scheduled')

  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  mastodon.steps.push({ isAccepted: false, error: refusal('unreachable', { retryable: true }) })
  await work(MINUTE)
  t.hasStrict(
    await readDelivery(id),
    { state: 'queued', attempts: 9 },
    'a retry by the owner resets the count of failures',
  )
})

t.test('a delivery that waits for a retry lets later ones of its account pass', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work } = await createDeliveryWorld(t, { mastodon })
  const accountIds = [await connectAccount('mastodon')]
  mastodon.steps.push({ isAccepted: false, error: refusal('unreachable', { retryable: true }) })
  await post({ accountIds, caption: 'first' })
  await work()
  await post({ accountIds, caption: 'second' })
  await work()
  t.same(mastodon.posts, ['second'])
  await work(MINUTE)
  t.same(mastodon.posts, ['second', 'first'])
})

t.test('short pauses that the network requests grow from the second failure on', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'patient' })
  const error = refusal('rate_limited', { retryable: true, retryAfterMs: SECOND })
  for (let attempt = 1; attempt <= 7; attempt++) mastodon.steps.push({ isAccepted: false, error })
  await work()
  const waits: number[] = []
  for (;;) {
    const { nextAttemptAt } = await readDelivery(id)
    if (!nextAttemptAt) break
    waits.push(Date.parse(nextAttemptAt) - time.now.getTime())
    await work(waits.at(-1)!)
  }
  t.same(mastodon.posts, ['patient'])
  t.equal(waits.length, 7)
  for (const [index, wait] of waits.entries()) {
    const longest = index === 0 ? SECOND : 30 * SECOND * 2 ** index
    t.ok(wait > longest / 2 && wait <= longest, `${wait} ms after the ${index + 1}. time`)
  }
})

t.test('pauses between attempts are random, unless the network names one', async (t) => {
  const waits = new Set(Array.from({ length: 20 }, () => backoffMs(1, { retryAfterMs: undefined })))
  t.ok(waits.size > 10)
  for (const ms of [SECOND, 10 * MINUTE]) t.equal(backoffMs(1, { retryAfterMs: ms }), ms)
  t.equal(backoffMs(1, { retryAfterMs: 0 }), SECOND, 'no pause is shorter than a second')
})

t.test('an internal error before the intent is retried, and after it leaves the delivery unconfirmed', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { telegram })
  const account = await connectAccount('telegram')
  telegram.steps.push({ isAccepted: true, error: new TypeError('undefined is no function') })
  const id = await post({ accountIds: [account], caption: 'after' })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'unconfirmed', error: { code: 'internal_error' } })
  telegram.steps.push({ isAccepted: false, error: new TypeError('undefined is no function'), isEarly: true })
  const before = await post({ accountIds: [account], caption: 'before' })
  await work(MINUTE)
  t.hasStrict(await readDelivery(before), { state: 'queued', error: { code: 'internal_error' } })
})
