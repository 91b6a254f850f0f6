import { sql } from 'kysely'
import t from 'tap'
import { NETWORKS } from '../../src/platforms/networks.ts'
import { isRead } from '../../src/platforms/offered-metrics.ts'
import { createMetricsWorld, DAY, HOUR, MINUTE, publishMeasured, reasonsOf } from '../helpers/metrics-world.ts'
import { PAGE_ID } from '../networks/fakes/facebook.ts'
import { errorBody } from '../networks/fakes/meta.ts'
import { MEASURED } from '../networks/fakes/metrics.ts'

for (const platform of MEASURED) {
  t.test(`${platform}: numbers come from the network, and from nowhere else`, async (t) => {
    const world = await createMetricsWorld(t, 'paid')
    const { read, metricsOf, numbers } = world
    const { id, reported, externalId } = await publishMeasured(world, platform)
    t.equal(await read(15 * MINUTE), 1)
    const [metrics] = await metricsOf(id)
    const offered = NETWORKS[platform].metrics.offered.filter(({ accounts }) => accounts !== 'members')
    const expected = Object.fromEntries(offered.map(({ metric, native }) => [metric, reported[native]]))
    t.hasStrict(metrics, { values: expected, error: null }, JSON.stringify(metrics.error))
    t.ok(Object.values(reasonsOf(metrics)).every((reason) => reason === 'not_offered'))

    for (const { native } of offered) delete reported[native]
    await read(15 * MINUTE)
    const [empty] = await metricsOf(id)
    t.ok(
      Object.values(empty.values).every((value) => value === null),
      'nothing is a zero',
    )

    numbers.storeOf(platform).posts.delete(externalId)
    numbers.storeOf(platform).posts.set('1', {})
    await read(15 * MINUTE)
    await read(15 * MINUTE)
    const [gone] = await metricsOf(id)
    t.equal(gone.goneAt !== null, !NETWORKS[platform].metrics.hidesGone)
    t.equal(gone.error, null)
  })
}

/** Bodies with status 200 that no network sends for a post. */
const ODD_BODIES = [{}, [], null, 'ok', { data: null }, { items: null, data: { children: {}, videos: {} }, posts: 1 }]

// odd-bodies-table.ts has all networks.
t.test('an odd response is neither a zero, nor the end of a post or of its numbers', async (t) => {
  const platform = MEASURED[0]!
  const world = await createMetricsWorld(t, 'paid')
  const { read, metricsOf, numbers } = world
  const { id } = await publishMeasured(world, platform)
  await read(15 * MINUTE)
  const [{ values }] = await metricsOf(id)
  for (const odd of ODD_BODIES) {
    numbers.storeOf(platform).odd = { status: 200, body: odd }
    await read(12 * HOUR)
    const [metrics] = await metricsOf(id)
    t.strictSame(
      [metrics.values, metrics.goneAt, metrics.error?.code],
      [values, null, 'unexpected_answer'],
      JSON.stringify(odd),
    )
  }
  delete numbers.storeOf(platform).odd
  await read(DAY)
  t.hasStrict((await metricsOf(id))[0], { values, error: null, goneAt: null })
})

for (const platform of MEASURED) {
  t.test(`${platform}: "not found" from a proxy says nothing about a post`, async (t) => {
    const world = await createMetricsWorld(t, 'paid')
    const { read, metricsOf, numbers } = world
    const { id } = await publishMeasured(world, platform)
    await read(15 * MINUTE)
    const [{ values }] = await metricsOf(id)
    for (const status of [404, 410]) {
      numbers.storeOf(platform).odd = { status, body: '<html>Nothing here</html>' }
      await read(12 * HOUR)
      const error = { code: 'unreachable', retryable: true }
      t.hasStrict((await metricsOf(id))[0], { values, goneAt: null, error }, `${status}`)
    }
  })
}

const PROFILES = { facebook: `GET /v26.0/${PAGE_ID}`, instagram: 'GET /v26.0/me', threads: 'GET /v1.0/me' } as const

