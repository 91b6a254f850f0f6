import t from 'tap'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import type { Containers } from '../../src/platforms/families/meta/containers.ts'
import { threadsAdapter } from '../../src/platforms/threads/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { errorBody, throttled } from '../networks/fakes/meta.ts'
import { reset } from '../networks/fakes/network.ts'
import { type FakeThreads, startThreads } from '../networks/fakes/threads.ts'

const { send } = clientOf(threadsAdapter)
const PUBLISH = 'POST /v1.0/me/threads_publish'

const io = (fake: FakeThreads) => ({ ...ioOf(fake), credentials: fake.credentials })

/** Prepares until the act is ready. */
async function prepare(fake: FakeThreads, act: Act, saved: Containers | null = null): Promise<Containers> {
  const prepared = await threadsAdapter.prepare(act, io(fake), saved)
  return 'ready' in prepared ? prepared.ready : prepare(fake, act, prepared.later.state)
}

/** Loses the response of the call that publishes. */
async function lose(t: Teardown, act: Act, isCarriedOut: boolean, change: (fake: FakeThreads) => void = () => {}) {
  const fake = await startThreads(t)
  change(fake)
  const ready = await prepare(fake, act)
  fake.faults.push({ on: PUBLISH, after: isCarriedOut, instead: reset })
  await rejection(Promise.resolve(threadsAdapter.publish(act, io(fake), ready)))
  return { fake, ready }
}

/** Reconciles until no more time is needed. Returns the result and the pauses. */
async function reconcile(fake: FakeThreads, act: Act, ready: Containers) {
  const pauses: number[] = []
  for (let state = ready; ; ) {
    const found = await threadsAdapter.reconcile!(act, io(fake), state)
    if (typeof found !== 'object' || !('processing' in found)) return { found, pauses }
    state = found.processing.state
    pauses.push(found.processing.afterMs)
  }
}

const calls = ({ log }: FakeThreads, name: string) => log.filter((each) => each === name).length

t.test('a post whose response was lost is found by its container and its text', async (t) => {
  const acts = [
    actOf(),
    actOf({ media: [fileOf('image/png')], text: 'With an image' }),
    actOf({ media: [fileOf('video/mp4'), fileOf('image/png')], text: '' }),
  ]
  for (const act of acts) {
    const { fake, ready } = await lose(t, act, true)
    t.same(await reconcile(fake, act, ready), {
      found: { id: fake.posts[0]?.id, url: fake.posts[0]?.permalink, isOut: true },
      pauses: [],
    })
    t.equal(calls(fake, PUBLISH), 1)
  }
  const { fake, ready } = await lose(t, actOf(), true, (fake) => {
    fake.lag = 2
  })
  t.match(await reconcile(fake, actOf(), ready), { found: { id: fake.posts[0]?.id }, pauses: [5_000, 20_000] })
})

t.test('a post is found whether or not Threads keeps the white space of texts', async (t) => {
  const act = actOf({ text: 'A lighthouse \n\n\n  at dusk ' })
  for (const tidiesTexts of [false, true]) {
    const { fake, ready } = await lose(t, act, true, (fake) => {
      fake.tidiesTexts = tidiesTexts
    })
    t.match((await reconcile(fake, act, ready)).found, { id: fake.posts[0]?.id })
  }
})

t.test('a reply whose response was lost is found by its parent', async (t) => {
  const fake = await startThreads(t)
  const root = await send(actOf(), fake.credentials, ioOf(fake))
  const other = fake.post('Another')
  const act = actOf({ text: 'Me too', parent: root, root })
  const ready = await prepare(fake, act)
  fake.faults.push({ on: PUBLISH, after: true, instead: reset })
  await rejection(Promise.resolve(threadsAdapter.publish(act, io(fake), ready)))
  const own = fake.posts[0]?.id
  fake.post('Me too', other.id)
  t.match((await reconcile(fake, act, ready)).found, { id: own })
})

