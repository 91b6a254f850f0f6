import t from 'tap'
import { Duplicate } from '../../src/platforms/contract/publish-error.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

t.test('after a lost response, reconcile finds the act, and it is not sent again', async (t) => {
  for (const guarantee of ['exactly-once', 'reconcilable'] as const) {
    const mastodon = scriptedNetwork(guarantee)
    const { ada, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
    const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'once', firstComment: 'and' })
    mastodon.steps.push({ isAccepted: true, error: lostResponse() })
    await work()
    t.hasStrict(await readDelivery(id), {
      state: 'queued',
      publishedAt: null,
      latenessMs: null,
      error: { code: 'timeout' },
    })
    const [attempt] = (await readDelivery(id)).history
    t.hasStrict(attempt, { outcome: 'unknown', error: { code: 'timeout' } })
    t.equal(await readStatus(id), 'published', 'it may be published')
    t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 400)
    t.equal(mastodon.reconcileCount, 0, 'the call may still arrive')
    await work(MINUTE)
    t.equal(mastodon.reconcileCount, 1)
    t.same(mastodon.posts, ['once', 'and'])
    t.hasStrict(await readDelivery(id), { state: 'published', attempts: 2, externalId: 'n1', error: null })
    const { history } = await readDelivery(id)
    t.hasStrict(history, [{ act: 1 }, { act: 2, outcome: 'published' }])
    t.same(history[0], { ...attempt, outcome: 'found' }, 'the end and the error of the attempt are not changed')
  }
})

t.test('an act that reconcile does not find is sent again under the same token', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'twice' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() })
  await work()
  await work(MINUTE)
  t.same(mastodon.posts, ['twice'])
  t.equal(mastodon.acts[0]?.token, mastodon.acts[1]?.token)
  t.same(mastodon.acts[0]?.startedAt, mastodon.acts[1]?.startedAt)
  t.hasStrict((await readDelivery(id)).history, [{ outcome: 'absent' }, { outcome: 'published' }])
  t.equal(await readStatus(id), 'published')
})

