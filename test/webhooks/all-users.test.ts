import t, { type Test } from 'tap'
import type { Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, type Person } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, numberEvents, startReceiver, untilReceived } from './scene.ts'

const SCOPES: Scope[] = ['admin', 'webhooks:manage', 'posts:read', 'accounts:read']
const UNKNOWN_ID = '0196f0a1-1111-7d20-9b4f-61d8e2a5c047'

async function createScene(t: Test) {
  const world = await createWebhookWorld(t)
  const [operator, bob] = [await world.user('operator'), await world.user('bob')]
  await numberEvents(world.db)
  const program = async (scopes = SCOPES): Promise<Person> => {
    const { key } = await createKey(world.db, { userId: operator.id, name: null, expiresAt: null, scopes })
    return { ...operator, key, call: (...request) => call(world.app, key, ...request) }
  }
  return { ...world, bob, program, reader: await program() }
}

t.test('a webhook of all users gets their events, each with its user, and signs with one secret', async (t) => {
  const { ada, bob, db, emit, hook, reader, dispatch, organization, app } = await createScene(t)
  const organizationId = await organization(ada, bob)
  const shared = await bob.account('mastodon', { organizationId })
  const own = await ada.account()
  await numberEvents(db)
  const [all, ofOrganization, ofAda] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)]
  const types = ['account.*']
  const { id } = await hook(all, { types, allUsers: true }, reader)
  await hook(ofOrganization, { types, organizationId }, reader)
  await hook(ofAda, { types })
  const ids = {
    ada: await emit(2, { accountIds: [own] }),
    bob: await emit(1, { userId: bob.id, accountIds: [shared] }),
    both: await emit(1, { userId: bob.id, accountIds: [shared, own] }),
  }
  dispatch(t)
  await untilReceived(all, 4)
  await untilReceived(ofOrganization, 1)
  await untilReceived(ofAda, 2)
  t.same(new Set(all.ids()), new Set(Object.values(ids).flat()))
  t.strictSame(ofOrganization.ids(), ids.bob)
  t.same(new Set(ofAda.ids()), new Set(ids.ada))
  t.equal(all.forged.length + ofOrganization.forged.length, 0)
  for (const { body } of all.received) {
    t.strictSame(body, (await call(app, reader.key, 'GET', `/events/${body.id}?allUsers=true`)).body)
    t.equal(body.userId, ids.ada.includes(body.id) ? ada.id : bob.id)
  }
  for (const { body } of ofAda.received) t.notOk('userId' in body, 'a webhook of one user does not repeat it')
  t.hasStrict((await reader.call('GET', `/webhooks/${id}`)).body, { allUsers: true, organizationId: null })
})

t.test('events are sent again to a webhook of all users, by their ids or from a time', async (t) => {
  const { bob, emit, hook, reader, dispatch } = await createScene(t)
  const receiver = await startReceiver(t)
  const { id } = await hook(receiver, { types: ['account.*'], allUsers: true }, reader)
  const ids = [...(await emit()), ...(await emit(1, { userId: bob.id }))]
  dispatch(t)
  await untilReceived(receiver, 2)
  const redeliver = (body: object) => reader.call('POST', `/webhooks/${id}/redeliver`, body)
  t.strictSame((await redeliver({ eventIds: ids })).body, { queued: 2, nextCursor: null })
  await untilReceived(receiver, 4)
  const { body } = await redeliver({ from: new Date(Date.now() - 60_000).toISOString(), onlyFailed: false })
  t.equal(body.nextCursor, null)
  t.ok(body.queued >= 2)
  await until('both arrive again', () => ids.every((each) => receiver.ids().filter((id) => id === each).length === 3))
})

t.test('a redelivery that queues nothing names what keeps the events from the webhook', async (t) => {
  const { ada, emit, hook, organization, program, reader } = await createScene(t)
  const organizationId = await organization(ada)
  const operator = await program(['webhooks:manage'])
  await emit(1, { userId: operator.id })
  for (const [key, body, names] of [
    [reader, { types: ['account.*'], organizationId }, 'its types and its organizationId'],
    [reader, { organizationId }, 'its organizationId and the scopes of its key'],
    [operator, {}, 'the scopes of its key'],
  ] as const) {
    const { id } = await hook(await startReceiver(t), body, key)
    const { body: answer } = await key.call('POST', `/webhooks/${id}/redeliver`, { from: '2026-01-01T00:00:00Z' })
    t.equal(answer.queued, 0)
    t.match(answer.reason, new RegExp(`events that were looked at: see ${names}$`))
  }
})

t.test('only keys with the scope admin create webhooks of all users, and change them', async (t) => {
  const { hook, program, reader, ada } = await createScene(t)
  const receiver = await startReceiver(t)
  const url = receiver.url
  const limited = await program(SCOPES.filter((scope) => scope !== 'admin'))
  for (const body of [
    { url, allUsers: true },
    { url, organizationId: UNKNOWN_ID },
  ]) {
    for (const person of [limited, ada]) {
      const { status, headers } = await person.call('POST', '/webhooks', body)
      t.strictSame([status, headers['x-error-code']], [403, 'insufficient_scope'])
    }
  }
  const unknown = await reader.call('POST', '/webhooks', { url, organizationId: UNKNOWN_ID })
  t.strictSame([unknown.status, unknown.headers['x-error-code']], [404, 'organization_not_found'])
  const account = await ada.account()
  const both = await reader.call('POST', '/webhooks', { url, allUsers: true, accountIds: [account] })
  t.strictSame([both.status, both.body.details[0].path], [400, ['accountIds']])
  const { id } = await hook(receiver, { allUsers: true }, reader)
  for (const [person, body, status] of [
    [limited, { url: `${url}/mine` }, 403],
    [reader, { accountIds: [account] }, 400],
    [reader, { url: `${url}/other` }, 200],
  ] as const) {
    t.equal((await person.call('PATCH', `/webhooks/${id}`, body)).status, status)
  }
  t.equal((await limited.call('POST', `/webhooks/${id}/rotate-secret`, {})).status, 403)
})