t.test('a post that is live and cannot be told from others is published without an id', async (t) => {
  const { fake, ready } = await lose(t, actOf(), true)
  fake.post('A lighthouse at dusk')
  const several = { found: { id: null, url: null }, pauses: [5_000, 20_000, 60_000, 300_000] }
  t.same(await reconcile(fake, actOf(), ready), several)

  const none = await lose(t, actOf(), true)
  none.fake.posts.length = 0
  t.same(await reconcile(none.fake, actOf(), none.ready), several)

  const parent = fake.post('Hello')
  const reply = actOf({ text: 'Hi', parent: { id: parent.id, url: null } })
  const state = await prepare(fake, reply)
  await threadsAdapter.publish(reply, io(fake), state)
  const token = fake.tokens.issue('long', ['threads_basic', 'threads_content_publish', 'threads_manage_replies'])
  const limited = { ...io(fake), credentials: { accessToken: token } }
  t.same(await threadsAdapter.reconcile!(reply, limited, state), { id: null, url: null }, 'replies cannot be read')
})

t.test('a carousel is told from others by its children', async (t) => {
  const act = actOf({ media: [fileOf('image/png'), fileOf('image/png')], text: 'Two' })
  const { fake, ready } = await lose(t, act, true)
  const own = fake.posts[0]?.id
  await send(actOf({ media: [fileOf('image/png'), fileOf('image/png')], text: 'Two' }), fake.credentials, ioOf(fake))
  t.match((await reconcile(fake, act, ready)).found, { id: own })
})

t.test('a container that stays finished was not published, and is published once more', async (t) => {
  const { fake, ready } = await lose(t, actOf(), false)
  const { found, pauses } = await reconcile(fake, actOf(), ready)
  t.same([found, pauses], ['absent', [10_000, 30_000, 120_000, 600_000]])
  const again = await prepare(fake, actOf(), ready)
  t.equal(again.id, ready.id, 'the same container')
  await threadsAdapter.publish(actOf(), io(fake), again)
  t.equal(fake.posts.length, 1)
})

t.test('a container that was published late is not published again', async (t) => {
  const { fake, ready } = await lose(t, actOf(), true)
  const again = await prepare(fake, actOf(), ready)
  const result = await threadsAdapter.publish(actOf(), io(fake), again)
  t.match(result, { processing: { state: { isPublished: true } } })
  t.equal(calls(fake, PUBLISH), 1)
  t.match((await reconcile(fake, actOf(), again)).found, { id: fake.posts[0]?.id })
})

t.test('a container that reads as finished after it was published is not published again', async (t) => {
  const { fake, ready } = await lose(t, actOf(), true, (fake) => {
    fake.statusLag = 3
  })
  const { found, pauses } = await reconcile(fake, actOf(), ready)
  t.same(
    [found, pauses],
    [{ id: fake.posts[0]?.id, url: fake.posts[0]?.permalink, isOut: true }, [10_000, 30_000, 120_000]],
  )
  t.equal(fake.posts.length, 1)
})

t.test('Threads publishes in spite of a 5xx, and the post is there once', async (t) => {
  const fake = await startThreads(t)
  const ready = await prepare(fake, actOf())
  const denied = { status: 500, body: errorBody(10, 'Application does not have permission for this action') }
  fake.faults.push({ on: PUBLISH, after: true, instead: denied })
  const error = await rejection(Promise.resolve(threadsAdapter.publish(actOf(), io(fake), ready)))
  t.has(error, { code: 'server_error', maybeSent: true })
  t.match((await reconcile(fake, actOf(), ready)).found, { id: fake.posts[0]?.id })
  t.equal(fake.posts.length, 1)
})

t.test('a finished container that cannot be published yet is published later', async (t) => {
  const fake = await startThreads(t)
  fake.next.hiddenPublish = 1
  const ready = await prepare(fake, actOf())
  const error = await rejection(Promise.resolve(threadsAdapter.publish(actOf(), io(fake), ready)))
  t.has(error, { code: 'timeout', maybeSent: false, retryable: true })
  await threadsAdapter.publish(actOf(), io(fake), await prepare(fake, actOf(), ready))
  t.equal(calls(fake, 'POST /v1.0/me/threads'), 1)
  t.equal(fake.posts.length, 1)
})

