import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const UNKNOWN_ID = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'

t.test('the owner can resolve an unconfirmed delivery', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const world = await createDeliveryWorld(t, { telegram })
  const { ada, connectAccount, post, work, readDelivery, readStatus, time, endFlights } = world
  const createUnconfirmed = async (body: object = {}) => {
    const account = await connectAccount('telegram')
    const id = await post({ accountIds: [account], caption: 'perhaps', ...body })
    telegram.steps.push({ isAccepted: true, error: lostResponse() })
    await work()
    t.hasStrict(await readDelivery(id), { state: 'unconfirmed' })
    const resolve = (body: object) => ada.call('POST', `/posts/${id}/deliveries/${account}/resolve`, body)
    return { id, resolve, path: `/posts/${id}/deliveries/${account}` }
  }

  const there = await createUnconfirmed()
  const url = 'https://t.me/lighthouses/17'
  t.hasStrict(await there.resolve({ outcome: 'published', url }), { status: 200, body: { status: 'published' } })
  t.hasStrict(await readDelivery(there.id), {
    state: 'published',
    externalId: null,
    externalUrl: url,
    acts: [{ externalId: null, externalUrl: url }],
    error: null,
    history: [{ outcome: 'said_published' }],
  })
  t.equal((await readDelivery(there.id)).publishedAt, time.now.toISOString(), 'the time of its call')
  t.hasStrict(await there.resolve({ outcome: 'published' }), {
    status: 409,
    body: { error: 'Delivery is not unconfirmed' },
  })

  const gone = await createUnconfirmed()
  await endFlights()
  t.hasStrict(await gone.resolve({ outcome: 'not_published' }), { status: 200, body: { status: 'scheduled' } })
  t.hasStrict(await readDelivery(gone.id), {
    state: 'failed',
    publishedAt: null,
    error: { code: 'not_published', retryable: true },
    history: [{ outcome: 'said_not_published' }],
  })
  const before = telegram.posts.length
  t.equal((await ada.call('POST', `${gone.path}/retry`)).status, 202)
  time.now = new Date(time.now.getTime() + MINUTE)
  await work()
  t.equal(telegram.posts.length, before + 1)
  t.equal(await readStatus(gone.id), 'published')

  const commented = await createUnconfirmed({ firstComment: 'and' })
  t.hasStrict(await commented.resolve({ outcome: 'published' }), { status: 200, body: { status: 'published' } })
  t.hasStrict(await readDelivery(commented.id), {
    state: 'published',
    error: { code: 'parent_unknown', retryable: false },
  })
  const known = telegram.posts.length
  t.equal((await ada.call('POST', `${commented.path}/retry`)).status, 202)
  await work(MINUTE)
  t.equal(telegram.posts.length, known, 'no comment is sent to a post whose id is unknown')
  t.hasStrict(await readDelivery(commented.id), {
    state: 'published',
    error: { code: 'parent_unknown', retryable: false },
  })
})

t.test('after a thread part is resolved as published, the rest fails because its id is unknown', async (t) => {
  const bluesky = scriptedNetwork('at-most-once')
  const { ada, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const id = await post({ accountIds: [account], postType: 'thread', threadParts: { [account]: ['one', 'two'] } })
  bluesky.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  const path = `/posts/${id}/deliveries/${account}/resolve`
  t.hasStrict(await ada.call('POST', path, { outcome: 'published' }), { status: 200, body: { status: 'published' } })
  t.hasStrict(await readDelivery(id), {
    state: 'failed',
    acts: [{ externalId: null }],
    error: { code: 'parent_unknown' },
  })
  await work(MINUTE)
  t.same(bluesky.posts, ['one'])
})

t.test('an unconfirmed first comment is resolved separately from its post', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const world = await createDeliveryWorld(t, { telegram })
  const { ada, connectAccount, post, work, readDelivery, readStatus, time, endFlights } = world
  const account = await connectAccount('telegram')
  const id = await post({ accountIds: [account], caption: 'post', firstComment: 'comment' })
  telegram.steps.push({ isAccepted: true }, { isAccepted: false, error: lostResponse() })
  await work()
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'unconfirmed', externalId: 'n1' })
  const path = `/posts/${id}/deliveries/${account}`
  await endFlights()
  t.equal((await ada.call('POST', `${path}/resolve`, { outcome: 'not_published' })).status, 200)
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: 'n1', error: { code: 'not_published' } })
  t.same(
    (await readDelivery(id)).history.map(({ outcome }) => outcome),
    ['published', 'said_not_published'],
  )
  t.equal(await readStatus(id), 'published')
  t.equal((await ada.call('POST', `${path}/retry`)).status, 202)
  time.now = new Date(time.now.getTime() + MINUTE)
  await work()
  t.same(telegram.posts, ['post', 'comment'])
  t.hasStrict(await readDelivery(id), { state: 'published', error: null, acts: [{}, {}] })
})

t.test('an invalid resolution is a 400 and changes nothing', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { ada, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { telegram })
  const account = await connectAccount('telegram')
  const id = await post({ accountIds: [account], caption: 'perhaps' })
  telegram.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  const path = `/posts/${id}/deliveries/${account}/resolve`
  const before = await readDelivery(id)
  const wrong: [unknown, object][] = [
    [{}, { code: 'invalid_type', path: ['outcome'], message: 'Required' }],
    [{ outcome: 'maybe' }, { code: 'invalid_enum_value', path: ['outcome'] }],
    [
      { outcome: 'published', url: 'javascript:alert(1)' },
      { code: 'invalid_string', path: ['url'] },
    ],
    [
      { outcome: 'published', url: 'https://' },
      { code: 'invalid_string', path: ['url'] },
    ],
    [
      { outcome: 'published', url: `https://t.me/${'a'.repeat(2048)}` },
      { code: 'too_big', path: ['url'] },
    ],
    [
      { outcome: 'not_published', url: 'https://t.me/a/1' },
      { code: 'custom', path: ['url'] },
    ],
    [
      { outcome: 'published', id: '17' },
      { code: 'unrecognized_keys', keys: ['id'] },
    ],
    ['[]', { code: 'invalid_type', path: [] }],
    ['', { code: 'invalid_json', path: [] }],
  ]
  for (const [body, issue] of wrong) {
    t.hasStrict(await ada.call('POST', path, body), {
      status: 400,
      body: { error: 'Invalid request', details: [issue] },
    })
  }
  t.same(await readDelivery(id), before)
})

t.test('operations on another user’s deliveries are a 404', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, user, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const eve = await user('eve')
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'mine' })
  const operations = [
    ['GET', `/posts/${id}`],
    ['POST', `/posts/${id}/publish`],
    ['POST', `/posts/${id}/deliveries/${account}/retry`],
    ['POST', `/posts/${id}/deliveries/${account}/resolve`],
  ] as const
  for (const [method, path] of operations) {
    const body = path.endsWith('resolve') ? { outcome: 'published' } : undefined
    t.hasStrict(await eve.call(method, path, body), { status: 404, body: { error: 'Post not found' } }, path)
    for (const wrong of ['%00', 'x', UNKNOWN_ID, 'a'.repeat(200)]) {
      const reply = await ada.call(method, path.replace(id, wrong), body)
      t.hasStrict(reply, { status: 404, body: { error: 'Post not found' } }, wrong)
      if (!path.includes('deliveries')) continue
      const other = await ada.call(method, path.replace(account, wrong), body)
      t.hasStrict(other, { status: 404, body: { error: 'Delivery not found' } }, wrong)
    }
  }
  await work()
  t.hasStrict(await readDelivery(id), { state: 'published', attempts: 1 })
})
