import t, { type Test } from 'tap'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { createNetworks } from '../../src/platforms/adapters.ts'
import { endOf, VERSION } from '../../src/platforms/linkedin/version.ts'
import { countChanges, countSettled } from '../../src/run/metrics/deliveries.ts'
import { createMetrics, type Metrics } from '../../src/run/metrics/metrics.ts'
import { measureNetworks } from '../../src/run/metrics/networks.ts'
import { SANDBOX } from '../helpers/network-world.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { samplesOf } from '../helpers/scrape.ts'
import { startFakeNetworks } from '../networks/fakes/all.ts'
import { reset } from '../networks/fakes/network.ts'

const MINUTE = 60_000

/** A world whose networks and workers are measured. */
async function createMeasuredWorld(t: Test) {
  const fakes = await startFakeNetworks(t)
  let metrics!: Metrics
  const world = await createDeliveryWorld(
    t,
    (db) => {
      metrics = createMetrics({ db, pool: 'worker', freshMs: 0 })
      return measureNetworks(createNetworks(sandboxStore(db)), metrics)
    },
    { fetch: fakes.fetch },
  )
  const report = countSettled(metrics)
  const reportChange = countChanges(metrics)
  return {
    ...world,
    ...fakes,
    connect: async (platform: string) => {
      const credentials = platform === 'sandbox' ? SANDBOX : fakes.of(platform).body.credentials
      return (await world.ada.call('POST', '/accounts', { platform, credentials })).body.id as string
    },
    async work(ms = 0) {
      world.time.now = new Date(world.time.now.getTime() + ms)
      const worker = world.createWorker({ report })
      do await worker.idle()
      while ((await worker.claim()) > 0)
    },
    async change() {
      const { changes } = world.createWorker({ reportChange })
      do await changes.idle()
      while (await changes.begin())
    },
    /** The samples of a metric that are not 0, by their labels. */
    async read(name: string) {
      const samples = Object.entries(samplesOf(await metrics.render()))
      const found = samples.filter(([key, value]) => key.startsWith(`${name}{`) && value !== 0)
      return Object.fromEntries(found.map(([key, value]) => [key.slice(name.length), value]))
    },
    render: () => metrics.render(),
  }
}

t.test('attempts, ends and lateness of deliveries are counted by network', async (t) => {
  const { connect, post, work, read, render, ada } = await createMeasuredWorld(t)
  const accountId = await connect('sandbox')
  const publish = async (fields: object, content: object = {}) => {
    const accountOverrides = [{ accountId, fields }]
    const id = await post({ accountIds: [accountId], caption: 'Hello', accountOverrides, ...content })
    await work()
    await work(MINUTE)
    return id
  }
  await publish({ fault: 'content_refused' })
  await publish({ fault: 'unknown' })
  await publish({ fault: 'rate_limited' })
  const threadParts = { [accountId]: ['one', 'two'] }
  const id = await publish({}, { postType: 'thread', threadParts, firstComment: 'three' })
  await post({ accountIds: [accountId], caption: 'forgotten' })
  await work(2 * 24 * 60 * MINUTE)

  t.strictSame(await read('postroom_delivery_attempts_total'), {
    '{platform="sandbox",outcome="failed",code="content_refused"}': 1,
    '{platform="sandbox",outcome="unknown",code="timeout"}': 1,
    '{platform="sandbox",outcome="unknown",code="unknown_outcome"}': 1,
    '{platform="sandbox",outcome="failed",code="rate_limited"}': 1,
    '{platform="sandbox",outcome="published",code="none"}': 4,
  })
  t.strictSame(await read('postroom_deliveries_ended_total'), {
    '{platform="sandbox",state="published"}': 2,
    '{platform="sandbox",state="failed"}': 1,
    '{platform="sandbox",state="unconfirmed"}': 1,
    '{platform="sandbox",state="missed"}': 1,
  })
  t.strictSame(await read('postroom_delivery_lateness_seconds_count'), { '{platform="sandbox"}': 2 })
  const text = await render()
  for (const name of [ada.id, accountId, id]) t.notOk(text.includes(name), 'no label names a user, account or post')
})

