import t from 'tap'
import { upsertMembership } from '../../db/queries/people.ts'
import type { Issue } from '../../schemas/error.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { rewrapCredentials } from '../../src/features/accounts/rewrap.ts'
import { recordSecrets } from '../helpers/log-record.ts'
import { oauthNetwork, scriptedOAuth } from '../helpers/scripted-oauth.ts'
import { sweepNow } from '../helpers/sweeps.ts'
import { APP, createConnectionWorld } from './scene.ts'

const OWN = { clientId: 'own-client', clientSecret: 'the-secret-of-my-own-app' }
recordSecrets('credentials', OWN.clientSecret)
const isX = ({ platform }: { platform: string }) => platform === 'x'

t.test('a connection uses the app of its organisation, or else of its user, or else of the deployment', async (t) => {
  const { db, ada, oauth, create, organization, user, open } = await createConnectionWorld(t)
  const clientOf = async (body: object = {}) => {
    await open(body)
    return oauth.begun.at(-1)!.app
  }
  t.strictSame(await clientOf(), APP)
  const put = await ada.call('PUT', '/apps/x', { ...OWN, scopes: ['write'] })
  const shown = {
    platform: 'x',
    source: 'user',
    clientId: 'own-client',
    scopes: ['write'],
    redirectUri: 'https://postroom.example/connect/callback',
  }
  t.strictSame([put.status, put.body], [200, shown])
  t.strictSame(await clientOf(), OWN)
  t.strictSame(oauth.begun.at(-1)!.scopes, ['write'])

  const organizationId = await organization(ada, await user())
  const shared = { ...OWN, clientId: 'shared-client', organizationId }
  t.equal((await ada.call('PUT', '/apps/x', shared)).headers['x-error-code'], 'not_organization_admin')
  await upsertMembership(db, { userId: ada.id, organizationId, role: 'admin' })
  t.equal((await ada.call('PUT', '/apps/x', shared)).body.source, 'organization')
  t.equal((await clientOf({ organizationId })).clientId, 'shared-client')
  t.equal((await clientOf()).clientId, 'own-client')

  const { body } = await ada.call('GET', '/apps')
  const deployment = { ...shown, source: 'deployment', clientId: APP.clientId, scopes: ['read', 'write'] }
  const ofOrganization = {
    ...shown,
    source: 'organization',
    organizationId,
    clientId: 'shared-client',
    scopes: ['read', 'write'],
  }
  t.strictSame(body.data.filter(isX), [shown, ofOrganization, deployment])
  t.notMatch(JSON.stringify(body), OWN.clientSecret)
  t.equal((await create()).status, 201)
})

t.test('another user neither sees nor uses an app', async (t) => {
  const { ada, user, open, oauth } = await createConnectionWorld(t)
  await (await user()).call('PUT', '/apps/x', OWN)
  t.strictSame(
    (await ada.call('GET', '/apps')).body.data.filter(isX).map(({ source }: { source: string }) => source),
    ['deployment'],
  )
  t.equal((await ada.call('DELETE', '/apps/x')).status, 404)
  await open()
  t.strictSame(oauth.begun[0]!.app, APP)
})

t.test('a connection whose app changes meanwhile fails, and one whose secret is renewed does not', async (t) => {
  const { ada, open, read, oauth, accounts } = await createConnectionWorld(t)
  await ada.call('PUT', '/apps/x', OWN)
  const [renewed, replaced, deleted] = [await open(), await open(), await open()]
  const { clientSecret } = { clientSecret: 'a-newer-secret-of-the-app' }
  await ada.call('PUT', '/apps/x', { ...OWN, clientSecret })
  await renewed.browser.get(renewed.callback)
  t.equal((await read(renewed.id)).state, 'connected')
  t.strictSame(oauth.finished[0]!.app, { ...OWN, clientSecret })

  await ada.call('PUT', '/apps/x', { ...OWN, clientId: 'other-client' })
  await replaced.browser.get(replaced.callback)
  t.equal((await read(replaced.id)).error.code, 'app_changed')
  await ada.call('DELETE', '/apps/x')
  await deleted.browser.get(deleted.callback)
  t.equal((await read(deleted.id)).error.code, 'app_changed')
  t.equal((await accounts()).length, 1)
})

