import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

t.test('a post that no network has is scheduled again', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, {
    mastodon,
    bluesky,
  })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'nowhere' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() }, { isAccepted: false, error: refusal() })
  await work()
  t.equal(await readStatus(id), 'published')
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'failed', attempts: 2, error: { code: 'content_refused' } })
  t.equal(await readStatus(id), 'scheduled')
  t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200)

  const accountIds = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const both = await post({ accountIds, caption: 'somewhere' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() }, { isAccepted: false, error: refusal() })
  await work()
  await work(MINUTE)
  t.equal(await readStatus(both), 'published', 'the other account has published it')
})

t.test('the status of a post follows all of its deliveries', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork('exactly-once')]
  const { ada, connectAccount, post, createWorker, work, readStatus, time } = await createDeliveryWorld(t, {
    mastodon,
    bluesky,
  })
  const accountIds = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const gate = Promise.withResolvers<void>()
  const id = await post({ accountIds, caption: 'nowhere' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() }, { isAccepted: false, error: refusal() })
  const calling = Promise.withResolvers<void>()
  const hold = () => {
    calling.resolve()
    return gate.promise
  }
  bluesky.steps.push({ isAccepted: false, error: refusal(), beforeResponse: hold })
  const slow = createWorker()
  await slow.claim()
  await calling.promise
  await until('the post is published', () => readStatus(id), { isMet: (status) => status === 'published' })
  for (let turn = 0; turn < 6; turn++) {
    time.now = new Date(time.now.getTime() + 10 * SECOND)
    await slow.renew()
    await work()
  }
  t.equal(mastodon.acts.length, 2)
  t.equal(await readStatus(id), 'published', 'one of them may still be published')
  gate.resolve()
  await slow.idle()
  t.equal(await readStatus(id), 'scheduled', 'all have failed')
  t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200)

  const open = await post({ accountIds, caption: 'somewhere' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() }, { isAccepted: false, error: refusal() })
  bluesky.steps.push({ isAccepted: true, error: lostResponse() })
  bluesky.reconcileWith = async () => 'unknown'
  await work(MINUTE)
  await work(MINUTE)
  t.equal(await readStatus(open), 'published', 'one of them may be published')
})

t.test('a post becomes scheduled again when the last call that may have published it has failed', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork('exactly-once')]
  const { ada, connectAccount, post, createWorker, work, readDelivery, readStatus, time } = await createDeliveryWorld(
    t,
    { mastodon, bluesky },
  )
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const id = await post({ accountIds: [first, second], caption: 'nowhere' })
  const gate = Promise.withResolvers<void>()
  const calling = Promise.withResolvers<void>()
  const hold = () => {
    calling.resolve()
    return gate.promise
  }
  mastodon.steps.push({ isAccepted: false, error: lostResponse() }, { isAccepted: false, error: refusal() })
  const later = refusal('rate_limited', { retryable: true, retryAfterMs: HOUR })
  bluesky.steps.push({ isAccepted: false, error: later, beforeResponse: hold })
  const slow = createWorker()
  await slow.claim()
  await calling.promise
  await until('the post is published', () => readStatus(id), { isMet: (status) => status === 'published' })
  for (let turn = 0; turn < 6; turn++) {
    time.now = new Date(time.now.getTime() + 10 * SECOND)
    await slow.renew()
    await work()
  }
  t.hasStrict(await readDelivery(id, first), { state: 'failed' })
  t.equal(await readStatus(id), 'published', 'the other call may still arrive')
  gate.resolve()
  await slow.idle()
  t.hasStrict(await readDelivery(id, second), { state: 'queued' })
  t.equal(await readStatus(id), 'scheduled')
  t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200)
})

t.test('a post whose only act is absent can be deleted while it waits for a retry', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readStatus } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'absent' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() })
  mastodon.steps.push({ isAccepted: false, error: refusal('rate_limited', { retryable: true, retryAfterMs: HOUR }) })
  await work()
  t.equal(await readStatus(id), 'published')
  await work(MINUTE)
  t.equal(mastodon.acts.length, 2)
  t.equal(await readStatus(id), 'scheduled')
  t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200)
})