t.test('removals and edits that have ended are counted by network, kind and outcome', async (t) => {
  const { connect, post, work, change, read, ada } = await createMeasuredWorld(t)
  const accountId = await connect('sandbox')
  for (const fields of [{}, { fault: 'content_refused', faultCall: 'edit' }]) {
    const id = await post({ accountIds: [accountId], caption: 'One', accountOverrides: [{ accountId, fields }] })
    await work(MINUTE)
    const path = `/posts/${id}/deliveries/${accountId}`
    t.equal((await ada.call('PATCH', path, { text: 'Two' })).status, 202)
    await change()
    t.equal((await ada.call('POST', `${path}/remove`)).status, 202)
    await change()
  }
  t.strictSame(await read('postroom_delivery_changes_total'), {
    '{platform="sandbox",kind="edit",outcome="done"}': 1,
    '{platform="sandbox",kind="edit",outcome="failed"}': 1,
    '{platform="sandbox",kind="remove",outcome="done"}': 2,
  })
})

t.test('what is failed, unconfirmed, missed or waits is shown by network, and accounts by reason', async (t) => {
  const { connect, post, work, read } = await createMeasuredWorld(t)
  const accountId = await connect('sandbox')
  const publish = async (fault: string) => {
    const accountOverrides = [{ accountId, fields: { fault } }]
    await post({ accountIds: [accountId], caption: fault, accountOverrides })
    await work()
  }
  const figures = async () =>
    Promise.all(
      ['waiting', 'failed', 'unconfirmed', 'missed', 'due'].map(async (name) => [
        name,
        (await read(`postroom_deliveries_${name}`))['{platform="sandbox"}'] ?? 0,
      ]),
    ).then(Object.fromEntries)
  t.strictSame(await figures(), { waiting: 0, failed: 0, unconfirmed: 0, missed: 0, due: 0 })

  await publish('unknown')
  t.strictSame(await figures(), { waiting: 1, failed: 0, unconfirmed: 0, missed: 0, due: 0 })
  await work(MINUTE)
  t.strictSame(await figures(), { waiting: 0, failed: 0, unconfirmed: 1, missed: 0, due: 0 })
  t.strictSame(await read('postroom_accounts_attention'), {})
  await publish('expired_token')
  t.strictSame(await figures(), { waiting: 0, failed: 1, unconfirmed: 1, missed: 0, due: 0 })
  t.strictSame(await read('postroom_accounts_attention'), { '{platform="sandbox",code="unauthorized"}': 1 })
  await post({ accountIds: [accountId], caption: 'forgotten' })
  await work(2 * 24 * 60 * MINUTE)
  t.strictSame(await figures(), { waiting: 0, failed: 1, unconfirmed: 1, missed: 1, due: 0 })
})

t.test('calls to networks are measured by network and result', async (t) => {
  const { connect, post, work, change, read, mastodon, ada } = await createMeasuredWorld(t)
  const accountId = await connect('mastodon')
  const name = 'postroom_network_call_duration_seconds_count'
  const succeeded = async () => (await read(name))['{platform="mastodon",result="2xx"}']!
  const connected = await succeeded()
  t.ok(connected > 0, 'connecting an account calls the network')
  mastodon.faults.push({ on: 'POST /api/v1/statuses', instead: { status: 429 } })
  mastodon.faults.push({ on: 'POST /api/v1/statuses', instead: reset })
  const id = await post({ accountIds: [accountId], caption: 'Hello' })
  for (const ms of [0, 10 * MINUTE, 10 * MINUTE]) await work(ms)
  t.hasStrict(await read(name), {
    '{platform="mastodon",result="429"}': 1,
    '{platform="mastodon",result="no_response"}': 1,
  })
  const published = await succeeded()
  t.ok(published > connected, 'publishing calls it')
  await ada.call('PATCH', `/posts/${id}/deliveries/${accountId}`, { text: 'Bye' })
  await change()
  const edited = await succeeded()
  t.ok(edited > published, 'editing calls it')
  await ada.call('POST', `/posts/${id}/deliveries/${accountId}/remove`)
  await change()
  t.ok((await succeeded()) > edited, 'removing calls it')
})

t.test('the revocation of tokens is measured too', async (t) => {
  const { networks, read } = await createMeasuredWorld(t)
  const io = { fetch: async () => new Response(null), signal: AbortSignal.timeout(60_000) }
  const app = { id: null, clientId: 'client', clientSecret: 'secret' }
  await networks.x!.oauth!.revoke!({ accessToken: 'token' }, app, io)
  t.strictSame(Object.keys(await read('postroom_network_call_duration_seconds_count')), ['{platform="x",result="2xx"}'])
})

t.test('the end of a version of an API is a metric from the start', async (t) => {
  const { read } = await createMeasuredWorld(t)
  t.strictSame(await read('postroom_network_api_version_end_timestamp_seconds'), {
    [`{platform="linkedin",version="${VERSION}"}`]: endOf(VERSION).getTime() / 1000,
  })
})