for (const platform of ['facebook', 'instagram', 'threads'] as const) {
  t.test(`${platform}: a post that is not found is gone only if the account itself is found`, async (t) => {
    const world = await createMetricsWorld(t)
    const { read, metricsOf, numbers } = world
    const { id, externalId } = await publishMeasured(world, platform)
    const { posts } = numbers.storeOf(platform)
    posts.delete(externalId)
    posts.set('1', {})
    const outage = { status: 500, body: errorBody(2, 'Service temporarily unavailable') }
    for (let time = 1; time <= 2; time++) {
      world[platform].faults.push({ on: PROFILES[platform], instead: outage })
      await read(HOUR)
      t.hasStrict((await metricsOf(id))[0], { goneAt: null, error: { code: 'server_error' } })
    }
    await read(3 * HOUR)
    await read(HOUR)
    t.not((await metricsOf(id))[0].goneAt, null)
  })
}

const REFUSALS = {
  facebook: { status: 400, body: errorBody(368, 'The action attempted has been deemed abusive', { subcode: 1404082 }) },
  discord: { status: 400, body: { message: 'Invalid Form Body', code: 50035 } },
  x: {
    status: 200,
    body: {
      title: 'Authorization Error',
      type: 'https://api.twitter.com/2/problems/not-authorized-for-resource',
      detail: 'Sorry, you are not authorized to see this Post.',
    },
  },
} as const

for (const platform of ['facebook', 'discord', 'x'] as const) {
  t.test(`${platform}: a post that the network refuses to show holds up no other, and is not gone`, async (t) => {
    const world = await createMetricsWorld(t, 'paid')
    const { read, publish, readDelivery, metricsOf, numbers } = world
    const { id, account, externalId } = await publishMeasured(world, platform)
    const { posts, refused } = numbers.storeOf(platform)
    refused.set(externalId, REFUSALS[platform])
    posts.delete(externalId)
    const other = await publish({ accountIds: [account], caption: 'Seals' })
    const { native } = NETWORKS[platform].metrics.offered[0]!
    posts.set((await readDelivery(other)).externalId!, { [native]: 7 })
    await read(15 * MINUTE)
    await read(15 * MINUTE)
    const error = { code: 'content_refused', retryable: false }
    t.hasStrict((await metricsOf(id))[0], { fetchedAt: null, goneAt: null, error })
    t.hasStrict((await metricsOf(other))[0], { values: { likes: 7 }, error: null })
  })
}

for (const platform of ['facebook', 'instagram', 'threads', 'pinterest', 'tiktok'] as const) {
  t.test(`${platform}: a retired name empties nothing else`, async (t) => {
    const world = await createMetricsWorld(t)
    const { read, metricsOf, numbers } = world
    const { id, reported } = await publishMeasured(world, platform)
    const { offered } = NETWORKS[platform].metrics
    const retired = offered.at(-1)!
    numbers.storeOf(platform).retired.add(retired.native)
    await read(15 * MINUTE)
    const [metrics] = await metricsOf(id)
    t.equal(reasonsOf(metrics)[retired.metric], 'retired')
    for (const { metric, native } of offered.slice(0, -1)) t.equal(metrics.values[metric], reported[native], native)
  })
}

t.test('a number whose scope is missing is not asked for', async (t) => {
  const world = await createMetricsWorld(t)
  const { db, read, metricsOf, numbers } = world
  const { id, account } = await publishMeasured(world, 'instagram')
  const scopes = ['instagram_business_basic', 'instagram_business_content_publish']
  await db.updateTable('accounts').set({ scopes }).where('id', '=', account).execute()
  await read(15 * MINUTE)
  const [metrics] = await metricsOf(id)
  t.hasStrict(metrics, { values: { likes: 11, comments: 12, views: null }, error: null })
  const views = metrics.unavailable.find(({ metric }: { metric: string }) => metric === 'views')
  t.strictSame(views, { metric: 'views', reason: 'scope_missing', scope: 'instagram_business_manage_insights' })
  t.notOk(numbers.log.some((name) => name.endsWith('/insights')))

  await db.updateTable('accounts').set({ scopes: null }).where('id', '=', account).execute()
  t.hasStrict(reasonsOf((await metricsOf(id))[0]), { views: 'not_read', reposts: 'not_offered' }, 'connected again')
})

