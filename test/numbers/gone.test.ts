import t from 'tap'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { createMetricsWorld, MINUTE, publishMeasured, reasonsOf } from '../helpers/metrics-world.ts'
import { callsOf } from '../helpers/network-world.ts'

type World = Awaited<ReturnType<typeof createMetricsWorld>>

const checkWith = ({ ada }: Pick<World, 'ada'>, post: string, account: string) =>
  ada.call('POST', `/posts/${post}/deliveries/${account}/check`)

async function eventsOf({ ada, db }: Pick<World, 'ada' | 'db'>) {
  await sequenceEvents(db)
  return (await ada.call('GET', '/events?types=delivery.gone')).body.data
}

t.test('a post is gone after a second reading that does not find it, and an event says so once', async (t) => {
  const world = await createMetricsWorld(t)
  const { ada, connect, publish, read, readDelivery, mastodon, time } = world
  const account = await connect('mastodon')
  const id = await publish({ accountIds: [account], externalReference: 'whales-1' })
  await read(15 * MINUTE)
  const [status] = mastodon.statuses.splice(0)
  await read(15 * MINUTE)
  const goneAt = time.now.toISOString()
  t.strictSame([(await readDelivery(id)).goneAt, await eventsOf(world)], [undefined, []], 'one reading is not enough')

  await read(15 * MINUTE)
  t.equal((await readDelivery(id)).goneAt, goneAt)
  const [{ data }, ...others] = await eventsOf(world)
  t.strictSame(others, [])
  t.hasStrict(data, { postId: id, accountId: account, state: 'published', externalReference: 'whales-1', goneAt })
  const { body: listed } = await ada.call('GET', '/deliveries')
  t.equal(listed.data[0].goneAt, goneAt)
  const { body: posts } = await ada.call('GET', '/posts?include=targets')
  t.equal(posts.data[0].targets[0].delivery.goneAt, goneAt)

  await read(60 * MINUTE)
  t.equal((await eventsOf(world)).length, 1, 'once')
  mastodon.statuses.push(status!)
  await read(60 * MINUTE)
  t.notOk('goneAt' in (await readDelivery(id)), 'it shows again')
})

t.test('a network that leaves a post out once has not lost it', async (t) => {
  const world = await createMetricsWorld(t)
  const { connect, publish, read, readDelivery, mastodon } = world
  const id = await publish({ accountIds: [await connect('mastodon')] })
  for (let time = 1; time <= 2; time++) {
    mastodon.faults.push({ on: 'GET /api/v1/statuses', instead: { status: 200, body: [] } })
    await read(15 * MINUTE)
    await read(15 * MINUTE)
  }
  t.notOk('goneAt' in (await readDelivery(id)))
  t.strictSame(await eventsOf(world), [])
})

t.test('a check asks at once, at most once a minute, and makes the next reading confirm it', async (t) => {
  const world = await createMetricsWorld(t)
  const { connect, publish, read, metricsOf, mastodon, db } = world
  const account = await connect('mastodon')
  const id = await publish({ accountIds: [account] })
  mastodon.statuses[0]!.favourites_count = 7
  const calls = () => callsOf(mastodon, 'GET /api/v1/statuses').length
  const { status, body } = await checkWith(world, id, account)
  t.equal(status, 200)
  t.hasStrict(body, {
    postId: id,
    accountId: account,
    platform: 'mastodon',
    result: 'shown',
    goneAt: null,
    error: null,
  })
  t.equal((await metricsOf(id))[0].values.likes, 7)

  mastodon.statuses.splice(0)
  const again = await checkWith(world, id, account)
  t.hasStrict([again.body.result, again.body.checkedAt, calls()], ['shown', body.checkedAt, 1])
  const minuteAgo = new Date(Date.now() - MINUTE)
  await db.updateTable('deliveryMetrics').set({ attemptedAt: minuteAgo }).execute()
  const unseen = await checkWith(world, id, account)
  t.hasStrict(unseen.body, { result: 'not_shown', goneAt: null })

  // Workers have the clock of the test, a check has that of the database.
  world.time.now = new Date()
  await read(9 * MINUTE)
  t.equal(calls(), 2)
  t.equal(await read(7 * MINUTE), 1, 'a worker confirms it')
  t.equal((await checkWith(world, id, account)).body.result, 'gone')
})

for (const platform of ['google_business', 'threads'] as const) {
  t.test(`${platform}: a post is found to be gone where no number can be read`, async (t) => {
    const world = await createMetricsWorld(t)
    const { id, account, externalId } = await publishMeasured(world, platform)
    const scopes = ['threads_basic', 'threads_content_publish']
    if (platform === 'threads')
      await world.db.updateTable('accounts').set({ scopes }).where('id', '=', account).execute()
    t.equal(await world.read(15 * MINUTE), 1, 'workers read it too')
    t.hasStrict((await checkWith(world, id, account)).body, { result: 'shown', error: null })
    const [metrics] = await world.metricsOf(id, '?history=true')
    t.strictSame(
      [...new Set(Object.values(reasonsOf(metrics)))].sort(),
      platform === 'threads' ? ['not_offered', 'scope_missing'] : ['not_offered'],
    )
    t.strictSame(metrics.history, [])

    if (platform === 'google_business') world.google_business.posts.splice(0)
    else world.numbers.storeOf(platform).posts.delete(externalId)
    world.numbers.storeOf('threads').posts.set('1', {})
    for (let look = 0; look < 2; look++) await world.read(15 * MINUTE)
    t.type((await world.metricsOf(id))[0].goneAt, 'string')
    t.equal((await checkWith(world, id, account)).body.result, 'gone')
  })
}

