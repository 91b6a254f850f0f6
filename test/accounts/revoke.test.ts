import t, { type Test } from 'tap'
import { upsertMembership } from '../../db/queries/people.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { createMastodonWorld } from '../connections/mastodon-world.ts'
import { createConnectionWorld } from '../connections/scene.ts'
import { call } from '../helpers/app.ts'
import { connectByOAuth, redirectBack } from '../helpers/connect-oauth.ts'
import { unreachable } from '../helpers/scripted-network.ts'
import { grantedAccount } from '../helpers/scripted-oauth.ts'
import { until } from '../helpers/until.ts'

const REVOKE = 'POST /oauth/revoke'

/** A network whose tokens can be revoked. */
async function createRevocableWorld(t: Test) {
  const world = await createConnectionWorld(t)
  const { oauth, ada, log, connect } = world
  const revoked: string[] = []
  const script = { beforeResponse: async () => {} }
  oauth.revoke = async ({ accessToken }, app) => {
    revoked.push(`${accessToken} by ${app.clientId}`)
    await script.beforeResponse()
  }
  return {
    ...world,
    revoked,
    script,
    connectOne: async () => (await connect()).accounts[0].id as string,
    disconnect: async (id: string) => (await ada.call('DELETE', `/accounts/${id}`)).status,
    logged: (message: string) => until(message, async () => log.some((line) => line.includes(message))),
  }
}

t.test('the tokens of an account that is disconnected are revoked with its app', async (t) => {
  const { connectOne, disconnect, revoked, logged } = await createRevocableWorld(t)
  t.equal(await disconnect(await connectOne()), 200)
  await logged('tokens revoked')
  t.strictSame(revoked, ['access-token-of-1 by client-of-x'])
})

t.test('a network that does not respond, or refuses, does not keep an account connected', async (t) => {
  const { connectOne, disconnect, revoked, script, logged, log, accounts } = await createRevocableWorld(t)
  const response = Promise.withResolvers<void>()
  script.beforeResponse = () => response.promise
  t.equal(await disconnect(await connectOne()), 200, 'it is not waited for')
  t.strictSame(await accounts(), [])
  await until('the network is called', async () => revoked.length > 0)
  response.reject(unreachable())
  await logged('tokens could not be revoked')
  t.equal(revoked.length, 1, 'and called once')
  t.notOk(log.some((line) => line.includes('access-token-of-1')))
})

t.test('deleting a user revokes the tokens of accounts that nobody keeps, and does not wait for it', async (t) => {
  const { app, db, oauth, connect, user, organization, script, revoked, logged } = await createRevocableWorld(t)
  const [ben, eve] = [await user('ben'), await user('eve')]
  const shared = await connect({ organizationId: await organization(ben, eve) }, redirectBack(), ben)
  oauth.accounts = [grantedAccount('2')]
  await connect({}, redirectBack(), ben)
  const { key } = await createKey(db, { userId: eve.id, name: null, expiresAt: null, scopes: ['admin'] })
  const send = (method: 'GET' | 'DELETE') => () => call(app, key, method, `/users/${ben.id}`)
  const response = Promise.withResolvers<void>()
  script.beforeResponse = () => response.promise
  await until('the deletion begins', send('DELETE'), { isMet: ({ status }) => status === 202 })
  await until('the user is gone', send('GET'), { isMet: ({ status }) => status === 404 })
  await until('the network is called', async () => revoked.length > 0)
  response.reject(unreachable())
  await logged('tokens could not be revoked')
  t.strictSame(revoked, ['access-token-of-2 by client-of-x'])
  t.hasStrict((await eve.call('GET', '/accounts')).body.data, [{ id: shared.accounts[0].id }])
})

t.test('an organisation is deleted after its accounts, whose tokens are revoked with its own app', async (t) => {
  const { app, db, ada, connect, organization, script, revoked, logged, accounts } = await createRevocableWorld(t)
  const organizationId = await organization(ada)
  await upsertMembership(db, { userId: ada.id, organizationId, role: 'admin' })
  const own = { clientId: 'client-of-organization', clientSecret: 'its-own-secret' }
  t.equal((await ada.call('PUT', '/apps/x', { ...own, organizationId })).status, 200)
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: ['admin'] })
  const remove = () =>
    until('the request is carried out', () => call(app, key, 'DELETE', `/organizations/${organizationId}`), {
      isMet: ({ status }) => status !== 503,
    })
  const account = (await connect({ organizationId })).accounts[0].id as string

  t.hasStrict(await remove(), { status: 409, headers: { 'x-error-code': 'organization_in_use' } })
  t.hasStrict(await accounts(), [{ id: account }])
  t.strictSame(revoked, [], 'the account still works')

  const response = Promise.withResolvers<void>()
  script.beforeResponse = () => response.promise
  t.equal((await ada.call('DELETE', `/accounts/${account}`)).status, 200)
  t.equal((await remove()).status, 200, 'it does not wait for the network')
  await until('the network is called', async () => revoked.length > 0)
  response.resolve()
  await logged('tokens revoked')
  t.strictSame(revoked, ['access-token-of-1 by client-of-organization'])
})

t.test('tokens that the user made, or whose app is unknown, are left alone', async (t) => {
  const { ada, connectOne, disconnect, revoked, oauthApps, logged } = await createRevocableWorld(t)
  const own = await ada.account('x', { credentials: { accessToken: 'of-the-user' } })
  t.equal(await disconnect(own), 200)
  const connected = await connectOne()
  const app = oauthApps.x!
  delete oauthApps.x
  t.equal(await disconnect(connected), 200)
  oauthApps.x = app
  t.equal(await disconnect(await connectOne()), 200)
  await logged('tokens revoked')
  t.equal(revoked.length, 1)
})

t.test('Mastodon gives all consents of a user one token, which is revoked with the last account', async (t) => {
  const { app, ada, user, mastodon, consent } = await createMastodonWorld(t)
  const bob = await user('bob')
  const connect = (person: typeof ada) =>
    connectByOAuth(app, person, { platform: 'mastodon', hint: 'mastodon.example' }, consent)
  const [first, second] = [await connect(ada), await connect(bob)]
  t.equal((await ada.call('DELETE', `/accounts/${first.accounts[0].id}`)).status, 200)
  t.equal((await bob.call('DELETE', `/accounts/${second.accounts[0].id}`)).status, 200)
  await until('the token is revoked', async () => mastodon.log.includes(REVOKE))
  t.equal(mastodon.log.filter((name) => name === REVOKE).length, 1)
})

t.test('another account that claims to be the same one does not keep tokens alive', async (t) => {
  const { user, connectOne, disconnect, revoked, logged, db } = await createRevocableWorld(t)
  const id = await connectOne()
  const { externalId } = await db
    .selectFrom('accounts')
    .select('externalId')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  // The account is connected by credentials, and by another app.
  for (const clientId of [null, 'another']) {
    const claim = await (await user(`mallory-${clientId}`)).account('x')
    await db.updateTable('accounts').set({ externalId, clientId }).where('id', '=', claim).execute()
  }
  t.equal(await disconnect(id), 200)
  await logged('tokens revoked')
  t.strictSame(revoked, ['access-token-of-1 by client-of-x'])
})
