import t from 'tap'
import { holdDeliveries, releaseDeliveries } from '../../src/engine/delivery/hold.ts'
import { CALL_IN_FLIGHT_MAX_MS, FAILURES_MAX } from '../../src/engine/delivery/timing.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, scriptedNetwork } from '../helpers/scripted-network.ts'

const DAY_MS = 86_400_000

async function setUp(t: Parameters<typeof createDeliveryWorld>[0]) {
  const network = scriptedNetwork()
  const world = await createDeliveryWorld(t, { x: network })
  const accountIds = [await world.connectAccount('x')]
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS)
  const post = (caption: string, days = 0) =>
    world.post({ accountIds, caption, ...(days > 0 && { scheduledAt: inDays(days).toISOString() }) })
  return { ...world, network, post, inDays }
}

t.test('held deliveries are not sent until they are released, and then at their time or now', async (t) => {
  const { db, network, post, inDays, readDelivery, readStatus, work } = await setUp(t)
  const [due, tomorrow, later] = [await post('due'), await post('tomorrow', 1), await post('later', 30)]
  t.strictSame(await holdDeliveries(db, inDays(2)), { held: 2, publishing: 0 })
  for (const id of [due, tomorrow]) {
    const { state, nextAttemptAt, error } = await readDelivery(id)
    t.strictSame([state, nextAttemptAt, error?.code], ['missed', null, 'held'])
    t.equal(await readStatus(id), 'scheduled')
  }
  t.equal((await readDelivery(later)).state, 'queued')
  await work()
  t.strictSame(network.posts, [])

  t.equal(await releaseDeliveries(db, inDays(0.5)), 1)
  await work()
  t.strictSame(network.posts, ['due'])
  t.equal((await readDelivery(tomorrow)).state, 'missed')
  t.equal(await releaseDeliveries(db, null), 1)
  const { state, nextAttemptAt, error } = await readDelivery(tomorrow)
  t.strictSame([state, error], ['queued', null])
  t.ok(Date.parse(nextAttemptAt!) > Date.now() + DAY_MS / 2)
})

t.test('a released delivery has a fresh count of failures: what is missing is sent, or has an error', async (t) => {
  const { db, network, inDays, post, readDelivery, work } = await setUp(t)
  const id = await post('not found')
  await db
    .updateTable('postTargets')
    .set({ failures: FAILURES_MAX - 1 })
    .execute()
  network.steps = [{ isAccepted: false, error: lostResponse() }]
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued', error: { code: 'timeout' } })
  await holdDeliveries(db, inDays(1))
  await releaseDeliveries(db, null)
  await work(CALL_IN_FLIGHT_MAX_MS)
  t.hasStrict(await readDelivery(id), { state: 'published', error: null })
  t.strictSame(network.posts, ['not found'])
})

t.test('a delivery that is being sent is counted, and not held', async (t) => {
  const { db, network, post, inDays, createWorker, readDelivery } = await setUp(t)
  const response = Promise.withResolvers<void>()
  network.steps = [{ isAccepted: true, beforeResponse: () => response.promise }]
  const id = await post('being sent')
  const worker = createWorker()
  await worker.claim()
  t.strictSame(await holdDeliveries(db, inDays(1)), { held: 0, publishing: 1 })
  response.resolve()
  await worker.idle()
  t.equal((await readDelivery(id)).state, 'published')
})

t.test('the owner can retry a held delivery, and what was missed for another reason is not released', async (t) => {
  const { db, ada, network, post, inDays, readDelivery, work } = await setUp(t)
  const [wanted, late] = [await post('wanted'), await post('late')]
  await db
    .updateTable('postTargets')
    .set({
      state: 'missed',
      claimableAt: null,
      error: JSON.stringify({ code: 'too_late', message: '', retryable: true }),
    })
    .where('postId', '=', late)
    .execute()
  t.equal((await holdDeliveries(db, inDays(1))).held, 1)
  const [{ accountId }] = (await ada.call('GET', `/posts/${wanted}`)).body.targets
  t.equal((await ada.call('POST', `/posts/${wanted}/deliveries/${accountId}/retry`)).status, 202)
  await work(1_000)
  t.strictSame(network.posts, ['wanted'])
  t.equal(await releaseDeliveries(db, null), 0)
  t.equal((await readDelivery(late)).state, 'missed')
})

t.test('more deliveries than one statement takes are held and released', async (t) => {
  const { db, ada, post, inDays, connectAccount } = await setUp(t)
  const id = await post('many')
  const accountId = await connectAccount('x')
  await db.deleteFrom('postTargets').where('postId', '=', id).execute()
  const rows = await db.selectFrom('posts').selectAll().where('id', '=', id).execute()
  const ids = Array.from({ length: 2_100 }, (_, index) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`)
  await db
    .insertInto('posts')
    .values(ids.map((id) => ({ ...rows[0]!, id })))
    .execute()
  await db
    .insertInto('postTargets')
    .values(
      ids.map((postId) => ({
        userId: ada.id,
        postId,
        accountId,
        platform: 'x',
        state: 'queued',
        dueAt: new Date(),
        claimableAt: new Date(),
      })),
    )
    .execute()
  t.equal((await holdDeliveries(db, inDays(1))).held, 2_100)
  t.equal(await releaseDeliveries(db, null), 2_100)
})
