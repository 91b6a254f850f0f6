import t from 'tap'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import { stopUser } from '../../db/queries/retention/user-data.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { deleteUser } from '../../src/features/retention/delete-user.ts'
import { createNetworks } from '../../src/platforms/adapters.ts'
import { withMetricScopes } from '../../src/platforms/with-metric-scopes.ts'
import { mediaOptions } from '../helpers/app.ts'
import { createMetricsWorld, DAY, MINUTE } from '../helpers/metrics-world.ts'
import { sweepNow } from '../helpers/sweeps.ts'

t.test('daily numbers are kept for 400 days, and no longer than their user', async (t) => {
  const world = await createMetricsWorld(t)
  const { ada, db, mediaDir, connect, publish, read, metricsOf, mastodon, time } = world
  const id = await publish({ accountIds: [await connect('mastodon')] })
  mastodon.statuses[0]!.favourites_count = 7
  await read(15 * MINUTE)
  await read(2 * DAY)
  const history = async () => (await metricsOf(id, '?history=true'))[0].history.length
  t.equal(await history(), 2)
  time.now = new Date(time.now.getTime() + 399 * DAY)
  t.equal((await sweepNow(world))?.metricPoints, 1)
  t.equal(await history(), 1)
  time.now = new Date(time.now.getTime() + 3 * DAY)
  t.equal((await sweepNow(world))?.metricPoints, 1)
  t.hasStrict((await metricsOf(id, '?history=true'))[0], { values: { likes: 7 }, history: [] })

  await stopUser(db, ada.id)
  await deleteUser({ db, ...mediaOptions(mediaDir) }, ada.id)
  for (const table of ['deliveryMetrics', 'deliveryMetricPoints', 'metricTurns'] as const) {
    t.strictSame(await db.selectFrom(table).selectAll().execute(), [], table)
  }
})

t.test('metrics.updated is written only for webhooks that name it, and only for other numbers', async (t) => {
  const { ada, db, connect, publish, read, mastodon } = await createMetricsWorld(t)
  const account = await connect('mastodon')
  const id = await publish({ accountIds: [account] })
  const likes = async (count: number) => {
    mastodon.statuses[0]!.favourites_count = count
    await read(15 * MINUTE)
    await sequenceEvents(db)
    const { body } = await ada.call('GET', '/events?types=metrics.*')
    return body.data
  }
  t.strictSame(await likes(1), [], 'no webhook')
  const url = 'https://app.example.com/hooks'
  await ada.call('POST', '/webhooks', { url })
  t.strictSame(await likes(2), [], 'a webhook for all types')
  await ada.call('POST', '/webhooks', { url, types: ['metrics.*'] })
  const [event, ...others] = await likes(3)
  t.strictSame(others, [])
  t.hasStrict(event, { type: 'metrics.updated', data: { postId: id, accountId: account, platform: 'mastodon' } })
  t.equal((await likes(3)).length, 1)
})

t.test('with METRICS, accounts are asked for the scopes of numbers, unless their app names its own', async (t) => {
  const { db } = await createMetricsWorld(t)
  const networks = createNetworks(sandboxStore(db))
  const asked = async (all: typeof networks, platform: 'threads' | 'tiktok' | 'linkedin', scopes?: string[]) => {
    const app = { clientId: '123', clientSecret: 'secret' }
    const begun = { app, redirectUri: 'https://postroom.example/connect/callback', hint: null, state: 'state' }
    const io = { fetch, signal: AbortSignal.timeout(10_000) }
    const { url } = await all[platform].oauth!.begin({ ...begun, ...(scopes && { scopes }) }, io)
    return url.searchParams.get('scope')!.split(/[ ,]/)
  }
  const measured = withMetricScopes(networks)
  t.notOk((await asked(networks, 'threads')).includes('threads_manage_insights'))
  t.ok((await asked(measured, 'threads')).includes('threads_manage_insights'))
  t.ok((await asked(measured, 'tiktok')).includes('video.list'))
  t.strictSame(await asked(measured, 'threads', ['threads_basic']), ['threads_basic'])
  t.strictSame(await asked(measured, 'linkedin'), await asked(networks, 'linkedin'))
  t.strictSame(measured.threads.oauth?.requiredScopes, networks.threads.oauth?.requiredScopes)
})

t.test('an account says what connecting it again would add, and is not broken', async (t) => {
  const networks = (db: Parameters<typeof sandboxStore>[0]) => withMetricScopes(createNetworks(sandboxStore(db)))
  const { ada, db } = await createMetricsWorld(t, 'on', networks)
  const credentials = { accessToken: 'a', userId: '1' }
  const ids = await Promise.all([
    ...(['threads', 'facebook', 'linkedin', 'tiktok'] as const).map((platform) =>
      ada.account(platform, { credentials }),
    ),
    ada.account('threads'),
  ])
  const grant = (id: string, scopes: string[]) =>
    db.updateTable('accounts').set({ scopes }).where('id', '=', id).execute()
  await grant(ids[0]!, ['threads_basic', 'threads_content_publish'])
  await grant(ids[1]!, ['pages_manage_posts', 'read_insights'])
  await grant(ids[2]!, ['w_member_social'])
  await grant(ids[3]!, ['user.info.basic', 'video.publish'])
  const { body } = await ada.call('GET', '/accounts')
  const gains = ids.map((id) => body.data.find((account: { id: string }) => account.id === id).reconnectAdds)
  t.strictSame(gains, [
    { scopes: ['threads_manage_insights'], metrics: ['likes', 'comments', 'reposts', 'quotes', 'shares', 'views'] },
    undefined,
    // An app of LinkedIn names the scopes that it may ask for.
    undefined,
    { scopes: ['video.list'], metrics: ['likes', 'comments', 'shares', 'views'] },
    undefined,
  ])
  await ada.call('PUT', '/apps/linkedin', {
    clientId: '123',
    clientSecret: 'secret',
    scopes: ['w_member_social', 'r_member_postAnalytics', 'rw_organization_admin'],
  })
  await ada.call('PUT', '/apps/threads', { clientId: '123', clientSecret: 'secret', scopes: ['threads_basic'] })
  await db.updateTable('accounts').set({ externalId: 'urn:li:person:1' }).where('id', '=', ids[2]!).execute()
  const gainsOf = async (id: string) => (await ada.call('GET', `/accounts/${id}`)).body.reconnectAdds
  t.strictSame(
    [await gainsOf(ids[2]!), await gainsOf(ids[0]!)],
    [{ scopes: ['r_member_postAnalytics'], metrics: ['likes', 'comments', 'reposts', 'views', 'reach'] }, undefined],
    'an app that names scopes decides',
  )
  const { body: troubled } = await ada.call('GET', '/accounts?attention=true')
  t.notOk(troubled.data.some(({ id }: { id: string }) => ids.slice(0, 4).includes(id)))
})
