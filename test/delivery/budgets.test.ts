import t, { type Test } from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import type { Guarantee } from '../../src/platforms/contract/guarantee.ts'
import { call } from '../helpers/app.ts'
import { noJournal } from '../helpers/journal.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const POST = 15_000
const WITH_URL = 200_000
const MINUTE = 60_000

async function createScene(t: Test, guarantee?: Guarantee, concurrency?: number) {
  const x = scriptedNetwork(guarantee, concurrency)
  const world = await createDeliveryWorld(t, { x })
  const { ada, time } = world
  // The month of the workers is that of the service.
  time.now = new Date()
  const account = await world.connectAccount('x')
  const amounts = async (path: string) => {
    const { status, body } = await ada.call('GET', `${path}/budget`)
    if (status !== 200) throw new Error(body.error)
    return [body.limitUsdMicros, body.spentUsdMicros, body.reservedUsdMicros]
  }
  const limit = (path: string, limitUsdMicros: unknown) => ada.call('PUT', `${path}/budget`, { limitUsdMicros })
  const retry = (id: string) => ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)
  return { ...world, x, account, accountPath: `/accounts/${account}`, amounts, limit, retry }
}

t.test(
  'an act that the budget does not cover is not sent, and a retry sends it when the budget is raised',
  async (t) => {
    const { x, account, accountPath, amounts, limit, retry, post, work, readDelivery, ada } = await createScene(t)
    t.strictSame(await amounts(accountPath), [null, 0, 0])
    t.equal((await limit(accountPath, WITH_URL + POST - 1)).status, 200)
    const first = await post({ accountIds: [account], caption: 'see https://example.com', firstComment: 'more' })
    await work()
    t.strictSame(x.posts, ['see https://example.com'])
    t.strictSame(await amounts(accountPath), [WITH_URL + POST - 1, WITH_URL, 0])
    const { state, error, cost } = await readDelivery(first)
    t.strictSame(
      [state, error?.code, error?.retryable, cost],
      ['published', 'budget_used_up', false, { spentUsdMicros: WITH_URL, reservedUsdMicros: 0 }],
    )
    const second = await post({ accountIds: [account], caption: 'two' })
    await work()
    t.hasStrict(await readDelivery(second), { state: 'failed', attempts: 1, error: { code: 'budget_used_up' } })
    t.equal((await readDelivery(second)).cost, undefined)
    const { body: found } = await ada.call('GET', '/deliveries?errorCode=budget_used_up')
    t.strictSame(
      found.data.map(({ cost }: { cost?: object }) => cost),
      [undefined, { spentUsdMicros: WITH_URL, reservedUsdMicros: 0 }],
    )
    await limit(accountPath, null)
    for (const id of [first, second]) t.equal((await retry(id)).status, 202)
    await work(MINUTE)
    t.strictSame([...x.posts].sort(), ['more', 'see https://example.com', 'two'])
    t.strictSame(await amounts(accountPath), [null, WITH_URL + 2 * POST, 0])
  },
)

t.test(
  'what was not sent is given back, what may be out stays reserved, and what is found is spent once',
  async (t) => {
    const { x, account, accountPath, amounts, post, work, time } = await createScene(t)
    await post({ accountIds: [account], caption: 'refused' })
    x.steps.push({ isAccepted: false, error: refusal() })
    await work()
    t.strictSame(await amounts(accountPath), [null, 0, 0])
    await post({ accountIds: [account], caption: 'lost' })
    x.steps.push({ isAccepted: true, error: lostResponse() })
    await work()
    t.strictSame(await amounts(accountPath), [null, 0, POST])
    time.now = new Date(time.now.getTime() + MINUTE)
    await work()
    t.equal(x.reconcileCount, 1)
    t.strictSame(await amounts(accountPath), [null, POST, 0])
  },
)

t.test('an unconfirmed delivery keeps its reservation until its owner resolves it', async (t) => {
  const scene = await createScene(t, 'at-most-once')
  const { x, db, ada, account, accountPath, amounts, post, work, readDelivery, endFlights } = scene
  const ids: string[] = []
  for (const caption of ['a', 'b', 'c']) {
    ids.push(await post({ accountIds: [account], caption }))
    x.steps.push({ isAccepted: false, error: lostResponse() })
    await work()
  }
  t.strictSame(await amounts(accountPath), [null, 0, 3 * POST])
  t.strictSame((await readDelivery(ids[0]!)).cost, { spentUsdMicros: 0, reservedUsdMicros: POST })
  const resolve = (id: string, outcome: string) =>
    ada.call('POST', `/posts/${id}/deliveries/${account}/resolve`, { outcome })
  t.equal((await resolve(ids[0]!, 'published')).status, 200)
  await endFlights()
  t.equal((await resolve(ids[1]!, 'not_published')).status, 200)
  t.strictSame(await amounts(accountPath), [null, POST, POST])
  await db.deleteFrom('posts').where('id', '=', ids[2]!).execute()
  t.strictSame(await amounts(accountPath), [null, 2 * POST, 0], 'the deleted post may be out')
})

