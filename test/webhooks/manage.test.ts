import { sql } from 'kysely'
import t from 'tap'
import type { Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, type Person, type Reply } from '../helpers/app.ts'
import { everythingIn, type Teardown } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld } from './scene.ts'

const URL_OF_ADA = 'https://ada.example/hook'

async function createScene(t: Teardown) {
  const urls = { allowsHttp: false, isReachable: async () => true }
  const world = await createWebhookWorld(t, { webhookUrls: urls })
  const keyWith = async (rights: { scopes?: Scope[]; accountIds?: string[] }): Promise<Person> => {
    const { key } = await createKey(world.db, { userId: world.ada.id, name: null, expiresAt: null, ...rights })
    return { ...world.ada, key, call: (...request) => call(world.app, key, ...request) }
  }
  return { ...world, keyWith }
}

const codeOf = ({ status, headers }: Reply) => [status, headers['x-error-code']]

t.test('a webhook is created, listed, changed and deleted, and shows its secret once', async (t) => {
  const { ada, db } = await createScene(t)
  const created = await ada.call('POST', '/webhooks', { url: URL_OF_ADA, types: ['delivery.*', 'delivery.*'] })
  t.equal(created.status, 201)
  const { secret, ...shown } = created.body
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.hasStrict(shown, {
    url: URL_OF_ADA,
    types: ['delivery.*'],
    accountIds: null,
    payload: 'full',
    state: 'active',
    disabledReason: null,
    failingSince: null,
    secretHint: secret.slice(0, 10),
  })
  t.strictSame(shown.secrets, [{ createdAt: shown.createdAt, expiresAt: null }])
  t.strictSame((await ada.call('GET', `/webhooks/${shown.id}`)).body, shown)
  const { body: list } = await ada.call('GET', '/webhooks')
  t.strictSame(list.data, [shown])
  t.notOk((await everythingIn(db)).includes(secret), 'it is stored encrypted')

  const changes = { url: 'https://ada.example:8443/other?token=a', types: null, payload: 'thin', state: 'disabled' }
  const changed = await ada.call('PATCH', `/webhooks/${shown.id}`, changes)
  t.strictSame(changed.body, { ...shown, ...changes, disabledReason: 'owner' })
  const enabled = await ada.call('PATCH', `/webhooks/${shown.id}`, { state: 'active' })
  t.strictSame(enabled.body, { ...shown, ...changes, state: 'active' })
  t.strictSame((await ada.call('PATCH', `/webhooks/${shown.id}`, {})).body, enabled.body)

  t.equal((await ada.call('DELETE', `/webhooks/${shown.id}`)).status, 200)
  t.strictSame(codeOf(await ada.call('GET', `/webhooks/${shown.id}`)), [404, 'webhook_not_found'])
  t.strictSame(codeOf(await ada.call('DELETE', `/webhooks/${shown.id}`)), [404, 'webhook_not_found'])
})

t.test('a webhook names the key that created it, and outlives it', async (t) => {
  const { ada, db, keyWith } = await createScene(t)
  const maker = await keyWith({ scopes: ['webhooks:manage', 'posts:read'] })
  const { id: keyId } = (await maker.call('GET', '/key')).body
  const { body: webhook } = await maker.call('POST', '/webhooks', { url: URL_OF_ADA, types: ['post.*'] })
  t.equal(webhook.createdBy, keyId)
  t.equal((await ada.call('DELETE', `/keys/${keyId}`)).status, 200)
  t.strictSame((await ada.call('GET', '/webhooks')).body.data, [
    (await ada.call('GET', `/webhooks/${webhook.id}`)).body,
  ])
  t.hasStrict((await ada.call('PATCH', `/webhooks/${webhook.id}`, { payload: 'thin' })).body, {
    createdBy: keyId,
    state: 'active',
  })
  await db.updateTable('webhooks').set({ createdBy: null }).execute()
  t.equal((await ada.call('GET', `/webhooks/${webhook.id}`)).body.createdBy, null, 'one of an earlier version')
})

t.test('an Idempotency-Key is ignored: the secret of a webhook is not kept for a replay', async (t) => {
  const { ada, db } = await createScene(t)
  const create = () => ada.call('POST', '/webhooks', { url: URL_OF_ADA }, { 'idempotency-key': 'one' })
  const [first, second] = [await create(), await create()]
  t.not(first.body.id, second.body.id)
  const { rows } = await sql`select from idempotency_keys`.execute(db)
  t.equal(rows.length, 0)
})

