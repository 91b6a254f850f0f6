import t from 'tap'
import { LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { beforePrepare, lostResponse, scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

const SECOND = 1_000
const MINUTE = 60_000

const advance = (time: { now: Date }, ms: number) => {
  time.now = new Date(time.now.getTime() + ms)
}

t.test('a delivery whose worker dies before the call is sent by another one when the lease has ended', async (t) => {
  const mastodon = scriptedNetwork('at-most-once')
  const { connectAccount, post, createWorker, work, time, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'once' })
  const forever = new Promise<void>(() => {})
  const dying = createWorker({
    networks: { mastodon: beforePrepare(scriptedNetwork('at-most-once'), () => forever) },
  })
  t.equal(await dying.claim(), 1)
  t.equal((await readDelivery(id)).state, 'publishing')
  await work(LEASE_MS - SECOND)
  t.same(mastodon.posts, [], 'the lease may still be renewed')
  advance(time, SECOND)
  await work()
  t.same(mastodon.posts, ['once'])
})

t.test('a delivery whose worker dies during the call is reconciled, or becomes unconfirmed', async (t) => {
  const [mastodon, telegram] = [scriptedNetwork(), scriptedNetwork('at-most-once')]
  const { connectAccount, post, createWorker, work, readDelivery, ada } = await createDeliveryWorld(t, {
    mastodon,
    telegram,
  })
  const [reconciled, unknown] = [await connectAccount('mastodon'), await connectAccount('telegram')]
  const id = await post({ accountIds: [reconciled, unknown], caption: 'once' })
  const forever = () => new Promise<void>(() => {})
  mastodon.steps.push({ isAccepted: true, beforeResponse: forever })
  telegram.steps.push({ isAccepted: true, beforeResponse: forever })
  t.equal(await createWorker().claim(), 2)
  await until('both networks have their posts', () => mastodon.posts.length + telegram.posts.length === 2)
  t.hasStrict(await ada.call('DELETE', `/posts/${id}`), {
    status: 409,
    body: { error: 'Cannot delete post while it is being published' },
  })
  await work(LEASE_MS)
  t.equal(mastodon.reconcileCount, 0, 'the call may still arrive')
  await work(MINUTE)
  t.same([mastodon.posts, telegram.posts], [['once'], ['once']])
  t.hasStrict(await readDelivery(id, reconciled), { state: 'published', history: [{ outcome: 'found' }] })
  t.hasStrict(await readDelivery(id, unknown), { state: 'unconfirmed', error: { code: 'interrupted' } })
})

t.test('a worker that has lost its lease sends nothing more, and its outcomes do not count', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const threadParts = { [account]: ['one', 'two'] }
  const id = await post({ accountIds: [account], postType: 'thread', threadParts })
  const gate = Promise.withResolvers<void>()
  mastodon.steps.push({ isAccepted: true, beforeResponse: () => gate.promise })
  const slow = createWorker()
  await slow.claim()
  await until('the network has the post', () => mastodon.posts.length === 1)
  await work(MINUTE)
  t.same(mastodon.posts, ['one', 'two'])
  const before = await readDelivery(id)
  t.hasStrict(before, { state: 'published' })
  gate.resolve()
  await slow.idle()
  t.same(mastodon.posts, ['one', 'two'])
  t.same(await readDelivery(id), before)
  await post({ accountIds: [account], caption: 'next' })
  advance(time, MINUTE)
  await work()
  t.same(mastodon.posts, ['one', 'two', 'next'], 'the account is free')
})

t.test('a worker that has lost its lease before the call does not make the call', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, time } = await createDeliveryWorld(t, { mastodon })
  const gate = Promise.withResolvers<void>()
  await post({ accountIds: [await connectAccount('mastodon')], caption: 'once' })
  const slow = createWorker({ networks: { mastodon: beforePrepare(mastodon, () => gate.promise) } })
  await slow.claim()
  advance(time, MINUTE)
  await work()
  t.same(mastodon.posts, ['once'])
  gate.resolve()
  await slow.idle()
  t.same(mastodon.posts, ['once'])
})

