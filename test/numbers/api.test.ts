import t from 'tap'
import { claimNextTurn, takeTurn } from '../../src/engine/numbers/turn.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { createMetricsWorld, DAY, HOUR, MINUTE, reasonsOf } from '../helpers/metrics-world.ts'
import { callsOf } from '../helpers/network-world.ts'
import { throttled } from '../networks/fakes/mastodon.ts'

t.test('drafts, failed deliveries and accounts without an id say why they have no numbers', async (t) => {
  const { ada, connect, post, publish, work, read, metricsOf, mastodon } = await createMetricsWorld(t)
  const accountIds = [await connect('mastodon')]
  const { body: draft } = await ada.call('POST', '/posts', { accountIds, caption: 'Whales' })
  t.hasStrict(reasonsOf((await metricsOf(draft.id))[0]), { likes: 'not_published', views: 'not_offered' })

  mastodon.faults.push({ on: 'POST /api/v1/statuses', instead: { status: 422, body: { error: 'No' } } })
  const failed = await post({ accountIds, caption: 'Seals' })
  await work()
  t.hasStrict((await metricsOf(failed))[0], { state: 'failed', publishedAt: null })
  t.equal(reasonsOf((await metricsOf(failed))[0]).likes, 'not_published')

  const byHand = await post({ accountIds, caption: 'Otters', scheduledAt: '2099-01-01T00:00:00Z' })
  await ada.call('POST', `/posts/${byHand}/deliveries/${accountIds[0]}/mark-published`, {})
  await read(HOUR)
  t.equal(reasonsOf((await metricsOf(byHand))[0]).likes, 'no_id')

  const telegram = await publish({ accountIds: [await connect('telegram')] })
  await read(HOUR)
  t.equal(reasonsOf((await metricsOf(telegram))[0]).likes, 'not_offered')
})

t.test('a post that was published by hand has numbers if its address has its id', async (t) => {
  const { ada, connect, post, publish, read, metricsOf, readDelivery, mastodon, db } = await createMetricsWorld(t)
  const account = await connect('mastodon')
  const { externalUrl } = await readDelivery(await publish({ accountIds: [account] }))
  mastodon.statuses[0]!.favourites_count = 7
  const byHand = await post({ accountIds: [account], caption: 'Otters', scheduledAt: '2099-01-01T00:00:00Z' })
  await db
    .updateTable('accounts')
    .set({ externalId: `1@${new URL(externalUrl!).host}` })
    .execute()
  const path = `/posts/${byHand}/deliveries/${account}/mark-published`
  t.equal((await ada.call('POST', path, { url: externalUrl })).status, 200)
  await read(15 * MINUTE)
  t.equal((await metricsOf(byHand))[0].values.likes, 7)
})

t.test('posts of others and unknown posts are not found', async (t) => {
  const { ada, user, connect, publish } = await createMetricsWorld(t)
  const bob = repeating(await user())
  const id = await publish({ accountIds: [await connect('mastodon')] })
  for (const query of ['', '?refresh=true']) {
    t.equal((await bob.call('GET', `/posts/${id}/metrics${query}`)).status, 404)
    t.equal((await ada.call('GET', `/posts/not-an-id/metrics${query}`)).status, 404)
  }
  t.strictSame((await bob.call('GET', '/deliveries/metrics')).body.data, [])
})

t.test('a post that the network does not show any more keeps its numbers, and says since when', async (t) => {
  const { connect, publish, read, metricsOf, mastodon, time } = await createMetricsWorld(t)
  const id = await publish({ accountIds: [await connect('mastodon')] })
  mastodon.statuses[0]!.favourites_count = 7
  await read(15 * MINUTE)
  const [{ fetchedAt }] = await metricsOf(id)
  const [status] = mastodon.statuses.splice(0)
  await read(15 * MINUTE)
  const goneAt = time.now.toISOString()
  await read(15 * MINUTE)
  const [gone] = await metricsOf(id)
  t.hasStrict([gone.values.likes, gone.fetchedAt, gone.goneAt], [7, fetchedAt, goneAt])
  mastodon.statuses.push(status!)
  await read(15 * MINUTE)
  t.hasStrict((await metricsOf(id))[0], { goneAt: null, error: null })
})

