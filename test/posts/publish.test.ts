import { sql } from 'kysely'
import t from 'tap'
import { publishNow } from '../../db/queries/delivery/owner.ts'
import { PUBLISH_NOW } from '../../src/engine/delivery/machine.ts'
import { EARLIER_CALLS } from '../../src/engine/delivery/timing.ts'
import { markPostPublished } from '../../src/features/deliveries/settle-delivery.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000

t.test('publishing a draft sends it if it is complete', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
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
  time.now = new Date(time.now.getTime() + MINUTE)
  await work()
  t.same(mastodon.posts, ['Now'])
  t.hasStrict(await readDelivery(draft.id), { state: 'published' })
})

t.test('a draft is complete if every account has content by override or thread parts', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connectAccount, work, time } = await createDeliveryWorld(t, { mastodon, bluesky })
  const [account, chained] = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const drafts = [
    { accountIds: [account], accountOverrides: [{ accountId: account, captionOverride: 'overridden' }] },
    { accountIds: [chained], postType: 'thread', threadParts: { [chained]: ['one', 'two'] } },
  ]
  for (const draft of drafts) {
    const { body } = await ada.call('POST', '/posts', draft)
    t.equal((await ada.call('POST', `/posts/${body.id}/publish`)).status, 202)
  }
  time.now = new Date(time.now.getTime() + MINUTE)
  await work()
  t.same([mastodon.posts, bluesky.posts], [['overridden'], ['one', 'two']])
})

t.test('a missed delivery can be published, and its lateness counts from then', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, db, connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'missed' })
  await db.updateTable('postTargets').set({ dueAt: sql<Date>`due_at - interval '2 days'` }).execute()
  await work()
  t.hasStrict(await readDelivery(id), { state: 'missed' })
  t.equal((await ada.call('POST', `/posts/${id}/publish`)).status, 202)
  time.now = new Date(time.now.getTime() + MINUTE)
  await work()
  t.hasStrict(await readDelivery(id), { state: 'published' })
  t.ok((await readDelivery(id)).latenessMs! <= 10 * MINUTE)
})

t.test('publishing does not change a due delivery, and rejects a post that is published or unconfirmed', async (t) => {
  const [mastodon, telegram] = [scriptedNetwork(), scriptedNetwork('at-most-once')]
  const { ada, db, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, {
    mastodon,
    telegram,
  })
  const [account, other] = [await connectAccount('mastodon'), await connectAccount('telegram')]
  const waiting = await post({ accountIds: [account], caption: 'waiting' })
  mastodon.steps.push({ isAccepted: false, error: refusal('unreachable', { retryable: true }) })
  await work()
  const before = await readDelivery(waiting)
  t.equal((await ada.call('POST', `/posts/${waiting}/publish`)).status, 202)
  t.same(await readDelivery(waiting), before)

  const open = await post({ accountIds: [account, other], caption: 'open' })
  mastodon.steps.push({ isAccepted: false, error: refusal() })
  telegram.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  t.equal((await ada.call('POST', `/posts/${open}/publish`)).status, 409)
  t.strictSame(
    await publishNow(db, { keyId: null, userId: ada.id, id: open, ...PUBLISH_NOW, ...EARLIER_CALLS }),
    [{ count: 1 }],
    'nor does a call that passed the check before',
  )
  t.hasStrict(await readDelivery(open, account), { state: 'queued' })
  t.hasStrict(await readDelivery(open, other), { state: 'unconfirmed', nextAttemptAt: null })
  t.equal(await readStatus(open), 'published')
})

t.test('publishing a scheduled post several times sends it once, before its time', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, work, time } = await createDeliveryWorld(t, { mastodon })
  const body = { accountIds: [await connectAccount('mastodon')], caption: 'early', scheduledAt: '2030-01-01T00:00:00Z' }
  const { id } = (await ada.call('POST', '/posts', body)).body
  const replies = await Promise.all([1, 2, 3].map(() => ada.call('POST', `/posts/${id}/publish`)))
  t.same(
    replies.map(({ status }) => status),
    [202, 202, 202],
  )
  time.now = new Date(time.now.getTime() + MINUTE)
  await work()
  t.same(mastodon.posts, ['early'])
  t.hasStrict(await ada.call('POST', `/posts/${id}/publish`), {
    status: 409,
    body: { error: 'Post is already published: retry single deliveries instead' },
  })
})

t.test('publishing a post that failed on all accounts retries all of them', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connectAccount, post, work, readStatus, time } = await createDeliveryWorld(t, { mastodon, bluesky })
  const accountIds = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const id = await post({ accountIds, caption: 'again' })
  for (const network of [mastodon, bluesky]) network.steps.push({ isAccepted: false, error: refusal() })
  await work()
  t.equal(await readStatus(id), 'scheduled')
  t.equal((await ada.call('POST', `/posts/${id}/publish`)).status, 202)
  time.now = new Date(time.now.getTime() + MINUTE)
  await work()
  t.same([mastodon.posts, bluesky.posts], [['again'], ['again']])
})

t.test('a draft for a disconnected account cannot be published', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const { body: draft } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'a' })
  t.equal((await ada.call('DELETE', `/accounts/${account}`)).status, 200)
  t.hasStrict(await ada.call('POST', `/posts/${draft.id}/publish`), {
    status: 403,
    body: { error: `You have no access to these accountIds: ${account}` },
  })
  t.hasStrict(await ada.call('GET', `/posts/${draft.id}`), { body: { status: 'draft' } })
})

t.test('a post that is marked as published is not sent', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, ada, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'by hand' })
  await markPostPublished(db, id)
  await work()
  t.same(mastodon.acts, [])
  t.hasStrict(await readDelivery(id), { state: 'published', nextAttemptAt: null, attempts: 0, externalId: null })
  t.hasStrict(await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`), { status: 409 })
})