t.test('google_business: a post that Google has rejected since is gone, an odd response says nothing', async (t) => {
  const world = await createMetricsWorld(t)
  const { id, account } = await publishMeasured(world, 'google_business')
  const [post] = world.google_business.posts
  const check = async () => {
    await world.db.updateTable('deliveryMetrics').set({ attemptedAt: null }).execute()
    return (await checkWith(world, id, account)).body
  }
  t.equal((await check()).result, 'shown')
  const on = world.google_business.log.at(-1)!
  for (const body of [{}, [], { name: 'accounts/1/locations/2/localPosts/3', state: 'LIVE' }]) {
    world.google_business.faults.push({ on, instead: { status: 200, body } })
    t.hasStrict(await check(), { result: 'unknown', error: { code: 'unexpected_answer' } }, JSON.stringify(body))
  }
  post!.state = 'REJECTED'
  t.equal((await check()).result, 'not_shown')
})

t.test('a Threads post keeps its numbers when its account loses their scope', async (t) => {
  const world = await createMetricsWorld(t)
  const { id, account } = await publishMeasured(world, 'threads')
  await world.read(15 * MINUTE)
  const numbersOf = async () => {
    const [{ native, fetchedAt, goneAt }] = await world.metricsOf(id)
    return { native, fetchedAt, goneAt }
  }
  const before = await numbersOf()
  await world.db
    .updateTable('accounts')
    .set({ scopes: ['threads_basic'] })
    .where('id', '=', account)
    .execute()
  await world.read(15 * MINUTE)
  t.strictSame(await numbersOf(), before)
})

t.test('a check says why a network cannot be asked', async (t) => {
  const world = await createMetricsWorld(t)
  const { ada, db, connect, publish, post, mastodon } = world
  const codeOf = async (id: string, account: string) => {
    const { status, headers, body } = await checkWith(world, id, account)
    return [status, headers['x-error-code'], body.error]
  }
  const account = await connect('mastodon')
  const { body: draft } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'Whales' })
  t.strictSame(await codeOf(draft.id, account), [409, 'delivery_not_published', 'Nothing of the delivery is published'])
  const byHand = await post({ accountIds: [account], scheduledAt: '2099-01-01T00:00:00Z', caption: 'Seals' })
  await ada.call('POST', `/posts/${byHand}/deliveries/${account}/mark-published`, {})
  t.match(await codeOf(byHand, account), [409, 'delivery_without_id'])

  const telegram = await connect('telegram')
  const note = 'No method of the Bot API reads a message or its views.'
  t.strictSame(await codeOf(await publish({ accountIds: [telegram] }), telegram), [
    409,
    'check_not_offered',
    `Telegram does not tell whether a post is there. ${note}`,
  ])
  const x = await connect('x')
  t.match(await codeOf(await publish({ accountIds: [x] }), x), [409, 'metrics_off', /X costs money.*METRICS=paid/])
  const { id: video, account: tiktok } = await publishMeasured(world, 'tiktok')
  await db
    .updateTable('accounts')
    .set({ scopes: ['video.publish'] })
    .where('id', '=', tiktok)
    .execute()
  t.match(await codeOf(video, tiktok), [
    409,
    'check_scope_missing',
    /"video.list".* connect the account again.*PUT \/api\/v1\/apps\/tiktok/,
  ])

  const id = await publish({ accountIds: [account], caption: 'Otters' })
  t.match(await codeOf(id, tiktok), [404, 'delivery_not_found'])
  t.match(await codeOf(id, 'no-id'), [404, 'delivery_not_found'])
  const bob = repeating(await world.user())
  t.equal((await checkWith({ ada: bob }, id, account)).headers['x-error-code'], 'post_not_found')
  mastodon.faults.push({ on: 'GET /api/v1/statuses', instead: { status: 503, body: {} } })
  t.hasStrict((await checkWith(world, id, account)).body, { result: 'unknown', error: { code: 'server_error' } })
})

t.test('without METRICS nothing is asked', async (t) => {
  const world = await createMetricsWorld(t, 'off')
  const account = await world.connect('mastodon')
  const id = await world.publish({ accountIds: [account] })
  const { status, headers } = await checkWith(world, id, account)
  t.strictSame([status, headers['x-error-code']], [409, 'metrics_off'])
})

t.test('a network that hides what is gone says neither', async (t) => {
  const world = await createMetricsWorld(t)
  const { ada, linkedin, publish, readDelivery, numbers } = world
  const { organization } = linkedin
  const account = await ada.account('linkedin', { credentials: organization, externalId: organization.author! })
  const id = await publish({ accountIds: [account] })
  const { posts } = numbers.storeOf('linkedin')
  posts.set('urn:li:share:1', {})
  t.hasStrict((await checkWith(world, id, account)).body, { result: 'unknown', error: null })
  posts.set((await readDelivery(id)).externalId!, { likeCount: 3 })
  await world.db
    .updateTable('deliveryMetrics')
    .set({ attemptedAt: new Date(0) })
    .execute()
  t.equal((await checkWith(world, id, account)).body.result, 'shown')
})