t.test('a failure rests the readings of the account, and neither its numbers nor its posts', async (t) => {
  const { connect, publish, read, metricsOf, readDelivery, mastodon, time } = await createMetricsWorld(t)
  const account = await connect('mastodon')
  const id = await publish({ accountIds: [account] })
  mastodon.statuses[0]!.favourites_count = 7
  await read(15 * MINUTE)
  const limited = throttled(new Date(time.now.getTime() + 2 * HOUR))
  mastodon.faults.push({ on: 'GET /api/v1/statuses', instead: limited })
  t.equal(await read(15 * MINUTE), 1)
  const [limitedMetrics] = await metricsOf(id)
  t.hasStrict(limitedMetrics, { values: { likes: 7 }, error: { code: 'rate_limited', retryable: true } })
  t.equal(await read(20 * MINUTE), 0, 'the network wants a pause')
  t.equal((await readDelivery(await publish({ accountIds: [account], caption: 'Seals' }))).state, 'published')
  t.equal(await read(2 * HOUR), 1)
  t.hasStrict((await metricsOf(id))[0], { error: null })
})

t.test('a removed post keeps its numbers, and is not read any more', async (t) => {
  const world = await createMetricsWorld(t)
  const { ada, db, deps, connect, publish, advance, change, read, metricsOf, mastodon } = world
  const account = await connect('mastodon')
  const calls = () => callsOf(mastodon, 'GET /api/v1/statuses').length
  const remove = async (id: string) => {
    t.equal((await ada.call('POST', `/posts/${id}/remove`)).status, 202)
    await change()
    t.equal((await metricsOf(id))[0].state, 'removed')
  }
  const id = await publish({ accountIds: [account] })
  mastodon.statuses[0]!.favourites_count = 7
  await read(15 * MINUTE)
  advance(15 * MINUTE)
  const turn = await claimNextTurn(deps)
  const fetch: typeof globalThis.fetch = async (...request) => {
    const response = await deps.fetch(...request)
    await remove(id)
    return response
  }
  await takeTurn({ ...deps, fetch }, turn!)
  t.hasStrict((await metricsOf(id))[0], { values: { likes: 7 }, nextFetchAt: null, goneAt: null, error: null })

  const unread = await publish({ accountIds: [account], caption: 'Seals' })
  await remove(unread)
  const before = calls()
  await read(DAY)
  t.equal(calls(), before)
  t.equal((await metricsOf(unread))[0].nextFetchAt, null)
  t.equal(reasonsOf((await metricsOf(unread))[0]).likes, 'gone')
  for (const { nextAt } of await db.selectFrom('deliveryMetrics').select('nextAt').execute()) t.equal(nextAt, null)
})

t.test('an account without credentials is not read, and says so', async (t) => {
  const { ada, connect, publish, read, metricsOf } = await createMetricsWorld(t)
  const account = await connect('mastodon')
  const id = await publish({ accountIds: [account] })
  await ada.call('DELETE', `/accounts/${account}`)
  await read(HOUR)
  t.equal(reasonsOf((await metricsOf(id))[0]).likes, 'not_connected')
})

t.test(
  'a post that was published 28 days before anything was read is too old, unless its owner refreshes it',
  async (t) => {
    const { connect, publish, read, metricsOf, db } = await createMetricsWorld(t)
    const id = await publish({ accountIds: [await connect('mastodon')] })
    t.equal(reasonsOf((await metricsOf(id))[0]).likes, 'not_read')
    await db
      .updateTable('postTargets')
      .set({ publishedAt: new Date(Date.now() - 29 * DAY) })
      .execute()
    t.equal(await read(), 0)
    t.equal(reasonsOf((await metricsOf(id))[0]).likes, 'too_old')
    t.equal((await metricsOf(id, '?refresh=true'))[0].values.likes, 0)
  },
)