t.test('a user has up to 20 webhooks, and sees those of nobody else', async (t) => {
  const { ada, user } = await createScene(t)
  // Each request waits for those before it. On a busy machine, that uses up the database time of the last ones: 503.
  const create = () =>
    until('the request is carried out', () => ada.call('POST', '/webhooks', { url: URL_OF_ADA }), {
      isMet: ({ status }) => status !== 503,
    })
  const replies = await Promise.all(Array.from({ length: 22 }, create))
  const rejected = replies.filter(({ status }) => status !== 201)
  t.ok(rejected.length >= 2)
  for (const reply of rejected) t.strictSame(codeOf(reply), [409, 'webhook_limit'])
  t.equal((await ada.call('GET', '/webhooks')).body.data.length, 20)
  const bob = await user('bob')
  const { id } = replies.find(({ status }) => status === 201)!.body
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { state: 'disabled' }],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
    ['DELETE', '/previous-secret'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', '/redeliver', { from: '2026-01-01T00:00:00Z' }],
  ] as const) {
    const reply = await bob.call(method, `/webhooks/${id}${path}`, body)
    t.strictSame(codeOf(reply), [404, 'webhook_not_found'], `${method} ${path}`)
  }
  t.equal((await bob.call('GET', '/webhooks')).body.data.length, 0)
})

t.test('a webhook gets no more than the key that creates or changes it may read', async (t) => {
  const { ada, keyWith } = await createScene(t)
  const account = await ada.account()
  const other = await ada.account()
  const create = (person: Person, body: object = {}) => person.call('POST', '/webhooks', { url: URL_OF_ADA, ...body })

  const readers = await keyWith({ scopes: ['webhooks:manage', 'posts:read'] })
  t.strictSame(codeOf(await create(readers, { types: ['key.created'] })), [403, 'webhook_too_wide'])
  t.strictSame(codeOf(await create(readers, { types: ['post.*', 'account.*'] })), [403, 'webhook_too_wide'])
  const { body: narrow } = await create(readers)
  t.equal(narrow.types, null)
  t.equal((await create(readers, { types: ['post.*'] })).status, 201)

  const { body: wide } = await create(ada)
  t.equal((await readers.call('GET', `/webhooks/${wide.id}`)).status, 200)
  const change = { url: 'https://mallory.example' }
  t.strictSame(codeOf(await readers.call('PATCH', `/webhooks/${wide.id}`, change)), [403, 'webhook_too_wide'])
  t.strictSame(codeOf(await readers.call('POST', `/webhooks/${wide.id}/rotate-secret`)), [403, 'webhook_too_wide'])
  t.equal((await readers.call('PATCH', `/webhooks/${narrow.id}`, change)).status, 200)

  const limited = await keyWith({ scopes: ['webhooks:manage', 'posts:read'], accountIds: [account] })
  const { body: own } = await create(limited)
  t.strictSame(own.accountIds, [account])
  t.strictSame(codeOf(await create(limited, { accountIds: [other] })), [403, 'no_access'])
  t.strictSame(codeOf(await limited.call('GET', `/webhooks/${wide.id}`)), [404, 'webhook_not_found'])
  t.equal((await limited.call('GET', '/webhooks')).body.data.length, 1)
  const widened = await limited.call('PATCH', `/webhooks/${own.id}`, { accountIds: null })
  t.strictSame(widened.body.accountIds, [account], 'null means all accounts of the key')
  const without = await keyWith({ scopes: ['posts:read'] })
  t.strictSame(codeOf(await create(without)), [403, 'insufficient_scope'])
})

t.test('two secrets are valid after a rotation, and not more', async (t) => {
  const { ada } = await createScene(t)
  const { body: hook } = await ada.call('POST', '/webhooks', { url: URL_OF_ADA })
  const rotate = (body?: object) => ada.call('POST', `/webhooks/${hook.id}/rotate-secret`, body)
  const { status, body: rotated } = await rotate()
  t.equal(status, 200)
  t.not(rotated.secret, hook.secret)
  t.equal(rotated.secretHint, rotated.secret.slice(0, 10))
  const [current, previous] = rotated.secrets
  t.equal(current.expiresAt, null)
  t.equal(previous.createdAt, hook.createdAt)
  t.equal(Date.parse(previous.expiresAt) - Date.parse(current.createdAt), 86_400_000)
  t.strictSame(codeOf(await rotate()), [409, 'webhook_secret_rotated'])
  const { body: forced } = await rotate({ force: true, overlapSeconds: 60 })
  t.equal(forced.secrets[1].createdAt, current.createdAt)
  t.equal((await ada.call('DELETE', `/webhooks/${hook.id}/previous-secret`)).status, 200)
  t.equal((await ada.call('GET', `/webhooks/${hook.id}`)).body.secrets.length, 1)
  const again = await ada.call('DELETE', `/webhooks/${hook.id}/previous-secret`)
  t.strictSame(codeOf(again), [404, 'webhook_secret_not_found'])
  t.equal((await rotate({ overlapSeconds: 0 })).body.secrets.length, 1)
  t.equal((await rotate({ overlapSeconds: 604_801 })).status, 400)
})

t.test('without a key for credentials, no webhook is created', async (t) => {
  const webhookUrls = { allowsHttp: false, isReachable: async () => true }
  const world = await createWebhookWorld(t, { keyring: undefined, webhookUrls })
  const reply = await world.ada.call('POST', '/webhooks', { url: URL_OF_ADA })
  t.strictSame(codeOf(reply), [503, 'credentials_key_missing'])
})
