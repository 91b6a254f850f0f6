import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { announceAccountExpiries, announceKeyExpiries } from '../../db/queries/events/expiry.ts'
import type { Event } from '../../schemas/event.ts'
import type { Guarantee } from '../../src/platforms/contract/guarantee.ts'
import { readAllEvents, typesOf } from '../helpers/events.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, type Step, scriptedNetwork } from '../helpers/scripted-network.ts'
import { untilBlocked } from '../helpers/until.ts'

const FUTURE = '2030-01-01T00:00:00.000Z'
const accepted: Step = { isAccepted: true }
const refused: Step = { isAccepted: false, error: refusal('content_refused', { retryable: false }) }

async function createScene(t: Test, steps: Step[] = [], { guarantee }: { guarantee?: Guarantee } = {}) {
  const mastodon = scriptedNetwork(guarantee)
  mastodon.steps.push(...steps)
  const world = await createDeliveryWorld(t, { mastodon })
  const account = await world.connectAccount('mastodon')
  const read = (query?: string) => readAllEvents(world.db, world.ada, query)
  // biome-ignore lint/suspicious/noExplicitAny: data of every type
  const dataOf = async (type: string) => (await read()).findLast((event) => event.type === type)?.data as any
  const act = (id: string, name: string, body?: object) =>
    world.ada.call('POST', `/posts/${id}/deliveries/${account}/${name}`, body)
  return { ...world, mastodon, account, read, dataOf, act, types: async () => typesOf(await read()) }
}

t.test('a post that is published tells each fact once, with ids, references and the address', async (t) => {
  const { ada, post, work, account, read } = await createScene(t)
  const id = await post({
    accountIds: [account],
    caption: 'secret caption',
    externalReference: 'order-7',
    metadata: { campaign: 'summer' },
  })
  await work()
  const events = (await read()).filter(({ data }) => 'postId' in data)
  t.strictSame(typesOf(events), ['post.created', 'delivery.published', 'post.settled'])
  const [created, published, settled] = events as [Event, Event, Event]
  const references = { postId: id, externalReference: 'order-7', metadata: { campaign: 'summer' } }
  t.match(created.data, { ...references, accountIds: [account], status: 'scheduled' })
  const { body } = await ada.call('GET', `/posts/${id}`)
  const { externalId, externalUrl, publishedAt } = body.targets[0].delivery
  t.match(published.data, {
    ...references,
    accountId: account,
    platform: 'mastodon',
    username: 'ada',
    state: 'published',
    externalId,
    externalUrl: externalUrl ?? undefined,
    publishedAt,
    acts: 1,
    attempt: 1,
    latenessMs: Number,
  })
  t.match(settled.data, { ...references, accountIds: [account], deliveries: { published: 1 } })
  t.notMatch(JSON.stringify(events), /secret caption/)
})

t.test('a change, a deletion and publishing now are events that name what has changed', async (t) => {
  const { ada, account, read, dataOf, connectAccount } = await createScene(t)
  const other = await connectAccount('mastodon')
  const { body: post } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'a', scheduledAt: FUTURE })
  const change = (body: object) => ada.call('PATCH', `/posts/${post.id}`, body)
  for (const [body, changed] of [
    [{ caption: 'b' }, ['caption']],
    [{ scheduledAt: null }, ['scheduledAt', 'status']],
    [{ accountIds: [account, other] }, ['accountIds']],
    [{ overrides: { [other]: { captionOverride: 'c' } } }, ['overrides']],
    [{ overrides: { [other]: { mediaIds: [] } } }, ['overrides']],
  ] as const) {
    t.equal((await change(body)).status, 200)
    t.strictSame((await dataOf('post.updated')).changed, changed)
  }
  await change({ caption: 'b' })
  t.equal((await read('&types=post.updated')).length, 5, 'a change that changes nothing is no event')
  t.equal((await ada.call('POST', `/posts/${post.id}/publish`)).status, 202)
  t.strictSame((await dataOf('post.updated')).changed, ['status', 'scheduledAt'])
  t.equal((await ada.call('DELETE', `/posts/${post.id}`)).status, 200)
  t.match(await dataOf('post.deleted'), { postId: post.id, accountIds: [account, other].sort(), status: 'scheduled' })
})

t.test('a rejected or failed request writes no event', async (t) => {
  const { ada, account, read } = await createScene(t)
  const before = (await read()).length
  t.equal((await ada.call('POST', '/posts', { accountIds: [account, 'nobody'], caption: 'a' })).status, 403)
  t.equal((await ada.call('DELETE', `/posts/${account}`)).status, 404)
  t.equal((await read()).length, before)
})

