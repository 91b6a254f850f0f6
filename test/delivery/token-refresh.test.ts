import t from 'tap'
import { createRefreshWorld } from '../helpers/refresh-world.ts'
import { lostResponse, refusal } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

const refused = () => refusal('unauthorized', { needsAttention: true })
const unauthorized = (options: object = {}) => ({ isAccepted: false, error: refused(), ...options })

t.test('a delivery waits for the refresh of an access token that has expired, and counts no attempt', async (t) => {
  const { connect, post, work, refresh, network, readDelivery, time } = await createRefreshWorld(t)
  const account = await connect()
  time.now = new Date(time.now.getTime() + 2.1 * HOUR)
  const id = await post({ accountIds: [account], caption: 'waited' })
  await work()
  t.same(network.acts, [])
  t.hasStrict(await readDelivery(id), { state: 'queued', attempts: 0, error: null })
  t.same(await refresh(), ['refreshed'])
  await work(MINUTE)
  t.same(network.posts, ['waited'])
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1 })
})

t.test('a call that was lost is looked for after the refresh', async (t) => {
  const { connect, post, work, refresh, network, readDelivery } = await createRefreshWorld(t)
  const account = await connect()
  network.steps.push({ isAccepted: true, error: lostResponse() })
  const id = await post({ accountIds: [account], caption: 'once' })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued', history: [{ outcome: 'unknown' }] })
  await work(2.1 * HOUR)
  t.equal(network.reconcileCount, 0)
  await refresh()
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published', history: [{ outcome: 'found' }] })
  t.same(network.posts, ['once'])
})

t.test('a delivery that waits for a refresh for too long is missed', async (t) => {
  const { connect, post, work, steps, refresh, readDelivery, time } = await createRefreshWorld(t)
  const account = await connect()
  time.now = new Date(time.now.getTime() + 2.1 * HOUR)
  const id = await post({ accountIds: [account], caption: 'too late' })
  for (let hour = 0; hour < 30; hour++) {
    steps.push({ error: refusal('rate_limited', { retryable: true, retryAfterMs: HOUR }) })
    await refresh(HOUR)
  }
  await work()
  t.hasStrict(await readDelivery(id), { state: 'missed', error: { code: 'too_late' } })
})

t.test('a refused access token is refreshed, and then the delivery is tried again', async (t) => {
  const { connect, post, work, refresh, network, readDelivery, account } = await createRefreshWorld(t)
  const id = await connect({ ms: 100 * HOUR })
  for (const step of [unauthorized(), unauthorized({ isEarly: true })]) {
    network.steps.push(step)
    const postId = await post({ accountIds: [id], caption: 'refused once' })
    await work()
    t.hasStrict(await readDelivery(postId), { state: 'queued', error: { code: 'unauthorized', retryable: true } })
    t.equal((await account(id)).attention, undefined)
    t.same(await refresh(), ['refreshed'])
    await work(2 * MINUTE)
    t.hasStrict(await readDelivery(postId), { state: 'published', attempts: 2 })
  }
})

t.test('a search for a lost call that is refused is repeated after a refresh', async (t) => {
  const { connect, post, work, refresh, network, readDelivery } = await createRefreshWorld(t)
  const account = await connect({ ms: 100 * HOUR })
  network.steps.push({ isAccepted: true, error: lostResponse() })
  const id = await post({ accountIds: [account], caption: 'once' })
  await work()
  network.reconcileWith = () => Promise.reject(refused())
  await work(2 * MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'queued' })
  network.reconcileWith = undefined
  t.same(await refresh(), ['refreshed'])
  await work(5 * MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published' })
  t.same(network.posts, ['once'])
})

t.test('an access token that is refused after its refresh needs attention', async (t) => {
  const { connect, post, work, refresh, network, readDelivery, account, calls } = await createRefreshWorld(t)
  const id = await connect({ ms: 100 * HOUR })
  network.steps.push(unauthorized(), unauthorized())
  const postId = await post({ accountIds: [id], caption: 'refused twice' })
  await work()
  await refresh()
  await work(2 * MINUTE)
  t.hasStrict(await readDelivery(postId), { state: 'failed', error: { code: 'unauthorized', retryable: false } })
  t.hasStrict(await account(id), { attention: { code: 'unauthorized' } })
  t.same(await refresh(), [])
  t.equal(calls.length, 1)
})

t.test('a refused access token that is its own refresh token is not refreshed', async (t) => {
  const { connect, post, work, refresh, network, readDelivery, account } = await createRefreshWorld(t)
  const id = await connect({ ms: 100 * HOUR, hasRefreshToken: false })
  network.steps.push(unauthorized())
  const postId = await post({ accountIds: [id], caption: 'refused' })
  await work()
  t.hasStrict(await readDelivery(postId), { state: 'failed', error: { code: 'unauthorized', retryable: false } })
  t.hasStrict(await account(id), { attention: { code: 'unauthorized' } })
  t.same(await refresh(), [])
})

t.test('a refusal of an access token that was replaced meanwhile causes no refresh', async (t) => {
  const { connect, post, work, refresh, network, readDelivery } = await createRefreshWorld(t)
  const account = await connect()
  const refreshMeanwhile = async () => t.same(await refresh(1.7 * HOUR), ['refreshed'])
  network.steps.push(unauthorized({ beforeResponse: refreshMeanwhile }))
  const id = await post({ accountIds: [account], caption: 'refused once' })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued', error: { code: 'unauthorized' } })
  t.same(await refresh(), [])
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published' })
})

t.test('an access token that cannot be refreshed is not used after its end', async (t) => {
  const { connect, post, work, network, readDelivery, account, db, time } = await createRefreshWorld(t)
  const id = await connect({ isRefreshable: false })
  const postId = await post({ accountIds: [id], caption: 'in time' })
  await work()
  t.hasStrict(await readDelivery(postId), { state: 'published' })
  time.now = new Date(time.now.getTime() + 2.1 * HOUR)
  const late = await post({ accountIds: [id], caption: 'too late' })
  await work()
  t.hasStrict(await readDelivery(late), { state: 'failed', error: { code: 'reconnect_required', retryable: false } })
  t.hasStrict(await account(id), { attention: { code: 'reconnect_required' } })
  t.same(network.posts, ['in time'])
  await connect({ ms: 100 * HOUR })
  t.equal((await db.selectFrom('accounts').select('attention').executeTakeFirstOrThrow()).attention, null)
})

t.test('what was published ends neither a refused refresh nor missing scopes', async (t) => {
  const { connect, post, work, refresh, steps, readDelivery, account } = await createRefreshWorld(t)
  const id = await connect({ ms: 100 * HOUR })
  steps.push({ tokens: { scopes: ['read'] } }, { error: refused() })
  for (const code of ['scopes_missing', 'reconnect_required']) {
    await refresh(code === 'scopes_missing' ? 80 * HOUR : 1.7 * HOUR)
    const postId = await post({ accountIds: [id], caption: 'published' })
    await work()
    t.hasStrict(await readDelivery(postId), { state: 'published' })
    t.hasStrict(await account(id), { attention: { code } })
  }
})
