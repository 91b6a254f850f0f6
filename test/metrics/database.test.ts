import { Gauge } from 'prom-client'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { createMetrics } from '../../src/run/metrics/metrics.ts'
import { createDatabase } from '../helpers/database.ts'
import { samplesOf } from '../helpers/scrape.ts'
import { PRODUCTION_TIMEOUT, startServiceWithPerson, withTableLocked } from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

const READABLE = 'postroom_database_readable'
const isAboutDeliveries = (name: string) => name.startsWith('postroom_deliveries_')

t.test('while the database cannot be read, its figures are absent and all others are there', async (t) => {
  const { app, admin } = await startServiceWithPerson(t, PRODUCTION_TIMEOUT)
  const scrape = async () => {
    const { statusCode, payload } = await app.inject('/metrics')
    t.equal(statusCode, 200)
    return samplesOf(payload)
  }
  const before = await scrape()
  t.equal(before[READABLE], 1)
  t.ok(Object.keys(before).some(isAboutDeliveries))

  const during = await withTableLocked(admin, 'post_targets', scrape)
  t.equal(during[READABLE], 0)
  t.strictSame(Object.keys(during).filter(isAboutDeliveries), [])
  t.hasStrict(during, { 'postroom_http_request_duration_seconds_count{method="GET",route="/metrics",status="200"}': 1 })
  t.ok('postroom_pool_connections_max{pool="api"}' in during)

  const after = await scrape()
  t.equal(after[READABLE], 1)
  t.ok(Object.keys(after).some(isAboutDeliveries))
})

t.test('metrics do not wait for a database that is slow, even without time limits of statements', async (t) => {
  const url = await createDatabase(t)
  const [db, admin] = [connect({ url }), connect({ url, poolMax: 1 })]
  t.teardown(() => Promise.all([db.destroy(), admin.destroy()]))
  const { render } = createMetrics({ db, pool: 'worker', freshMs: 0 })
  const during = await withTableLocked(admin, 'post_targets', render)
  t.equal(samplesOf(during)[READABLE], 0)
})

t.test('metrics are served while the database does not accept connections', async (t) => {
  const db = connect({ url: 'postgres://postroom@127.0.0.1:1/postroom', ...PRODUCTION_TIMEOUT })
  t.teardown(() => db.destroy())
  const { render } = createMetrics({ db, pool: 'worker', freshMs: 0 })
  const samples = samplesOf(await render())
  t.equal(samples[READABLE], 0)
  t.ok(samples['postroom_pool_refused_total{pool="worker"}']! > 0)
})

t.test('scrapes in quick succession read the database once', async (t) => {
  const db = connect({ url: await createDatabase(t), poolMax: 1 })
  t.teardown(() => db.destroy())
  const { render } = createMetrics({ db, pool: 'worker', freshMs: 3_600_000 })
  const [first, ...others] = await Promise.all([render(), render(), render()])
  t.equal(samplesOf(first!)[READABLE], 1)
  await db.destroy()
  for (const text of [...others, await render()]) t.equal(samplesOf(text)[READABLE], 1)
})

t.test('scrapes at the same time share one text', async (t) => {
  const db = connect({ url: await createDatabase(t), poolMax: 1 })
  t.teardown(() => db.destroy())
  const { registry, render } = createMetrics({ db, pool: 'worker', freshMs: 3_600_000 })
  let runs = 0
  const collect = () => void runs++
  new Gauge({ name: 'runs', help: 'How often a text was made.', registers: [registry], collect })
  await render()
  await Promise.all(Array.from({ length: 40 }, render))
  t.equal(runs, 2)
})

t.test('the connections of the pool are shown', async (t) => {
  const db = connect({ url: await createDatabase(t), poolMax: 2, ...PRODUCTION_TIMEOUT })
  t.teardown(() => db.destroy())
  const { render } = createMetrics({ db, pool: 'api', freshMs: 3_600_000 })
  const pool = async () => {
    const samples = Object.entries(samplesOf(await render())).filter(([name]) => name.startsWith('postroom_pool_'))
    return Object.fromEntries(samples.map(([name, value]) => [/_pool_(\w+)/.exec(name)![1]!, value]))
  }
  t.strictSame(await pool(), { connections_max: 2, in_use: 0, idle: 1, waiting: 0, refused_total: 0 })
  const gate = Promise.withResolvers<void>()
  const held = [1, 2].map(() => db.connection().execute(() => gate.promise))
  await until('both connections are taken', pool, { isMet: ({ in_use }) => in_use === 2 })
  const refused = t.rejects(db.selectFrom('users').select('id').execute())
  await until('a request waits', pool, { isMet: ({ waiting }) => waiting === 1 })
  await refused
  t.strictSame(await pool(), { connections_max: 2, in_use: 2, idle: 0, waiting: 0, refused_total: 1 })
  gate.resolve()
  await Promise.all(held)
  t.hasStrict(await pool(), { in_use: 0, idle: 2 })
})