t.test('where a network cannot be queried, a lost call becomes unconfirmed and is never sent again', async (t) => {
  for (const isAccepted of [true, false]) {
    const telegram = scriptedNetwork('at-most-once')
    const { connectAccount, post, work, readDelivery, readStatus, ada } = await createDeliveryWorld(t, { telegram })
    const account = await connectAccount('telegram')
    const id = await post({ accountIds: [account], caption: 'perhaps' })
    telegram.steps.push({ isAccepted, error: lostResponse() })
    await work()
    await work(HOUR)
    await work(2 * DAY)
    t.equal(telegram.acts.length, 1)
    t.hasStrict(await readDelivery(id), { state: 'unconfirmed', publishedAt: null, nextAttemptAt: null })
    t.equal(await readStatus(id), 'published')
    t.hasStrict(await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`), { status: 409 })
    t.hasStrict(await ada.call('POST', `/posts/${id}/publish`), { status: 409 })
  }
})

t.test(
  'an act that reconcile cannot decide becomes unconfirmed, and its owner can have it reconciled again',
  async (t) => {
    const mastodon = scriptedNetwork()
    const { connectAccount, post, work, readDelivery, ada } = await createDeliveryWorld(t, { mastodon })
    const account = await connectAccount('mastodon')
    const id = await post({ accountIds: [account], caption: 'perhaps' })
    mastodon.steps.push({ isAccepted: true, error: lostResponse() })
    mastodon.reconcileWith = async () => 'unknown'
    await work()
    await work(MINUTE)
    t.hasStrict(await readDelivery(id), { state: 'unconfirmed', error: { code: 'unknown_outcome' } })
    mastodon.reconcileWith = undefined
    t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
    await work(MINUTE)
    t.hasStrict(await readDelivery(id), { state: 'published', externalId: 'n1' })
    t.same(mastodon.posts, ['perhaps'])
  },
)

t.test(
  'a reconcile that cannot reach the network is repeated, and then the delivery becomes unconfirmed',
  async (t) => {
    const mastodon = scriptedNetwork()
    const { connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
    const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'perhaps' })
    mastodon.steps.push({ isAccepted: true, error: lostResponse() })
    mastodon.reconcileWith = async () => {
      throw refusal('unreachable', { retryable: true })
    }
    for (let hour = 0; hour < 12; hour++) await work(HOUR)
    t.equal(mastodon.reconcileCount, 7)
    t.hasStrict(await readDelivery(id), { state: 'unconfirmed', attempts: 1, error: { code: 'unreachable' } })
    t.equal(await readStatus(id), 'published')
    t.same(mastodon.posts, ['perhaps'])
  },
)

t.test('a reconcile that is refused leaves the delivery unconfirmed, and its account gets attention', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'perhaps' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  mastodon.reconcileWith = async () => {
    throw refusal('unauthorized', { needsAttention: true })
  }
  for (let hour = 0; hour < 3; hour++) await work(HOUR)
  t.equal(mastodon.reconcileCount, 1)
  t.hasStrict(await readDelivery(id), { state: 'unconfirmed', nextAttemptAt: null, error: { code: 'unauthorized' } })
  t.equal(await readStatus(id), 'published')
  t.hasStrict((await ada.call('GET', '/accounts')).body.data, [{ attention: { code: 'unauthorized' } }])
})

t.test('a lost call is reconciled even when it is the last allowed failure', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'at last' })
  for (let attempt = 1; attempt <= 7; attempt++) {
    mastodon.steps.push({ isAccepted: false, error: refusal('unreachable', { retryable: true }) })
  }
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  for (let hour = 0; hour < 10; hour++) await work(HOUR)
  t.same(mastodon.posts, ['at last'])
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 8 })
})

t.test('an act that another delivery has sent does not count as found', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const first = await post({ accountIds: [account], caption: 'Good morning' })
  await work()
  const second = await post({ accountIds: [account], caption: 'Good morning' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() })
  mastodon.reconcileWith = async () => ({ id: 'n1', url: null })
  await work()
  await work(MINUTE)
  t.hasStrict(await readDelivery(first), { state: 'published', externalId: 'n1' })
  t.hasStrict(await readDelivery(second), {
    state: 'unconfirmed',
    externalId: null,
    error: { code: 'unknown_outcome' },
  })
})

t.test(
  'an act that is out for certain is published without an id, where another delivery has sent what was found',
  async (t) => {
    const mastodon = scriptedNetwork()
    const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
    const account = await connectAccount('mastodon')
    await post({ accountIds: [account], caption: 'Good morning' })
    await work()
    const located = async (id: string) => {
      const second = await post({ accountIds: [account], caption: 'Good morning' })
      mastodon.steps.push({ isAccepted: true, error: lostResponse() })
      mastodon.reconcileWith = async () => ({ id, url: null, isOut: true })
      await work()
      await work(MINUTE)
      return readDelivery(second)
    }
    t.hasStrict(await located('n1'), { state: 'published', externalId: null, error: null })
    t.hasStrict(await located('n3'), { state: 'published', externalId: 'n3', error: null })
  },
)

t.test('a delivery whose calls are lost eight times and never found has failed', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'never' })
  for (let call = 0; call < 20; call++) mastodon.steps.push({ isAccepted: false, error: lostResponse() })
  for (let hour = 0; hour < 20; hour++) await work(HOUR)
  t.equal(mastodon.acts.length, 8)
  t.hasStrict(await readDelivery(id), { state: 'failed', attempts: 8, error: { code: 'timeout', retryable: true } })
  t.hasStrict((await readDelivery(id)).history, Array(8).fill({ outcome: 'absent' }))
  t.equal(await readStatus(id), 'scheduled')
})

t.test('a retry by the owner does not shorten the wait before reconcile', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'once' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  const { nextAttemptAt } = await readDelivery(id)
  t.ok(Date.parse(nextAttemptAt!) >= time.now.getTime() + 30 * SECOND)
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  t.equal((await readDelivery(id)).nextAttemptAt, nextAttemptAt)
  await work(SECOND)
  t.equal(mastodon.reconcileCount, 0)
})

t.test('the guarantee may depend on the account and the act', async (t) => {
  const mastodon = scriptedNetwork()
  mastodon.guarantee = ({ kind }) => (kind === 'comment' ? 'at-most-once' : 'reconcilable')
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'found', firstComment: 'lost' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() }, { isAccepted: true, error: lostResponse() })
  await work()
  await work(MINUTE)
  t.equal(mastodon.reconcileCount, 1)
  t.hasStrict(await readDelivery(id), { state: 'unconfirmed', externalId: 'n1' })
  await work(DAY)
  t.equal(mastodon.reconcileCount, 1, 'only the post is looked up')
  t.same(mastodon.posts, ['found', 'lost'])
})

t.test('a network whose posts show late is queried late', async (t) => {
  const mastodon = Object.assign(scriptedNetwork(), { showsWithinMs: 2 * MINUTE })
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'late' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  await work(2 * MINUTE - SECOND)
  t.equal(mastodon.reconcileCount, 0)
  await work(SECOND)
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: 'n1' })
})

t.test('an act that its network refuses as a copy of an earlier one is the earlier one', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const duplicateOf = (id: string) =>
    new Duplicate(`network.example: a duplicate of ${id}`, { id, url: `https://network.example/${id}` })

  const id = await post({ accountIds: [account], caption: 'not listed yet' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() }, { isAccepted: false, error: duplicateOf('n1') })
  mastodon.reconcileWith = async () => 'absent'
  await work()
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: 'n1', error: null })
  t.hasStrict((await readDelivery(id)).history, [{ outcome: 'absent' }, { outcome: 'found' }])

  const copy = await post({ accountIds: [account], caption: 'not listed yet' })
  mastodon.steps.push({ isAccepted: false, error: duplicateOf('n1') })
  await work()
  t.hasStrict(
    await readDelivery(copy),
    { state: 'failed', error: { code: 'content_refused', message: 'network.example: a duplicate of n1' } },
    'another delivery sent the earlier one',
  )
})