t.test('a failed delivery, its retry and its cancellation are events, with the key of the request', async (t) => {
  const { ada, post, work, account, act, types, dataOf, read } = await createScene(t, [refused, refused, accepted])
  const id = await post({ accountIds: [account], caption: 'a' })
  await work()
  t.strictSame(await types(), ['post.created', 'delivery.failed', 'post.settled'])
  t.match(await dataOf('delivery.failed'), { state: 'failed', error: { code: 'content_refused', retryable: false } })
  const { body: key } = await ada.call('GET', '/key')
  const before = (await read()).length
  t.equal((await act(id, 'retry')).status, 202)
  t.strictSame((await dataOf('delivery.retried')).actor, { keyId: key.id })
  await work()
  t.strictSame(typesOf((await read()).slice(before)), ['delivery.retried', 'delivery.failed', 'post.settled'])
  t.equal((await ada.call('POST', '/deliveries/retry', { state: ['failed'] })).body.retried.length, 1)
  t.equal((await act(id, 'cancel')).status, 200)
  t.strictSame((await dataOf('post.settled')).deliveries, { cancelled: 1 })
  t.match(await dataOf('delivery.cancelled'), {
    state: 'cancelled',
    error: { code: 'cancelled' },
    actor: { keyId: key.id },
  })
  t.strictSame((await types()).slice(-3), ['delivery.retried', 'delivery.cancelled', 'post.settled'])
  t.equal((await act(id, 'mark-published', {})).status, 200)
  t.match(await dataOf('delivery.resolved'), { outcome: 'published', state: 'published', actor: { keyId: key.id } })
})

t.test('a delivery whose call was lost is unconfirmed until its owner resolves it', async (t) => {
  const lost: Step = { isAccepted: false, error: lostResponse() }
  const { post, work, account, act, types, dataOf } = await createScene(t, [lost], { guarantee: 'at-most-once' })
  const id = await post({ accountIds: [account], caption: 'a' })
  await work()
  t.strictSame(await types(), ['post.created', 'delivery.unconfirmed', 'post.settled'])
  t.match(await dataOf('delivery.unconfirmed'), { intendedAt: String, error: { code: String } })
  t.equal((await act(id, 'resolve', { outcome: 'published', url: 'https://social.example/1' })).status, 200)
  t.match(await dataOf('delivery.resolved'), { outcome: 'published', externalUrl: 'https://social.example/1' })
})

t.test('a thread is published with its first part, and its comment may fail after that', async (t) => {
  const { post, work, account, read } = await createScene(t, [accepted, refused])
  await post({ accountIds: [account], caption: 'a', firstComment: 'b' })
  await work()
  const events = (await read()).filter(({ type }) => /^delivery|settled/.test(type))
  t.strictSame(typesOf(events), ['delivery.published', 'delivery.failed', 'post.settled'])
  t.match(events[1]!.data, { state: 'published', acts: 1, error: { code: 'content_refused' } })
  t.match(events[2]!.data, { deliveries: { published: 1 } })
})

t.test('a post for several accounts is settled once, whichever of its deliveries end together', async (t) => {
  for (const steps of [
    [accepted, accepted, accepted],
    [accepted, refused, refused],
    [refused, refused, refused],
  ]) {
    const { post, work, connectAccount, account, dataOf, types } = await createScene(t, steps)
    const accounts = [account, await connectAccount('mastodon'), await connectAccount('mastodon')]
    await post({ accountIds: accounts, caption: 'a' })
    await work()
    t.equal((await types()).filter((type) => type === 'post.settled').length, 1)
    const { accountIds, deliveries } = await dataOf('post.settled')
    t.strictSame(accountIds, accounts)
    t.equal((deliveries.published ?? 0) + (deliveries.failed ?? 0), 3)
  }
})

t.test('of two transactions that end the last two deliveries, one tells that the post is settled', async (t) => {
  const { ada, db, account, connectAccount, dataOf, types } = await createScene(t)
  const other = await connectAccount('mastodon')
  const { body: post } = await ada.call('POST', '/posts', {
    accountIds: [account, other],
    caption: 'a',
    scheduledAt: FUTURE,
  })
  const fail = (db: Db, accountId: string) =>
    sql`update post_targets set state = 'failed' where post_id = ${post.id} and account_id = ${accountId}`.execute(db)
  const first = await db.startTransaction().execute()
  await fail(first, account)
  const second = fail(db, other)
  await untilBlocked(db)
  await first.commit().execute()
  await second
  t.equal((await types()).filter((type) => type === 'post.settled').length, 1)
  t.strictSame((await dataOf('post.settled')).deliveries, { failed: 2 })
})

t.test('a change that removes the last open delivery settles the post', async (t) => {
  const { ada, account, connectAccount, act, types, dataOf } = await createScene(t)
  const others = [await connectAccount('mastodon'), await connectAccount('mastodon')]
  const { body: post } = await ada.call('POST', '/posts', {
    accountIds: [account, ...others],
    caption: 'a',
    scheduledAt: FUTURE,
  })
  t.equal((await act(post.id, 'cancel')).status, 200)
  const keep = async (accountIds: string[]) =>
    t.equal((await ada.call('PATCH', `/posts/${post.id}`, { accountIds })).status, 200)
  await keep([account, others[0]!])
  t.equal((await types()).at(-1), 'post.updated', 'one delivery is open')
  await keep([account])
  t.strictSame((await types()).slice(-2), ['post.updated', 'post.settled'])
  t.match(await dataOf('post.settled'), { accountIds: [account], deliveries: { cancelled: 1 } })
})