t.test('an account keeps its app, which cannot be deleted while the account needs it', async (t) => {
  const world = await createConnectionWorld(t)
  const { db, ada, connect, keyring } = world
  await ada.call('PUT', '/apps/x', OWN)
  const [{ id }] = (await connect()).accounts
  t.hasStrict(await ada.call('DELETE', '/apps/x'), { status: 409, headers: { 'x-error-code': 'app_in_use' } })
  await ada.call('PUT', '/apps/x', { ...OWN, clientId: 'other-client' })
  const account = await db.selectFrom('accounts').select(['appId', 'clientId']).executeTakeFirstOrThrow()
  t.equal(account.clientId, 'own-client')
  const findOwn = () => db.selectFrom('oauthApps').selectAll().where('id', '=', account.appId!).executeTakeFirst()
  t.strictSame(keyring.open(account.appId!, (await findOwn())!), { clientSecret: OWN.clientSecret })
  t.equal((await ada.call('DELETE', '/apps/x')).status, 200, 'no account needs the other app')
  await sweepNow(world)
  t.ok(await findOwn(), 'a sweep leaves an app that is needed')
  await ada.call('DELETE', `/accounts/${id}`)
  await sweepNow(world)
  t.notOk(await findOwn())
})

t.test('the id of an app is checked where its network documents the form', async (t) => {
  const network = oauthNetwork(scriptedOAuth())
  const { ada } = await createConnectionWorld(t, { networks: { facebook: network, youtube: network, x: network } })
  const put = async (platform: string, clientId: string) => {
    const { status, body } = await ada.call('PUT', `/apps/${platform}`, { ...OWN, clientId })
    return status === 200 ? status : body.details.map(({ path, message }: Issue) => `${path}: ${message}`)
  }
  const google = '123-abc.apps.googleusercontent.com'
  t.match(await put('facebook', google), [/^clientId: A client id of Facebook is digits only: copy the app id from/])
  t.match(await put('youtube', '998877665544'), [/^clientId: A client id of YouTube is a text that ends with \.apps\./])
  t.equal(await put('facebook', '998877665544'), 200)
  t.equal(await put('youtube', google), 200)
  t.equal(await put('x', 'any-form'), 200)
})

t.test('the secret of an app is encrypted, and account rewrap covers it', async (t) => {
  const { randomBytes } = await import('node:crypto')
  const [old, next] = [randomBytes(32), randomBytes(32)]
  const { db, ada } = await createConnectionWorld(t, { keyring: createKeyring([old]) })
  await ada.call('PUT', '/apps/x', OWN)
  const row = await db.selectFrom('oauthApps').selectAll().executeTakeFirstOrThrow()
  t.notOk(JSON.stringify(row).includes(OWN.clientSecret))
  t.strictSame(await rewrapCredentials(db, createKeyring([next, old])), { rewrapped: 1, failures: [] })
  const after = await db.selectFrom('oauthApps').selectAll().executeTakeFirstOrThrow()
  t.strictSame(createKeyring([next]).open(row.id, after), { clientSecret: OWN.clientSecret })
})

t.test('an app whose key is missing leaves the connection open until the key is back', async (t) => {
  const { app, db, ada, open, read } = await createConnectionWorld(t)
  await ada.call('PUT', '/apps/x', OWN)
  const { id, page, browser, callback } = await open()
  const [cookie] = String(page.headers['set-cookie']).split(';')
  const { pathname, search } = new URL(callback)
  const { keyId } = await db.selectFrom('oauthApps').select('keyId').executeTakeFirstOrThrow()
  await db.updateTable('oauthApps').set({ keyId: '00000000' }).execute()
  const reply = await app.inject({ url: `${pathname}${search}`, headers: { cookie } })
  t.equal(reply.statusCode, 503)
  t.match(reply.body, 'encrypted with a key that this service does not have')
  t.equal((await read(id)).state, 'opened')
  await db.updateTable('oauthApps').set({ keyId }).execute()
  t.equal((await browser.get(callback)).status, 303)
  t.equal((await read(id)).state, 'connected')
})
