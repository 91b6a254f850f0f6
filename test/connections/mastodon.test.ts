import t from 'tap'
import { deleteUnneededApps } from '../../db/queries/oauth-apps.ts'
import { connectInTerminal } from '../../src/cli/actions/connect.ts'
import { findCredentials } from '../helpers/app.ts'
import { createMastodonWorld, HOST } from './mastodon-world.ts'

const SCOPES = ['read:accounts', 'read:statuses', 'write:media', 'write:statuses']
const REGISTER = 'POST /api/v1/apps'

t.test('a person names an instance, consents there, and posts are published with the token', async (t) => {
  const { db, keyring, mastodon, connect, apps, post, work, readDelivery } = await createMastodonWorld(t)
  const connection = await connect({ hint: `@alice@${HOST}` })
  t.equal(connection.state, 'connected')
  const [account] = connection.accounts
  t.strictSame(account, {
    id: account.id,
    platform: 'mastodon',
    username: `alice@${HOST}`,
    displayName: 'Alice A.',
    textLengthMax: mastodon.maxCharacters,
    scopes: SCOPES,
    ownerId: account.ownerId,
    isOwner: true,
    canDisconnect: true,
  })
  const [registered] = mastodon.login.apps
  t.strictSame(registered!.redirectUris, ['https://postroom.example/connect/callback'])
  const [stored] = await apps()
  t.hasStrict(stored, { clientId: registered!.clientId, server: `https://${HOST}`, userId: null, organizationId: null })
  t.notOk(stored!.data.includes(registered!.clientSecret), 'the secret is encrypted')
  t.strictSame(keyring.open(stored!.id, stored!), { clientSecret: registered!.clientSecret })

  const { instance, ...others } = keyring.open(account.id, (await findCredentials(db, account.id))!)
  t.equal(instance, `https://${HOST}`)
  t.strictSame(Object.keys(others), ['accessToken'])
  const id = await post({ accountIds: [account.id], caption: 'Thar she blows' })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'published', externalId: mastodon.statuses[0]!.id })
})

t.test('an app is registered once for an instance, whoever connects', async (t) => {
  const { mastodon, begin, connect, apps, user } = await createMastodonWorld(t)
  const hints = [HOST, 'HTTPS://Mastodon.Example/@alice', `alice@${HOST}`, ` ${HOST}:443 `]
  for (const hint of hints) t.equal((await begin({ hint })).status, 201, hint)
  t.equal((await connect()).state, 'connected')
  const bob = await user('bob')
  t.equal((await begin({ hint: HOST }, bob)).status, 201)
  t.equal(mastodon.log.filter((name) => name === REGISTER).length, 1)
  t.equal((await apps()).length, 1)
})

t.test('of requests that register an app at the same time, one app is used', async (t) => {
  const { begin, apps } = await createMastodonWorld(t)
  const replies = await Promise.all(Array.from({ length: 4 }, () => begin({ hint: HOST })))
  t.ok(replies.every(({ status }) => status === 201))
  t.equal((await apps()).length, 1)
})

t.test('an account that was connected with credentials or by OAuth before keeps its id', async (t) => {
  const { ada, mastodon, connect, accounts } = await createMastodonWorld(t)
  const request = { platform: 'mastodon', credentials: mastodon.credentials }
  const { body } = await ada.call('POST', '/accounts', request)
  const [account] = (await connect()).accounts
  t.equal(account.id, body.id)
  const again = await connect({ accountId: account.id })
  t.hasStrict(again, { state: 'connected', hint: `alice@${HOST}` }, 'the account names the instance')
  t.equal(again.accounts[0].id, body.id)
  t.equal((await accounts()).length, 1)
})

t.test('software without fine scopes is asked for whole ones', async (t) => {
  const { db, keyring, mastodon, begin, connect, post, work, readDelivery } = await createMastodonWorld(t)
  mastodon.login.isCoarse = true
  const { body } = await begin({ hint: HOST, manual: true })
  t.equal(new URL(body.url).searchParams.get('scope'), 'read write')
  const { state, accounts } = await connect()
  t.equal(state, 'connected')
  t.strictSame(accounts[0].scopes, ['read', 'write'])
  const { scopes } = keyring.open(accounts[0].id, (await findCredentials(db, accounts[0].id))!)
  t.equal(scopes, 'read write')
  const id = await post({ accountIds: [accounts[0].id], caption: 'Thar she blows' })
  await work()
  t.equal((await readDelivery(id)).state, 'published')
})

