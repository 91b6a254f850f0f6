import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { beforePrepare, lostResponse, scriptedNetwork, withAbortableCalls } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

const MINUTE = 60_000

const advance = (time: { now: Date }, ms: number) => {
  time.now = new Date(time.now.getTime() + ms)
}

t.test('a draining worker gives back what it has not sent, and settles what it has', async (t) => {
  const mastodon = scriptedNetwork('reconcilable', 2)
  const { connectAccount, post, createWorker, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const [sending, preparing] = [await connectAccount('mastodon'), await connectAccount('mastodon')]
  const first = await post({ accountIds: [sending], caption: 'sending' })
  const second = await post({ accountIds: [preparing], caption: 'preparing' })
  const stopping = createWorker({
    networks: {
      mastodon: beforePrepare(mastodon, async (act, io) => {
        const aborted = new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve()))
        if (act.accountId === preparing) {
          await aborted
          io.signal.throwIfAborted()
        }
        mastodon.steps.push({ isAccepted: true, beforeResponse: () => aborted, error: lostResponse() })
      }),
    },
  })
  t.equal(await stopping.claim(), 2)
  await until('the network has the post', () => mastodon.posts.length === 1)
  await stopping.drain()
  t.hasStrict(await readDelivery(second), {
    state: 'queued',
    attempts: 0,
    error: null,
    nextAttemptAt: time.now.toISOString(),
  })
  t.hasStrict(await readDelivery(first), { state: 'queued', history: [{ outcome: 'unknown' }] })
  await work(MINUTE)
  t.same(mastodon.posts, ['sending', 'preparing'])
})

t.test('a draining worker lets a running call get its response', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { connectAccount, post, createWorker, readDelivery } = await createDeliveryWorld(t, { telegram })
  const id = await post({ accountIds: [await connectAccount('telegram')], caption: 'made' })
  const gate = Promise.withResolvers<void>()
  telegram.steps.push({ isAccepted: true, beforeResponse: () => gate.promise })
  const stopping = createWorker({ networks: { telegram: withAbortableCalls(telegram) } })
  await stopping.claim()
  await until('the network has the post', () => telegram.posts.length === 1)
  const drained = stopping.drain({ calls: false })
  gate.resolve()
  await drained
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1 })
})

t.test('a worker that drains during reconcile gives the delivery back immediately', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'once' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  advance(time, MINUTE)
  let isReconciling = false
  const stopping = createWorker({
    networks: {
      mastodon: {
        ...mastodon,
        reconcile: (_act, { signal }) => {
          isReconciling = true
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(lostResponse())))
        },
      },
    },
  })
  await stopping.claim()
  await until('reconcile was called', () => isReconciling)
  await stopping.drain()
  t.hasStrict(await readDelivery(id), {
    state: 'queued',
    nextAttemptAt: time.now.toISOString(),
    history: [{ outcome: 'unknown' }],
  })
  await work()
  t.same(mastodon.posts, ['once'])
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: 'n1', attempts: 1 })
})

t.test('a draining worker starts no call, neither the first nor the next', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'first' })
  const ignoring = createWorker({
    networks: {
      mastodon: beforePrepare(mastodon, () => {
        begun.resolve()
        return gate.promise
      }),
    },
  })
  await ignoring.claim()
  await begun.promise
  const drained = ignoring.drain({ calls: false })
  gate.resolve()
  await drained
  t.same(mastodon.posts, [], 'also if the adapter ignores the signal')
  t.hasStrict(await readDelivery(id), { state: 'queued', attempts: 0, error: null })
  await work()

  const account = await connectAccount('mastodon')
  const thread = await post({ accountIds: [account], postType: 'thread', threadParts: { [account]: ['one', 'two'] } })
  const preparing = Promise.withResolvers<void>()
  const stopping = createWorker({
    networks: {
      mastodon: beforePrepare(mastodon, (act, io) => {
        if (act.text === 'one') return
        preparing.resolve()
        return new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(lostResponse())))
      }),
    },
  })
  await stopping.claim()
  await preparing.promise
  await stopping.drain({ calls: false })
  t.hasStrict(await readDelivery(thread), { state: 'queued', acts: [{}], attempts: 1 })
  await work()
  t.same(mastodon.posts, ['first', 'one', 'two'])
})
