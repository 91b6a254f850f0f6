import { sql } from 'kysely'
import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

t.test('due deliveries that no worker claims make the service unready and show in the metrics', async (t) => {
  const mastodon = scriptedNetwork()
  const { app, db, connectAccount, post, createWorker, work, time } = await createDeliveryWorld(t, { mastodon })
  // The service compares leases with the clock of the database.
  time.now = new Date()
  const ready = async () => (await app.inject('/readyz')).statusCode
  const metrics = async () => {
    const { body, headers } = await app.inject('/metrics')
    t.match(headers['content-type'], /^text\/plain; version=0\.0\.4/)
    const lines = body.split('\n').filter((line) => line && !line.startsWith('#'))
    return Object.fromEntries(lines.map((line) => line.split(' '))) as Record<string, string>
  }
  const account = await connectAccount('mastodon')
  await post({ accountIds: [account], caption: 'due' })
  t.equal(await ready(), 200, 'workers have a minute to claim a delivery')
  t.hasStrict(await metrics(), { 'postroom_deliveries_due{platform="mastodon"}': '1' })

  const ago = (minutes: number) => sql<Date>`now() - ${minutes} * interval '1 minute'`
  await db
    .updateTable('postTargets')
    .set({ claimableAt: ago(2) })
    .execute()
  t.equal(await ready(), 503)
  const { postroom_deliveries_due_seconds: seconds } = await metrics()
  t.ok(Number(seconds) >= 120 && Number(seconds) < 180)

  const accounts = db.updateTable('accounts').where('id', '=', account)
  await accounts.set({ availableAt: ago(-1) }).execute()
  t.equal(await ready(), 200, 'an account whose rate limit is exhausted needs no worker')
  t.hasStrict(await metrics(), {
    'postroom_deliveries_due{platform="mastodon"}': '1',
    postroom_deliveries_due_seconds: '0',
  })
  await accounts.set({ availableAt: ago(0) }).execute()
  t.equal(await ready(), 200, 'nor does one that has just become available')
  await accounts.set({ availableAt: ago(2) }).execute()
  t.equal(await ready(), 503)

  const gate = Promise.withResolvers<void>()
  mastodon.steps.push({ isAccepted: true, beforeResponse: () => gate.promise })
  const worker = createWorker({ networks: { mastodon: { ...mastodon, concurrency: 1 } } })
  await post({ accountIds: [await connectAccount('mastodon')], caption: 'other' })
  t.equal(await worker.claim(), 1)
  // The intent extends a short lease, so it has to come before the lease is changed.
  await until('the worker calls the network', () => mastodon.posts.length === 1)
  await db
    .updateTable('postTargets')
    .set({ claimableAt: ago(2) })
    .where('state', '=', 'queued')
    .execute()
  t.equal(await ready(), 200, 'a delivery in progress shows that workers are alive')
  t.hasStrict(await metrics(), { 'postroom_deliveries_due{platform="mastodon"}': '1' })
  await db
    .updateTable('postTargets')
    .set({ claimableAt: ago(1) })
    .where('state', '=', 'publishing')
    .execute()
  t.equal(await ready(), 503, 'a delivery whose lease has expired does not')
  gate.resolve()
  await worker.idle()
  await work()
  t.equal(await ready(), 200)
  t.hasStrict(await metrics(), {
    'postroom_deliveries_due{platform="mastodon"}': '0',
    postroom_deliveries_due_seconds: '0',
  })
})