t.test('without any scope, a network is not called', async (t) => {
  const world = await createMetricsWorld(t)
  const { db, read, metricsOf, numbers } = world
  const { id, account } = await publishMeasured(world, 'tiktok')
  await db
    .updateTable('accounts')
    .set({ scopes: ['video.publish'] })
    .where('id', '=', account)
    .execute()
  await read(15 * MINUTE)
  const [metrics] = await metricsOf(id)
  t.equal(reasonsOf(metrics).likes, 'scope_missing')
  t.strictSame([metrics.fetchedAt, numbers.log], [null, []])
  const { checkedAt } = await db.selectFrom('deliveryMetrics').select('checkedAt').executeTakeFirstOrThrow()
  t.equal(checkedAt, null)
  await db.updateTable('accounts').set({ scopes: null }).where('id', '=', account).execute()
  t.equal(reasonsOf((await metricsOf(id))[0]).likes, 'not_read')
})

t.test('a reading that asks nothing changes nothing that an earlier one has found', async (t) => {
  const world = await createMetricsWorld(t)
  const { db, read, metricsOf, numbers } = world
  const { id, account, externalId } = await publishMeasured(world, 'reddit')
  await read(15 * MINUTE)
  numbers.storeOf('reddit').posts.delete(externalId)
  numbers.storeOf('reddit').posts.set('1', {})
  await read(15 * MINUTE)
  await read(15 * MINUTE)
  const stored = () => metricsOf(id).then(([{ values, fetchedAt, goneAt }]) => ({ values, fetchedAt, goneAt }))
  const before = await stored()
  t.not(before.goneAt, null)
  const accounts = db.updateTable('accounts').where('id', '=', account)
  await accounts.set({ scopes: ['submit'] }).execute()
  await read(HOUR)
  await accounts.set({ scopes: null }).execute()
  t.strictSame(await stored(), before)
})

t.test('a story has numbers for a day', async (t) => {
  const world = await createMetricsWorld(t)
  const { read, metricsOf, numbers } = world
  const { id } = await publishMeasured(world, 'instagram', 'story')
  await read(DAY)
  t.strictSame(numbers.log, [], 'later, the network is not asked')
  t.equal(reasonsOf((await metricsOf(id))[0]).likes, 'too_old')
})

t.test('a story that few people have seen has its likes, and no failure', async (t) => {
  const world = await createMetricsWorld(t)
  const { read, metricsOf, numbers } = world
  const { id, reported } = await publishMeasured(world, 'instagram', 'story')
  const store = numbers.storeOf('instagram')
  store.hasFewViewers = true
  await read(15 * MINUTE)
  const [few] = await metricsOf(id)
  t.hasStrict(few, { values: { likes: reported.like_count, views: null }, error: null })
  t.equal(reasonsOf(few).views, 'not_offered')
  store.hasFewViewers = false
  await read(15 * MINUTE)
  const [many] = await metricsOf(id)
  t.hasStrict(many, { values: { views: reported.views }, error: null })
  t.equal(reasonsOf(many).saves, 'not_offered')
  t.notOk(
    numbers.calls.some(({ query }) => query.metric?.includes('saved')),
    'stories have no saves',
  )
})

t.test('X is read only where that is paid for', async (t) => {
  const world = await createMetricsWorld(t)
  const { read, metricsOf, numbers } = world
  const { id } = await publishMeasured(world, 'x')
  t.equal(await read(DAY), 0)
  t.strictSame([reasonsOf((await metricsOf(id))[0]).likes, numbers.log], ['costs', []])
})

for (const knows of ['when it is published', 'later', 'never']) {
  t.test(`facebook: a reel has the numbers of its post, whose id Facebook tells ${knows}`, async (t) => {
    const world = await createMetricsWorld(t)
    const { read, metricsOf, numbers, db, time } = world
    const { id, externalId, reported } = await publishMeasured(world, 'facebook', 'reel')
    const { posts, videos } = numbers.storeOf('facebook')
    posts.clear()
    posts.set(`${PAGE_ID}_9${externalId}`, reported)
    videos.set(externalId, knows === 'never' ? undefined : `9${externalId}`)
    const sent = JSON.stringify([
      { id: externalId, url: null, ...(knows === 'when it is published' && { ref: `${PAGE_ID}_9${externalId}` }) },
    ])
    await db.updateTable('postTargets').set({ sent, publishedAt: time.now }).execute()
    await read(15 * MINUTE)
    const [metrics] = await metricsOf(id)
    if (knows === 'never') {
      t.strictSame([metrics.native, metrics.error], [{}, null])
      t.equal(reasonsOf(metrics).likes, 'not_offered')
    } else {
      t.strictSame(metrics.native, reported)
    }
    posts.delete(`${PAGE_ID}_9${externalId}`)
    await read(15 * MINUTE)
    await read(15 * MINUTE)
    t.equal((await metricsOf(id))[0].goneAt, null, 'the video is still there')
    videos.clear()
    posts.set('1', {})
    await read(3 * HOUR)
    await read(3 * HOUR)
    t.not((await metricsOf(id))[0].goneAt, null)
  })
}