t.test('account events reach everybody who may use the account', async (t) => {
  const { db, user, organization, promote } = await createScene(t)
  const [ada, bob, eve] = [await user('ada'), await user('bob'), await user('eve')]
  const organizationId = await organization(ada, bob)
  await promote(organizationId, ada)
  const account = await ada.account('bluesky', { organizationId, username: 'shared', credentials: {} })
  const refuse = (code: string | null) =>
    sql`update accounts set attention = ${code && JSON.stringify({ code, message: 'x' })}::jsonb where id = ${account}`.execute(
      db,
    )
  await refuse('unauthorized')
  await refuse('unauthorized')
  await refuse(null)
  await ada.call('DELETE', `/accounts/${account}`)
  for (const person of [ada, bob]) {
    const events = await readAllEvents(db, person, '&types=account.*')
    const expected = ['connected', 'reconnect_required', 'connected', 'disconnected'].map((name) => `account.${name}`)
    t.strictSame(
      events.map(({ type }) => type),
      expected,
    )
    t.match(events[1]!.data, { accountId: account, platform: 'bluesky', username: 'shared', reason: 'unauthorized' })
  }
  t.strictSame(await readAllEvents(db, eve, '&types=account.*'), [])
})

t.test(
  'credentials and keys that expire are told 7 days before, credentials 1 day before and at the end too',
  async (t) => {
    const { db, ada, account, dataOf, read } = await createScene(t)
    await ada.call('POST', '/keys', { name: 'short', scopes: ['posts:read'], expiresAt: '2030-01-10T00:00:00.000Z' })
    await sql`update accounts set credentials_expire_at = '2030-01-10T00:00:00Z' where id = ${account}`.execute(db)
    const at = async (time: string) => {
      const values = { now: new Date(time), limit: 10 }
      return [await announceAccountExpiries(db, values), await announceKeyExpiries(db, values)]
    }
    t.strictSame(await at('2030-01-02T23:59:59Z'), [0, 0])
    t.strictSame(await at('2030-01-03T00:00:00Z'), [1, 1])
    t.strictSame(await at('2030-01-03T00:01:00Z'), [0, 0])
    t.match(await dataOf('account.expiring'), { accountId: account, expiresAt: '2030-01-10T00:00:00.000Z' })
    t.match(await dataOf('key.expiring'), { name: 'short', expiresAt: '2030-01-10T00:00:00.000Z' })
    t.strictSame(await at('2030-01-09T12:00:00Z'), [1, 0])
    t.strictSame(await at('2030-01-10T12:00:00Z'), [1, 0])
    t.match(await dataOf('account.reconnect_required'), { accountId: account, reason: 'reconnect_required' })
    t.equal((await read('&types=account.expiring')).length, 2)
  },
)

t.test('statements of the release before leave their events to triggers', async (t) => {
  const { ada, db, account, read } = await createScene(t)
  const { body: own } = await ada.call('GET', '/key')
  const { body: post } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'a', scheduledAt: FUTURE })
  const id = newId()
  const types = ['key.created', 'key.revoked', 'account.updated', 'delivery.cancelled', 'post.settled']
  await db.transaction().execute(async (db) => {
    await sql`select set_config('postroom.key_id', ${own.id}, true)`.execute(db)
    await sql`insert into api_keys (id, user_id, name, hash, start) values (${id}, ${ada.id}, 'old', '\\x01', 'x')`.execute(
      db,
    )
    await sql`update api_keys set revoked_at = now() where id = ${id}`.execute(db)
    await sql`update accounts set own_display_name = 'old' where id = ${account}`.execute(db)
    await sql`
      update post_targets set state = 'cancelled', error = '{"code": "cancelled", "message": "x", "retryable": true}' where post_id = ${post.id}`.execute(
      db,
    )
  })
  const written = (await read()).slice(-types.length)
  t.strictSame(
    written.map(({ type }) => type),
    types,
  )
  for (const { data } of written.slice(0, -1)) t.match(data, { actor: { keyId: own.id } })
})

t.test('a key that is created, rotated or revoked is an event that names the key of the request', async (t) => {
  const { ada, dataOf } = await createScene(t)
  const { body: own } = await ada.call('GET', '/key')
  const { body: created } = await ada.call('POST', '/keys', { name: 'calendar', scopes: ['posts:read'] })
  t.strictSame(await dataOf('key.created'), { keyId: created.id, name: 'calendar', actor: { keyId: own.id } })
  const { body: rotated } = await ada.call('POST', `/keys/${created.id}/rotate`, { overlapSeconds: 60 })
  t.strictSame(await dataOf('key.rotated'), {
    keyId: rotated.id,
    name: 'calendar',
    replaces: created.id,
    actor: { keyId: own.id },
  })
  t.equal((await ada.call('DELETE', `/keys/${created.id}`)).status, 200)
  t.strictSame(await dataOf('key.revoked'), { keyId: created.id, name: 'calendar', actor: { keyId: own.id } })
})
