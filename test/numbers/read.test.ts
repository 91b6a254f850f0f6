import t from 'tap'
import { METRIC_NAMES } from '../../schemas/metric-names.ts'
import { createMetricsWorld, DAY, HOUR, MINUTE, reasonsOf } from '../helpers/metrics-world.ts'
import { callsOf } from '../helpers/network-world.ts'

const NONE = Object.fromEntries(METRIC_NAMES.map((name) => [name, null]))

t.test('Bluesky: numbers are those of the network, under our names and its own', async (t) => {
  const { connect, publish, read, metricsOf, bluesky } = await createMetricsWorld(t)
  const account = await connect('bluesky')
  const id = await publish({ accountIds: [account] })
  const [before] = await metricsOf(id)
  t.strictSame([before.values, before.fetchedAt], [NONE, null], 'nothing is a zero before the network was read')
  t.hasStrict(reasonsOf(before), { likes: 'not_read', views: 'not_offered' })

  const [key] = bluesky.posts.keys()
  bluesky.counts.set(key!, { likeCount: 12, replyCount: 3, repostCount: 2, bookmarkCount: 1 })
  t.equal(await read(15 * MINUTE), 1)
  const [metrics] = await metricsOf(id)
  t.hasStrict(metrics, {
    postId: id,
    accountId: account,
    platform: 'bluesky',
    state: 'published',
    goneAt: null,
    error: null,
    values: { ...NONE, likes: 12, comments: 3, reposts: 2, quotes: 0, saves: 1 },
    native: { likeCount: 12, replyCount: 3, repostCount: 2, quoteCount: 0, bookmarkCount: 1 },
  })
  t.strictSame(
    reasonsOf(metrics),
    Object.fromEntries(['shares', 'views', 'reach', 'clicks', 'score'].map((name) => [name, 'not_offered'])),
  )
  t.equal(callsOf(bluesky, 'app.bsky.feed.getPosts').at(-1)?.headers.authorization, undefined, 'without the account')
})

t.test('a number that the network leaves out is null, also if it was there before', async (t) => {
  const { connect, publish, read, metricsOf, mastodon } = await createMetricsWorld(t)
  const id = await publish({ accountIds: [await connect('mastodon')] })
  Object.assign(mastodon.statuses[0]!, { favourites_count: 7, quotes_count: 4 })
  await read(15 * MINUTE)
  t.hasStrict((await metricsOf(id))[0].values, { likes: 7, comments: 0, reposts: 0, quotes: 4 })
  delete mastodon.statuses[0]!.quotes_count
  await read(15 * MINUTE)
  const [metrics] = await metricsOf(id)
  t.hasStrict(metrics.values, { likes: 7, comments: 0, reposts: 0, quotes: null })
  t.equal(reasonsOf(metrics).quotes, 'not_offered')
})

t.test('Mastodon: before version 4.3, statuses are read one by one', async (t) => {
  const { connect, publish, read, metricsOf, mastodon } = await createMetricsWorld(t)
  mastodon.readsMany = false
  const account = await connect('mastodon')
  const ids = [await publish({ accountIds: [account] }), await publish({ accountIds: [account], caption: 'Seals' })]
  mastodon.statuses[1]!.reblogs_count = 5
  await read(15 * MINUTE)
  t.equal((await metricsOf(ids[0]!))[0].values.reposts, 5)
  t.equal((await metricsOf(ids[1]!))[0].values.reposts, 0)
})

t.test('posts of an account are read together, as many as a call takes', async (t) => {
  const { connect, publish, read, metricsOf, mastodon, bluesky } = await createMetricsWorld(t)
  const accountIds = [await connect('mastodon'), await connect('bluesky')]
  const ids: string[] = []
  for (let number = 1; number <= 23; number++) ids.push(await publish({ accountIds, caption: `Whale ${number}` }))
  await read(15 * MINUTE)
  t.equal(callsOf(mastodon, 'GET /api/v1/statuses').length, 2, '20 of Mastodon')
  t.equal(callsOf(bluesky, 'app.bsky.feed.getPosts').length, 1, '25 of Bluesky')
  for (const id of ids) t.notOk((await metricsOf(id)).some(({ fetchedAt }: { fetchedAt: null }) => fetchedAt === null))
})

t.test('a post is read less and less often, and after 28 days not any more', async (t) => {
  const { connect, publish, read, metricsOf, time } = await createMetricsWorld(t)
  const id = await publish({ accountIds: [await connect('bluesky')] })
  const publishedAt = time.now.getTime()
  const ages: number[] = []
  for (let inMs = 15 * MINUTE; ages.length < 100; ) {
    t.equal(await read(inMs), 1)
    ages.push(time.now.getTime() - publishedAt)
    const { nextFetchAt } = (await metricsOf(id))[0]
    if (nextFetchAt === null) break
    inMs = Date.parse(nextFetchAt) - time.now.getTime()
  }
  t.strictSame(ages, [
    ...[15, 30, 45, 60].map((minutes) => minutes * MINUTE),
    ...[2, 3, 4, 5, 6, 9, 12, 15, 18, 21, 24, 36, 48, 60, 72].map((hours) => hours * HOUR),
    ...[4, 5, 6, 7, 14, 21, 28].map((days) => days * DAY),
  ])
  t.equal(await read(DAY), 0)
})