t.test('the budget of an account pays for each post once a UTC day, and for nothing that was not read', async (t) => {
  const world = await createMetricsWorld(t, 'paid')
  const { ada, db, read, metricsOf, numbers, time, advance } = world
  const { id, account } = await publishMeasured(world, 'x')
  // A budget begins again with each month, and the readings of a new post take days.
  const nextMonth = Date.UTC(time.now.getUTCFullYear(), time.now.getUTCMonth() + 1, 1)
  advance(nextMonth + 20 * HOUR - time.now.getTime())
  await db.updateTable('postTargets').set({ publishedAt: time.now }).execute()
  await db.deleteFrom('accountSpending').execute()
  const price = NETWORKS.x.metrics.price!.usdMicros
  const limit = (limitUsdMicros: number) => ada.call('PUT', `/accounts/${account}/budget`, { limitUsdMicros })
  const spent = async () => {
    const { rows } = await sql<{
      sum: number
    }>`select coalesce(sum(spent_micros), 0)::float8 as sum from account_spending`.execute(world.db)
    return rows[0]!.sum
  }
  const store = numbers.storeOf('x')
  // Two readings on the next day.
  await read(DAY - (time.now.getTime() % DAY))
  await read(3 * HOUR)
  t.strictSame([numbers.log.length, await spent()], [2, price])
  const [{ values }] = await metricsOf(id)

  store.odd = { status: 503, body: {} }
  await read(DAY)
  store.odd = { status: 429, body: {} }
  const lost = await spent()
  await read(DAY)
  t.equal(await spent(), lost, 'a refusal costs nothing')
  delete store.odd

  await limit(lost + price - 1)
  const calls = numbers.log.length
  await read(DAY)
  const error = { code: 'budget_used_up', retryable: true }
  t.hasStrict((await metricsOf(id))[0], { values, error })
  t.strictSame([await spent(), numbers.log.length], [lost, calls], 'no call')
  await limit(lost + price)
  await read(DAY)
  t.hasStrict((await metricsOf(id))[0], { values, error: null })
  t.equal(await spent(), lost + price)

  store.posts.clear()
  await limit(lost + 3 * price)
  await read(7 * DAY)
  t.equal(await spent(), lost + price, 'X charges for the posts that it returns')
})

t.test('members of LinkedIn have no history', async (t) => {
  const world = await createMetricsWorld(t)
  const { ada, linkedin, publish, readDelivery, read, metricsOf, numbers } = world
  const account = await ada.account('linkedin', { credentials: linkedin.member, externalId: linkedin.member.author! })
  const id = await publish({ accountIds: [account] })
  const { externalId } = await readDelivery(id)
  numbers.storeOf('linkedin').posts.set(externalId!, { REACTION: 7, IMPRESSION: 90 })
  numbers.storeOf('linkedin').retired.add('RESHARE')
  await read(15 * MINUTE)
  const [metrics] = await metricsOf(id, '?history=true')
  t.hasStrict(metrics, { values: { likes: 7, comments: null, reposts: null, views: 90 }, history: [] })
  t.hasStrict(reasonsOf(metrics), { comments: 'not_offered', reposts: 'retired', clicks: 'not_offered' })
})

t.test('every network says which numbers it tells, or why it tells none', async (t) => {
  for (const [id, { metrics }] of Object.entries(NETWORKS)) {
    t.ok(isRead(metrics) ? metrics.postsPerCall > 0 : metrics.note, id)
    const names = metrics.offered.map(({ metric, accounts }) => `${metric} ${accounts}`)
    t.equal(new Set(names).size, names.length, id)
  }
})