t.test('PKCE is used where the instance offers it', async (t) => {
  const { mastodon, connect, consent, begin } = await createMastodonWorld(t)
  await connect()
  t.match(mastodon.calls.findLast(({ path }) => path === '/oauth/token')!.body, { code_verifier: /^[\w-]{43}$/ })
  const { body } = await begin({ hint: HOST, manual: true })
  const page = new URL(body.url)
  t.equal(page.searchParams.get('code_challenge_method'), 'S256')
  t.equal(page.searchParams.get('scope'), SCOPES.join(' '))
  consent(page)

  mastodon.login.isBefore43 = true
  t.equal((await connect()).state, 'connected')
  t.notOk('code_verifier' in (mastodon.calls.findLast(({ path }) => path === '/oauth/token')!.body as object))
})

t.test('an instance before 4.3 keeps the app, and an instance that has forgotten it gets another one', async (t) => {
  const { mastodon, begin, connect, apps, accounts } = await createMastodonWorld(t)
  mastodon.login.isBefore43 = true
  await begin({ hint: HOST })
  mastodon.login.deleteUnusedApps()
  t.equal((await connect()).state, 'connected')
  t.equal(mastodon.log.filter((name) => name === REGISTER).length, 1)

  mastodon.login.forgetApps()
  t.equal((await connect()).state, 'connected')
  t.equal((await accounts()).length, 1)
  const [first, second] = await apps()
  t.ok(first!.replacedAt)
  t.hasStrict(second, { replacedAt: null, clientId: mastodon.login.apps[0]!.clientId })
})

t.test('an app that no account needs is deleted a day later', async (t) => {
  const { db, ada, begin, connect, apps } = await createMastodonWorld(t)
  const age = () =>
    db
      .updateTable('oauthApps')
      .set({ createdAt: new Date(Date.now() - 86_400_001) })
      .execute()
  await begin({ hint: HOST })
  t.equal(await deleteUnneededApps(db, 10), 0, 'it is new')
  await begin({ hint: HOST, manual: true })
  await age()
  t.equal(await deleteUnneededApps(db, 10), 0, 'a person is at the instance')
  const [{ id }] = (await connect()).accounts
  await db.deleteFrom('connections').execute()
  t.equal(await deleteUnneededApps(db, 10), 0, 'an account was connected with it')
  await ada.call('DELETE', `/accounts/${id}`)
  t.equal(await deleteUnneededApps(db, 10), 1)
  t.strictSame(await apps(), [])
})

t.test('account connect takes the instance as its hint', async (t) => {
  const world = await createMastodonWorld(t)
  const said: string[] = []
  const terminal = {
    say: (text: string) => void said.push(text),
    ask: async () => String(world.consent(new URL(said.join('\n').match(/https:\S+/)![0]))),
  }
  const context = { ...world, fetch: world.mastodon.fetch, oauthApps: {}, returnUrls: [] }
  const connect = (body: object) =>
    connectInTerminal(
      { ...context, publicUrl: () => 'http://localhost:3000' },
      world.ada.id,
      { platform: 'mastodon', ...body },
      terminal,
    )
  t.match(await connect({ hint: HOST }), [{ username: `alice@${HOST}` }])
  t.strictSame(world.mastodon.login.apps[0]!.redirectUris, ['http://localhost:3000/connect/callback'])
  await t.rejects(connect({}), { message: /^hint: Must name the server of the account/ })
})

t.test('no app of Mastodon is listed, and none can be stored', async (t) => {
  const { ada, begin } = await createMastodonWorld(t)
  await begin({ hint: HOST })
  const { body } = await ada.call('GET', '/apps')
  t.notOk(body.data.some(({ platform }: { platform: string }) => platform === 'mastodon'))
  const put = () => ada.call('PUT', '/apps/mastodon', { clientId: 'a', clientSecret: 'b' })
  t.hasStrict(await put(), {
    status: 400,
    body: { error: 'mastodon needs no app: Postroom registers one with each server' },
  })
  t.equal((await ada.call('DELETE', '/apps/mastodon')).status, 404)
})