t.test('a worker that dies between the reservation and the call neither loses nor doubles money', async (t) => {
  const { x, account, accountPath, amounts, post, work, createWorker, readDelivery } = await createScene(t)
  const id = await post({ accountIds: [account], caption: 'once' })
  // The intent is committed, and this worker does nothing more.
  const dead = createWorker({ journal: { ...noJournal, intended: () => new Promise(() => {}) } })
  await dead.claim()
  for (;;) {
    const [, , reserved] = await amounts(accountPath)
    if (reserved === POST) break
  }
  t.strictSame(x.posts, [])
  await work(30 * MINUTE)
  await work(30 * MINUTE)
  t.strictSame(x.posts, ['once'])
  t.hasStrict(await readDelivery(id), { state: 'published' })
  t.strictSame(await amounts(accountPath), [null, POST, 0])
})

t.test('200 deliveries of several workers send exactly what the budget of their key covers', async (t) => {
  const scene = await createScene(t, 'exactly-once', 8)
  const { x, app, db, ada, amounts, limit, connectAccount, createWorker, time } = scene
  const { id: keyId, key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
  t.equal((await limit(`/keys/${keyId}`, 50 * POST)).status, 200)
  const accounts = [scene.account]
  while (accounts.length < 4) accounts.push(await connectAccount('x'))
  const scheduledAt = new Date(time.now.getTime() - MINUTE).toISOString()
  const posts = Array.from({ length: 50 }, (_, number) => ({
    accountIds: accounts,
    caption: String(number),
    scheduledAt,
  }))
  const created = await call(app, key, 'POST', '/posts/batch', { mode: 'all', posts })
  t.equal(created.status, 201, created.body.error)
  time.now = new Date(Date.now() + 1_000)
  await Promise.all(
    Array.from({ length: 3 }, async () => {
      const worker = createWorker()
      do await worker.idle()
      while ((await worker.claim()) > 0)
    }),
  )
  t.equal(x.posts.length, 50)
  t.strictSame(await amounts(`/keys/${keyId}`), [50 * POST, 50 * POST, 0])
  const { body } = await ada.call('GET', '/posts/counts?by=state')
  t.match(JSON.stringify(body), /"failed".*150|150.*"failed"/)
})

t.test('the key that scheduled a post last pays for it', async (t) => {
  const { app, db, ada, account, amounts, post, work } = await createScene(t)
  const { id: keyId, key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
  const id = await post({ accountIds: [account], caption: 'a', scheduledAt: '2100-01-01T00:00:00Z' })
  t.equal((await call(app, key, 'POST', `/posts/${id}/publish`)).status, 202)
  await work(MINUTE)
  t.strictSame(await amounts(`/keys/${keyId}`), [null, POST, 0])
  await post({ accountIds: [account], caption: 'b' })
  await work()
  t.strictSame(await amounts(`/keys/${keyId}`), [null, POST, 0])
})

t.test('a key with a budget cannot get around it', async (t) => {
  const { app, db, ada, account, accountPath, amounts, limit } = await createScene(t)
  const { id: keyId, key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
  const { id: other } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
  await limit(`/keys/${keyId}`, POST)
  const send = (method: 'POST' | 'PUT', path: string, body: object) => call(app, key, method, path, body)
  for (const path of [`/keys/${keyId}`, `/keys/${other}`, accountPath]) {
    const { status, headers } = await send('PUT', `${path}/budget`, { limitUsdMicros: 1_000_000 })
    t.strictSame([status, headers['x-error-code']], [403, 'budget_limited'], path)
  }
  const made = await send('POST', '/keys', { name: 'child', scopes: ['posts:publish'] })
  const rotated = await send('POST', `/keys/${keyId}/rotate`, {})
  for (const { status, body } of [made, rotated]) {
    t.equal(status, 201, body.error)
    t.strictSame(await amounts(`/keys/${body.id}`), [POST, 0, 0], 'the keys share the budget')
  }
  t.strictSame(await amounts(`/keys/${other}`), [null, 0, 0])
  t.strictSame(await amounts(accountPath), [null, 0, 0])
  t.equal((await ada.call('GET', `/accounts/${account}/budget`)).status, 200)
})

t.test('a wrong limit changes nothing', async (t) => {
  const { ada, accountPath, amounts, limit, user } = await createScene(t)
  await limit(accountPath, 5)
  for (const wrong of [-1, 0.5, '5', 1e15, undefined]) {
    const { status, body } = await limit(accountPath, wrong)
    t.strictSame([status, body.details?.[0]?.path], [400, ['limitUsdMicros']], String(wrong))
  }
  t.strictSame(await amounts(accountPath), [5, 0, 0])
  const free = await ada.account('bluesky')
  t.match(await limit(`/accounts/${free}`, 5), { status: 400, body: { details: [{ path: ['limitUsdMicros'] }] } })
  t.equal((await limit(`/accounts/${free}`, null)).status, 200)
  const eve = await user('eve')
  t.equal((await eve.call('PUT', `${accountPath}/budget`, { limitUsdMicros: 1 })).status, 404)
  t.equal((await eve.call('GET', `${accountPath}/budget`)).status, 404)
})