t.test('a renewed lease keeps its delivery, and a lost one aborts it', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, time } = await createDeliveryWorld(t, { mastodon })
  await post({ accountIds: [await connectAccount('mastodon')], caption: 'long' })
  const gate = Promise.withResolvers<void>()
  let isAborted = false
  const long = beforePrepare(mastodon, (_act, io) => {
    io.signal.addEventListener('abort', () => {
      isAborted = true
    })
    return gate.promise
  })
  const slow = createWorker({ networks: { mastodon: long } })
  await slow.claim()
  for (let turn = 0; turn < 10; turn++) {
    advance(time, LEASE_MS - SECOND)
    await slow.renew()
    await work()
  }
  t.same(mastodon.posts, [])
  t.notOk(isAborted)
  advance(time, LEASE_MS)
  await work()
  t.same(mastodon.posts, ['long'])
  await slow.renew()
  t.ok(isAborted)
  gate.resolve()
  await slow.idle()
  t.same(mastodon.posts, ['long'])
})

t.test('a worker that cannot renew its leases aborts its deliveries before the leases end', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, createWorker, time } = await createDeliveryWorld(t, { mastodon })
  await post({ accountIds: [await connectAccount('mastodon')], caption: 'cut off' })
  const signals: AbortSignal[] = []
  const cutOff = createWorker({
    networks: {
      mastodon: beforePrepare(mastodon, (_act, { signal }) => {
        signals.push(signal)
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(lostResponse())))
      }),
    },
  })
  await cutOff.claim()
  await until('the adapter was called', () => signals.length === 1)
  await db.schema.alterTable('post_targets').renameTo('post_targets_away').execute()
  advance(time, 10 * SECOND)
  await t.rejects(cutOff.renew())
  t.notOk(signals[0]?.aborted)
  advance(time, 6 * SECOND)
  await t.rejects(cutOff.renew())
  t.ok(signals[0]?.aborted)
  await db.schema.alterTable('post_targets_away').renameTo('post_targets').execute()
  await cutOff.idle()
})

t.test('a call that starts late in its lease gets enough of the lease', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { connectAccount, post, createWorker, work, time, readDelivery } = await createDeliveryWorld(t, { telegram })
  const account = await connectAccount('telegram')
  const id = await post({ accountIds: [account], caption: 'first' })
  await post({ accountIds: [account], caption: 'second' })
  const [uploading, calling] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  telegram.steps.push({ isAccepted: true, beforeResponse: () => calling.promise })
  const slow = createWorker({ networks: { telegram: beforePrepare(telegram, () => uploading.promise) } })
  await slow.claim()
  advance(time, LEASE_MS / 2)
  uploading.resolve()
  await until('the network has the post', () => telegram.posts.length === 1)
  advance(time, LEASE_MS - SECOND)
  await work()
  t.same(telegram.posts, ['first'], 'neither it nor another delivery of its account is claimed')
  calling.resolve()
  await slow.idle()
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1 })
})

t.test('a worker that was suspended before one of its calls does not make it', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, time, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'asleep' })
  const calls: string[] = []
  const suspending: typeof mastodon = {
    ...mastodon,
    async publish(act, io, ready) {
      await io.fetch('https://network.example/session')
      advance(time, LEASE_MS)
      await work(MINUTE)
      await io.fetch('https://network.example/posts')
      return mastodon.publish(act, io, ready)
    },
  }
  const fetch = async (url: Parameters<typeof globalThis.fetch>[0]) => {
    calls.push(String(url))
    return new Response()
  }
  const asleep = createWorker({ networks: { mastodon: suspending }, fetch })
  await asleep.claim()
  await asleep.idle()
  t.same(calls, ['https://network.example/session'])
  t.same(mastodon.posts, ['asleep'], 'another worker has sent it')
  t.hasStrict(await readDelivery(id), {
    state: 'published',
    history: [{ outcome: 'absent' }, { outcome: 'published' }],
  })
})

t.test('a worker that was suspended after the intent does not make its call', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'asleep' })
  let uptime = 0
  const asleep = createWorker({
    uptimeMs: () => {
      uptime += 20 * SECOND
      return uptime
    },
  })
  await asleep.claim()
  await asleep.idle()
  t.same(mastodon.posts, [])
  await work(MINUTE)
  t.same(mastodon.posts, ['asleep'])
  t.hasStrict((await readDelivery(id)).history, [{ outcome: 'failed' }, { outcome: 'published' }])
  t.equal(mastodon.reconcileCount, 0, 'the call was certainly not made')
})
