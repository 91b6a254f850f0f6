import { sql } from 'kysely'
import t from 'tap'
import { publishNow } from '../../db/queries/delivery/owner.ts'
import { PUBLISH_NOW } from '../../src/delivery/states.ts'
import { markPostPublished } from '../../src/posts/mark-published.ts'
import { createDesk } from '../helpers/publisher.ts'
import { lost, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'
import { untilBlocked } from '../helpers/until.ts'

const MINUTE = 60_000
const UNKNOWN_ID = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'

t.test('publishing a draft sends it if it is complete', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connected, work, delivery, time } = await createDesk(t, { mastodon })
  const account = await connected('mastodon')
  const { body: empty } = await ada.call('POST', '/posts', { accountIds: [account] })
  t.match(await ada.call('POST', `/posts/${empty.id}/publish`), {
    status: 400,
    body: { error: /^mastodon \(@ada\): caption/ },
  })
  t.hasStrict(await ada.call('GET', `/posts/${empty.id}`), { body: { status: 'draft', scheduledAt: null } })

  const { body: draft } = await ada.call('POST', '/posts', {
    accountIds: [account],
    caption: 'a',
    accountOverrides: [{ accountId: account, captionOverride: 'Now' }],
  })
  const { status, body } = await ada.call('POST', `/posts/${draft.id}/publish`)
  t.equal(status, 202)
  t.hasStrict(body, { id: draft.id, status: 'scheduled', targets: [{ delivery: { state: 'queued', attempts: 0 } }] })
  t.ok(Math.abs(Date.parse(body.scheduledAt) - Date.now()) < MINUTE)
  time.now = new Date(Date.now() + MINUTE)
  await work()
  t.same(mastodon.posts, ['Now'])
  t.hasStrict(await delivery(draft.id), { state: 'published' })
})

t.test('a draft is complete if every account has content by override or thread parts', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connected, work, time } = await createDesk(t, { mastodon, bluesky })
  const [account, chained] = [await connected('mastodon'), await connected('bluesky')]
  const drafts = [
    { accountIds: [account], accountOverrides: [{ accountId: account, captionOverride: 'overridden' }] },
    { accountIds: [chained], postType: 'thread', threadParts: { [chained]: ['one', 'two'] } },
  ]
  for (const draft of drafts) {
    const { body } = await ada.call('POST', '/posts', draft)
    t.equal((await ada.call('POST', `/posts/${body.id}/publish`)).status, 202)
  }
  time.now = new Date(Date.now() + MINUTE)
  await work()
  t.same([mastodon.posts, bluesky.posts], [['overridden'], ['one', 'two']])
})

t.test('a missed delivery can be published, and its lateness counts from then', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, db, connected, post, work, delivery, time } = await createDesk(t, { mastodon })
  const id = await post({ accountIds: [await connected('mastodon')], caption: 'missed' })
  await db.updateTable('postTargets').set({ dueAt: sql<Date>`due_at - interval '2 days'` }).execute()
  await work()
  t.hasStrict(await delivery(id), { state: 'missed' })
  t.equal((await ada.call('POST', `/posts/${id}/publish`)).status, 202)
  time.now = new Date(Date.now() + MINUTE)
  await work()
  t.hasStrict(await delivery(id), { state: 'published' })
  t.ok((await delivery(id)).latenessMs! <= 2 * MINUTE)
})

