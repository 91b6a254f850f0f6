import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const HOUR = 3_600_000
const FUTURE = '2030-01-01T00:00:00.000Z'
const URL = 'https://bsky.app/profile/ada/post/3mbzyl2u5xk2a'

t.test('the owner records that a delivery was published by hand', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [pinterest, other] = [await ada.account('pinterest'), await ada.account('bluesky')]
  const { body: created } = await ada.call('POST', '/posts', {
    accountIds: [other],
    caption: 'a',
    scheduledAt: FUTURE,
  })
  await ada.call('PATCH', `/posts/${created.id}`, { scheduledAt: null, accountIds: [pinterest, other] })
  const path = `/posts/${created.id}/deliveries/${pinterest}/mark-published`
  t.hasStrict(await ada.call('POST', path, { url: URL }), {
    status: 409,
    body: { error: 'Post is a draft: schedule it first' },
  })
  await ada.call('PATCH', `/posts/${created.id}`, { accountIds: [other], scheduledAt: FUTURE })

  const otherPath = `/posts/${created.id}/deliveries/${other}/mark-published`
  const { status, body, headers } = await ada.call('POST', otherPath, { url: URL })
  t.equal(status, 200)
  t.equal(headers.etag, (await ada.call('GET', `/posts/${created.id}`)).headers.etag)
  t.equal(body.status, 'published')
  const [{ delivery }] = body.targets
  t.hasStrict(delivery, {
    state: 'published',
    externalId: null,
    externalUrl: URL,
    acts: [{ externalId: null, externalUrl: URL }],
    nextAttemptAt: null,
    error: null,
  })
  t.ok(delivery.publishedAt)
  t.hasStrict(await ada.call('POST', otherPath, {}), { status: 409, body: { error: 'Delivery is published' } })
  t.equal((await ada.call('PATCH', `/posts/${created.id}`, { caption: 'b' })).status, 400)
})

t.test('a marked delivery is not sent, and deliveries to other accounts are', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, {
    mastodon,
    bluesky,
  })
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const id = await post({ accountIds: [first, second], caption: 'a' })
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${first}/mark-published`, {})).status, 200)
  t.equal(await readStatus(id), 'published')
  await work(HOUR)
  t.same([mastodon.posts, bluesky.posts], [[], ['a']])
  t.hasStrict(await readDelivery(id, first), { state: 'published', attempts: 0 })
  t.hasStrict(await ada.call('POST', `/posts/${id}/deliveries/${first}/retry`), { status: 409 })
})

t.test('a delivery is marked in every state in which something is missing', async (t) => {
  const lost = { isAccepted: true, error: lostResponse() }
  const refused = { isAccepted: false, error: refusal() }
  for (const [name, steps, expected] of [
    ['failed', [refused], { attempts: 1, history: [{ outcome: 'failed' }], acts: [{}] }],
    ['unconfirmed', [lost], { attempts: 1, history: [{ outcome: 'said_published' }], acts: [{}] }],
    [
      'without its comment',
      [{ isAccepted: true }, refused],
      { attempts: 2, acts: [{ externalId: 'n1' }, { externalUrl: 'https://t.me/ada/17' }] },
    ],
  ] as const) {
    const telegram = scriptedNetwork('at-most-once')
    const { ada, connectAccount, post, work, readStatus, readDelivery } = await createDeliveryWorld(t, { telegram })
    const account = await connectAccount('telegram')
    telegram.steps.push(...steps)
    const firstComment = name === 'without its comment' ? { firstComment: 'b' } : {}
    const id = await post({ accountIds: [account], caption: 'a', ...firstComment })
    await work()
    // The rate of Telegram.
    await work(2_000)
    const path = `/posts/${id}/deliveries/${account}/mark-published`
    t.equal((await ada.call('POST', path, { url: 'https://t.me/ada/17' })).status, 200, name)
    t.hasStrict(await readDelivery(id), { state: 'published', error: null, ...expected }, name)
    t.equal((await readDelivery(id)).acts.length, expected.acts.length)
    t.equal(await readStatus(id), 'published')
    await work(HOUR)
    t.equal(telegram.acts.length, steps.length, `${name}: nothing more is sent`)
  }
})

t.test('a delivery that is being sent cannot be marked, nor with an invalid url', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account()
  const { body } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'a', scheduledAt: FUTURE })
  const path = `/posts/${body.id}/deliveries/${account}/mark-published`
  for (const [payload, code] of [
    [{ url: 'pinterest.com/pin' }, 'invalid_string'],
    [{ url: 'javascript:alert(1)' }, 'invalid_string'],
    [{ url: null }, 'invalid_type'],
    [{ url: 'a'.repeat(2049) }, 'too_big'],
    [{ outcome: 'published' }, 'unrecognized_keys'],
  ] as const) {
    t.hasStrict(await ada.call('POST', path, payload), { status: 400, body: { details: [{ code }] } })
  }
  await db.updateTable('postTargets').set({ state: 'publishing' }).execute()
  t.hasStrict(await ada.call('POST', path, {}), { status: 409, body: { error: 'Delivery is being sent' } })
})

t.test('the address of a post gives its id, and one of another network or account is refused', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('bluesky', { username: 'ada.example.com', externalId: 'did:plc:abc' })
  const { body } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'a', scheduledAt: FUTURE })
  const path = `/posts/${body.id}/deliveries/${account}/mark-published`
  for (const [url, message] of [
    [
      'https://www.pinterest.com/pin/4711',
      'This is not the address of a post on Bluesky, such as https://bsky.app/profile/HANDLE/post/ID',
    ],
    [
      'https://bsky.app/profile/bob.example.com/post/3mbz',
      'This is the address of a post of "bob.example.com", and the delivery is to "ada.example.com"',
    ],
  ]) {
    const { status, body } = await ada.call('POST', path, { url })
    t.equal(status, 400)
    t.strictSame(body.details, [{ code: 'custom', path: ['url'], message }])
  }
  const url = 'https://bsky.app/profile/ada.example.com/post/3mbzyl2u5xk2a'
  const { status, body: marked } = await ada.call('POST', path, { url })
  t.equal(status, 200)
  const externalId = 'at://did:plc:abc/app.bsky.feed.post/3mbzyl2u5xk2a'
  t.hasStrict(marked.targets[0].delivery, { externalId, externalUrl: url, acts: [{ externalId, externalUrl: url }] })
})
