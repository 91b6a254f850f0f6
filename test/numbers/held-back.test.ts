import t from 'tap'
import { createMetricsWorld, HOUR, MINUTE, publishMeasured } from '../helpers/metrics-world.ts'
import { callsOf } from '../helpers/network-world.ts'
import { throttled } from '../networks/fakes/mastodon.ts'

t.test('a refresh and a check leave an account alone that publishing needs, and say until when', async (t) => {
  const { ada, connect, publish, metricsOf, mastodon, db } = await createMetricsWorld(t)
  const account = await connect('mastodon')
  const id = await publish({ accountIds: [account] })
  const calls = () => callsOf(mastodon, 'GET /api/v1/statuses').length
  const check = async () => (await ada.call('POST', `/posts/${id}/deliveries/${account}/check`)).body
  await metricsOf(id, '?refresh=true')
  const read = calls()

  const until = new Date(Date.now() + HOUR)
  const isOld = { attemptedAt: new Date(Date.now() - 2 * MINUTE) }
  await db.updateTable('deliveryMetrics').set(isOld).execute()
  const isHeld = async (what: string) => {
    const { body } = await ada.call('GET', `/posts/${id}/metrics?refresh=true`)
    const error = { code: 'rate_limited', retryable: true }
    t.hasStrict(body.data[0], { values: { likes: 0 }, error }, what)
    t.match(body.data[0].error.message, until.toISOString(), what)
    t.hasStrict(await check(), { result: 'unknown', error }, what)
    t.equal(calls(), read, what)
  }
  await db.updateTable('accounts').set({ availableAt: until }).execute()
  await isHeld('it is being published to, or rests')
  await db.updateTable('accounts').set({ availableAt: null }).execute()
  await db.insertInto('limitRests').values({ key: 'mastodon', until }).execute()
  await isHeld('its network rests')
  await db.deleteFrom('limitRests').execute()
  await metricsOf(id, '?refresh=true')
  t.equal(calls(), read + 1)
  t.hasStrict(await check(), { result: 'shown', error: null }, 'it was read within a minute')
})

t.test('a network that wants a pause is not asked by a refresh before its end', async (t) => {
  const { connect, publish, metricsOf, mastodon, db } = await createMetricsWorld(t)
  const id = await publish({ accountIds: [await connect('mastodon')] })
  const calls = () => callsOf(mastodon, 'GET /api/v1/statuses').length
  mastodon.faults.push({ on: 'GET /api/v1/statuses', instead: throttled(new Date(Date.now() + 2 * HOUR)) })
  t.hasStrict((await metricsOf(id, '?refresh=true'))[0].error, { code: 'rate_limited' })
  t.equal(calls(), 1)
  await db
    .updateTable('deliveryMetrics')
    .set({ attemptedAt: new Date(Date.now() - 2 * MINUTE), nextAt: new Date() })
    .execute()
  const [{ error }] = await metricsOf(id, '?refresh=true')
  t.match(error.message, /^Nothing is read before \d{4}-/)
  t.equal(calls(), 1)
})

t.test('a refresh counts towards the quota of a day, and is held back when publishing needs the rest', async (t) => {
  const world = await createMetricsWorld(t)
  const { metricsOf, db } = world
  const { id, reported } = await publishMeasured(world, 'youtube')
  const read = async (minutes: number) => {
    const attemptedAt = new Date(Date.now() - minutes * MINUTE)
    await db.updateTable('deliveryMetrics').set({ attemptedAt }).execute()
    return (await metricsOf(id, '?refresh=true'))[0]
  }
  const callsOfDay = () => db.selectFrom('metricCalls').select('calls').where('platform', '=', 'youtube').execute()
  t.hasStrict(await read(2), { values: { views: reported.viewCount }, error: null })
  t.strictSame(await callsOfDay(), [{ calls: 1 }])
  await db.updateTable('metricCalls').set({ calls: 3_300 }).execute()
  const { error, values } = await read(2)
  t.strictSame([error.code, values.views], ['rate_limited', reported.viewCount])
  t.match(error.message, 'T00:00:00.000Z')
  t.strictSame(await callsOfDay(), [{ calls: 3_300 }])
})