t.test('publishing does not change a due delivery, and rejects a post that is published or unconfirmed', async (t) => {
  const [mastodon, telegram] = [scriptedNetwork(), scriptedNetwork('at-most-once')]
  const { ada, db, connected, post, work, delivery, status } = await createDesk(t, { mastodon, telegram })
  const [account, other] = [await connected('mastodon'), await connected('telegram')]
  const waiting = await post({ accountIds: [account], caption: 'waiting' })
  mastodon.steps.push({ accept: false, fail: refusal('unreachable', { retryable: true }) })
  await work()
  const before = await delivery(waiting)
  t.equal((await ada.call('POST', `/posts/${waiting}/publish`)).status, 202)
  t.same(await delivery(waiting), before)

  const open = await post({ accountIds: [account, other], caption: 'open' })
  mastodon.steps.push({ accept: false, fail: refusal() })
  telegram.steps.push({ accept: true, fail: lost() })
  await work()
  t.equal((await ada.call('POST', `/posts/${open}/publish`)).status, 409)
  t.strictSame(
    await publishNow(db, { userId: ada.id, id: open, ...PUBLISH_NOW }),
    [{ count: 1 }],
    'nor does a call that passed the check before',
  )
  t.hasStrict(await delivery(open, account), { state: 'queued' })
  t.hasStrict(await delivery(open, other), { state: 'unconfirmed', nextAttemptAt: null })
  t.equal(await status(open), 'published')
})

t.test('publishing a scheduled post several times sends it once, before its time', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connected, work, time } = await createDesk(t, { mastodon })
  const body = { accountIds: [await connected('mastodon')], caption: 'early', scheduledAt: '2030-01-01T00:00:00Z' }
  const { id } = (await ada.call('POST', '/posts', body)).body
  const replies = await Promise.all([1, 2, 3].map(() => ada.call('POST', `/posts/${id}/publish`)))
  t.same(
    replies.map(({ status }) => status),
    [202, 202, 202],
  )
  time.now = new Date(Date.now() + MINUTE)
  await work()
  t.same(mastodon.posts, ['early'])
  t.hasStrict(await ada.call('POST', `/posts/${id}/publish`), {
    status: 409,
    body: { error: 'Post is already published: retry single deliveries instead' },
  })
})

t.test('publishing a post that failed on all accounts retries all of them', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connected, post, work, status, time } = await createDesk(t, { mastodon, bluesky })
  const accountIds = [await connected('mastodon'), await connected('bluesky')]
  const id = await post({ accountIds, caption: 'again' })
  for (const network of [mastodon, bluesky]) network.steps.push({ accept: false, fail: refusal() })
  await work()
  t.equal(await status(id), 'scheduled')
  t.equal((await ada.call('POST', `/posts/${id}/publish`)).status, 202)
  time.now = new Date(Date.now() + MINUTE)
  await work()
  t.same([mastodon.posts, bluesky.posts], [['again'], ['again']])
})

t.test('a draft for a disconnected account cannot be published', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connected } = await createDesk(t, { mastodon })
  const account = await connected('mastodon')
  const { body: draft } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'a' })
  t.equal((await ada.call('DELETE', `/accounts/${account}`)).status, 200)
  t.hasStrict(await ada.call('POST', `/posts/${draft.id}/publish`), {
    status: 403,
    body: { error: `You have no access to these accountIds: ${account}` },
  })
  t.hasStrict(await ada.call('GET', `/posts/${draft.id}`), { body: { status: 'draft' } })
})

t.test('a retry affects one delivery only', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connected, post, work, delivery, time } = await createDesk(t, { mastodon, bluesky })
  const accountIds = [await connected('mastodon'), await connected('bluesky')]
  const [first, second] = accountIds
  const id = await post({ accountIds, caption: 'one' })
  for (const network of [mastodon, bluesky]) network.steps.push({ accept: false, fail: refusal() })
  await work()
  t.hasStrict(await ada.call('POST', `/posts/${id}/deliveries/${first}/retry`), { status: 202 })
  time.now = new Date(Date.now() + MINUTE)
  await work()
  t.same([mastodon.posts, bluesky.posts], [['one'], []])
  t.hasStrict(await delivery(id, first), { state: 'published', attempts: 2 })
  t.hasStrict(await delivery(id, second), { state: 'failed', attempts: 1 })
})