t.test('a post that its first reading did not find says so', async (t) => {
  const { connect, publish, read, metricsOf, mastodon } = await createMetricsWorld(t)
  const id = await publish({ accountIds: [await connect('mastodon')] })
  mastodon.statuses.splice(0)
  await read(15 * MINUTE)
  t.hasStrict((await metricsOf(id))[0], { fetchedAt: null, goneAt: null })
  t.equal(reasonsOf((await metricsOf(id))[0]).likes, 'gone')
})

t.test('refresh reads at once, and at most once a minute', async (t) => {
  const { ada, connect, publish, metricsOf, mastodon, bluesky } = await createMetricsWorld(t)
  const id = await publish({ accountIds: [await connect('mastodon'), await connect('bluesky')] })
  mastodon.statuses[0]!.favourites_count = 7
  const read = () => callsOf(mastodon, 'GET /api/v1/statuses').length + callsOf(bluesky, 'feed.getPosts').length
  const refreshed = await Promise.all([1, 2, 3].map(() => ada.call('GET', `/posts/${id}/metrics?refresh=true`)))
  t.strictSame([...refreshed.map(({ status }) => status), read()], [200, 200, 200, 2])
  t.hasStrict(await metricsOf(id), [{ values: { likes: 7 } }, { values: { likes: 0 } }])
  await metricsOf(id, '?refresh=true')
  t.equal(read(), 2)
})

t.test('without METRICS nothing is read', async (t) => {
  const { ada, connect, publish, metricsOf } = await createMetricsWorld(t, 'off')
  const id = await publish({ accountIds: [await connect('mastodon')] })
  t.equal(reasonsOf((await metricsOf(id))[0]).likes, 'metrics_off')
  const { status, body, headers } = await ada.call('GET', `/posts/${id}/metrics?refresh=true`)
  t.strictSame([status, headers['x-error-code']], [409, 'metrics_off'], body.error)
})

t.test('many posts are listed with the filters of deliveries', async (t) => {
  const { ada, connect, post, publish, read } = await createMetricsWorld(t)
  const [mastodon, bluesky] = [await connect('mastodon'), await connect('bluesky')]
  const both = await publish({ accountIds: [mastodon, bluesky] })
  const one = await publish({ accountIds: [bluesky], caption: 'Seals' })
  await post({ accountIds: [bluesky], caption: 'Otters', scheduledAt: '2099-01-01T00:00:00Z' })
  await read(15 * MINUTE)
  const list = async (query: string) => {
    const { status, body } = await ada.call('GET', `/deliveries/metrics${query}`)
    return status === 200 ? body.data.map(({ postId, accountId }: Record<string, string>) => [postId, accountId]) : body
  }
  t.equal((await list('')).length, 4)
  t.same(await list('?state=published&platform=bluesky'), [
    [one, bluesky],
    [both, bluesky],
  ])
  const { body: first } = await ada.call('GET', '/deliveries/metrics?state=published&limit=2')
  const { body: second } = await ada.call(
    'GET',
    `/deliveries/metrics?state=published&limit=2&cursor=${first.nextCursor}`,
  )
  t.strictSame([first.data.length, second.data.length], [2, 1])
  t.notOk([...first.data, ...second.data].some(({ fetchedAt }) => fetchedAt === null))
})

t.test('history has the last numbers of each day', async (t) => {
  const { ada, connect, publish, read, metricsOf, mastodon, time } = await createMetricsWorld(t)
  const id = await publish({ accountIds: [await connect('mastodon')] })
  const days = new Map<string, number>()
  for (let likes = 1; likes <= 3; likes++) {
    mastodon.statuses[0]!.favourites_count = likes
    await read(DAY)
    days.set(time.now.toISOString().slice(0, 10), likes)
  }
  const [metrics] = await metricsOf(id, '?history=true')
  t.strictSame(
    metrics.history.map(({ day, values }: { day: string; values: { likes: number } }) => [day, values.likes]),
    [...days],
  )
  t.notOk('history' in (await metricsOf(id))[0])
  const { status, body } = await ada.call('GET', '/deliveries/metrics?history=true&limit=100')
  t.strictSame([status, body.details[0].path], [400, ['limit']])
  t.equal((await ada.call('GET', '/deliveries/metrics?history=true')).body.data[0].history.length, 3)
})