t.test('a container that is not shown yet is waited for, and then replaced', async (t) => {
  const fake = await startThreads(t)
  fake.next.hidden = 3
  await send(actOf(), fake.credentials, ioOf(fake))
  t.equal(calls(fake, 'POST /v1.0/me/threads'), 1)
  fake.next.hidden = 11
  const pause = () => {
    if (calls(fake, 'POST /v1.0/me/threads') === 2) fake.next.hidden = 0
  }
  await send(actOf(), fake.credentials, ioOf(fake, { pause }))
  t.equal(calls(fake, 'POST /v1.0/me/threads'), 3)
  t.equal(fake.posts.length, 2)
})

t.test('a failed container is refused, or replaced where another may succeed', async (t) => {
  const fake = await startThreads(t)
  fake.next.problem = 'INVALID_DURATION'
  const film = actOf({ media: [fileOf('video/mp4')] })
  const error = await rejection(send(film, fake.credentials, ioOf(fake)))
  t.has(error, { code: 'content_refused', maybeSent: false, retryable: false })
  t.equal(error.message, 'Threads could not process the post: INVALID_DURATION')
  fake.next.problem = 'UNKNOWN'
  const before = calls(fake, 'POST /v1.0/me/threads')
  t.has(await rejection(send(film, fake.credentials, ioOf(fake))), { code: 'content_refused' })
  t.equal(calls(fake, 'POST /v1.0/me/threads') - before, 3)
  fake.next.problem = undefined
  await send(film, fake.credentials, ioOf(fake))
  t.equal(fake.posts.length, 1)
})

t.test('a container that has expired is replaced', async (t) => {
  const fake = await startThreads(t)
  const ready = await prepare(fake, actOf())
  fake.setTime(new Date(Date.now() + 25 * 3_600_000))
  t.same((await reconcile(fake, actOf(), ready)).found, 'absent')
  const again = await prepare(fake, actOf(), ready)
  t.not(again.id, ready.id)
  await threadsAdapter.publish(actOf(), io(fake), again)
  t.equal(fake.posts.length, 1)
})

t.test('limits and refused tokens are recognised by their codes', async (t) => {
  const fake = await startThreads(t)
  const failing = (token = fake.credentials.accessToken) => rejection(send(actOf(), { accessToken: token }, ioOf(fake)))
  fake.quota.posts = 0
  const quota = await failing()
  t.has(quota, { code: 'rate_limited', maybeSent: false, retryAfterMs: 3 * 3_600_000 })
  for (const code of [4, 9]) {
    fake.quotaError = { code }
    t.has(await failing(), { code: 'rate_limited', maybeSent: false, retryable: true }, `${code}`)
  }
  fake.quota.posts = 250
  const usage = { 1: [{ type: 'threads', call_count: 100, estimated_time_to_regain_access: 19 }] }
  const headers = { 'x-business-use-case-usage': JSON.stringify(usage) }
  fake.faults.push({ on: PUBLISH, instead: { ...throttled(1), headers } })
  t.has(await failing(), { code: 'rate_limited', retryAfterMs: 19 * 60_000 })
  for (const [token, code] of [
    ['unknown', 'unauthorized'],
    ['with\nbreak', 'unauthorized'],
    [fake.tokens.issue('long', ['threads_basic']), 'unauthorized'],
  ] as const) {
    const error = await failing(token)
    t.has(error, { code, needsAttention: true, retryable: false }, token)
    t.notOk(error.message.includes(token))
  }
  fake.tokens.expire(fake.credentials.accessToken)
  t.has(await failing(), { code: 'unauthorized', needsAttention: true })
  t.equal(fake.posts.length, 0)
})