t.test('a retry waits for a worker that is claiming the delivery, and is then rejected', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, db, connected, post, work } = await createDesk(t, { mastodon })
  const account = await connected('mastodon')
  const id = await post({ accountIds: [account], caption: 'one' })
  mastodon.steps.push({ accept: false, fail: refusal() })
  await work()
  const { reply } = await db.transaction().execute(async (claim) => {
    await claim.updateTable('postTargets').set({ state: 'publishing' }).execute()
    const reply = ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)
    await untilBlocked(db)
    // Inside an object, so that the transaction does not wait for it.
    return { reply }
  })
  t.hasStrict(await reply, { status: 409, body: { error: 'Delivery is being sent' } })
})

t.test('a delivery that waits for its next attempt can be retried immediately', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connected, post, work, delivery, time } = await createDesk(t, { mastodon })
  const account = await connected('mastodon')
  const id = await post({ accountIds: [account], caption: 'now' })
  mastodon.steps.push({ accept: false, fail: refusal('unreachable', { retryable: true }) })
  await work()
  t.hasStrict(await delivery(id), { state: 'queued' })
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  time.now = new Date(Date.now() + MINUTE)
  await work()
  t.same(mastodon.posts, ['now'])
})

t.test('a delivery that is not due yet is not retried', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connected, post, delivery } = await createDesk(t, { mastodon })
  const account = await connected('mastodon')
  const scheduledAt = new Date(Date.now() + 60 * MINUTE).toISOString()
  const id = await post({ accountIds: [account], caption: 'next week', scheduledAt })
  t.hasStrict(await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`), {
    status: 409,
    body: { error: 'Delivery is not due yet: publish the post to send it now' },
  })
  t.hasStrict(await delivery(id), { state: 'queued', nextAttemptAt: scheduledAt })
})

t.test('the owner can resolve an unconfirmed delivery', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { ada, connected, post, work, delivery, status, time } = await createDesk(t, { telegram })
  const createUnconfirmed = async (body: object = {}) => {
    const account = await connected('telegram')
    const id = await post({ accountIds: [account], caption: 'perhaps', ...body })
    telegram.steps.push({ accept: true, fail: lost() })
    await work()
    t.hasStrict(await delivery(id), { state: 'unconfirmed' })
    const resolve = (body: object) => ada.call('POST', `/posts/${id}/deliveries/${account}/resolve`, body)
    return { id, resolve, path: `/posts/${id}/deliveries/${account}` }
  }

  const there = await createUnconfirmed()
  const url = 'https://t.me/lighthouses/17'
  t.hasStrict(await there.resolve({ outcome: 'published', url }), { status: 200, body: { status: 'published' } })
  t.hasStrict(await delivery(there.id), {
    state: 'published',
    externalId: null,
    externalUrl: url,
    acts: [{ externalId: null, externalUrl: url }],
    error: null,
    history: [{ outcome: 'said_published' }],
  })
  t.equal((await delivery(there.id)).publishedAt, time.now.toISOString(), 'the time of its call')
  t.hasStrict(await there.resolve({ outcome: 'published' }), {
    status: 409,
    body: { error: 'Delivery is not unconfirmed' },
  })

  const gone = await createUnconfirmed()
  t.hasStrict(await gone.resolve({ outcome: 'not_published' }), { status: 200, body: { status: 'scheduled' } })
  t.hasStrict(await delivery(gone.id), {
    state: 'failed',
    publishedAt: null,
    error: { code: 'not_published', retryable: true },
    history: [{ outcome: 'said_not_published' }],
  })
  const before = telegram.posts.length
  t.equal((await ada.call('POST', `${gone.path}/retry`)).status, 202)
  time.now = new Date(Date.now() + MINUTE)
  await work()
  t.equal(telegram.posts.length, before + 1)
  t.equal(await status(gone.id), 'published')

  const commented = await createUnconfirmed({ firstComment: 'and' })
  t.hasStrict(await commented.resolve({ outcome: 'published' }), { status: 200, body: { status: 'published' } })
  t.hasStrict(await delivery(commented.id), { state: 'published', error: { code: 'parent_unknown', retryable: false } })
  const known = telegram.posts.length
  t.equal((await ada.call('POST', `${commented.path}/retry`)).status, 202)
  await work(MINUTE)
  t.equal(telegram.posts.length, known, 'no comment is sent to a post whose id is unknown')
  t.hasStrict(await delivery(commented.id), { state: 'published', error: { code: 'parent_unknown', retryable: false } })
})

t.test('after a thread part is resolved as published, the rest fails because its id is unknown', async (t) => {
  const bluesky = scriptedNetwork('at-most-once')
  const { ada, connected, post, work, delivery } = await createDesk(t, { bluesky })
  const account = await connected('bluesky')
  const id = await post({ accountIds: [account], postType: 'thread', threadParts: { [account]: ['one', 'two'] } })
  bluesky.steps.push({ accept: true, fail: lost() })
  await work()
  const path = `/posts/${id}/deliveries/${account}/resolve`
  t.hasStrict(await ada.call('POST', path, { outcome: 'published' }), { status: 200, body: { status: 'published' } })
  t.hasStrict(await delivery(id), { state: 'failed', acts: [{ externalId: null }], error: { code: 'parent_unknown' } })
  await work(MINUTE)
  t.same(bluesky.posts, ['one'])
})

t.test('an unconfirmed first comment is resolved separately from its post', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { ada, connected, post, work, delivery, status, time } = await createDesk(t, { telegram })
  const account = await connected('telegram')
  const id = await post({ accountIds: [account], caption: 'post', firstComment: 'comment' })
  telegram.steps.push({ accept: true }, { accept: false, fail: lost() })
  await work()
  await work(MINUTE)
  t.hasStrict(await delivery(id), { state: 'unconfirmed', externalId: 'n1' })
  const path = `/posts/${id}/deliveries/${account}`
  t.equal((await ada.call('POST', `${path}/resolve`, { outcome: 'not_published' })).status, 200)
  t.hasStrict(await delivery(id), { state: 'published', externalId: 'n1', error: { code: 'not_published' } })
  t.same(
    (await delivery(id)).history.map(({ outcome }) => outcome),
    ['published', 'said_not_published'],
  )
  t.equal(await status(id), 'published')
  t.equal((await ada.call('POST', `${path}/retry`)).status, 202)
  time.now = new Date(time.now.getTime() + MINUTE)
  await work()
  t.same(telegram.posts, ['post', 'comment'])
  t.hasStrict(await delivery(id), { state: 'published', error: null, acts: [{}, {}] })
})

t.test('an invalid resolution is a 400 and changes nothing', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { ada, connected, post, work, delivery } = await createDesk(t, { telegram })
  const account = await connected('telegram')
  const id = await post({ accountIds: [account], caption: 'perhaps' })
  telegram.steps.push({ accept: true, fail: lost() })
  await work()
  const path = `/posts/${id}/deliveries/${account}/resolve`
  const before = await delivery(id)
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
  t.same(await delivery(id), before)
})

t.test('operations on another user’s deliveries are a 404', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, user, connected, post, work, delivery } = await createDesk(t, { mastodon })
  const eve = await user('eve')
  const account = await connected('mastodon')
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
  t.hasStrict(await delivery(id), { state: 'published', attempts: 1 })
})

t.test('a post that is marked as published is not sent', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, ada, connected, post, work, delivery } = await createDesk(t, { mastodon })
  const account = await connected('mastodon')
  const id = await post({ accountIds: [account], caption: 'by hand' })
  await markPostPublished(db, id)
  await work()
  t.same(mastodon.acts, [])
  t.hasStrict(await delivery(id), { state: 'published', nextAttemptAt: null, attempts: 0, externalId: null })
  t.hasStrict(await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`), { status: 409 })
})
