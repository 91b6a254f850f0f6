import t from 'tap'
import { createBrowser, redirectBack } from '../helpers/connect-oauth.ts'
import { APP, createConnectionWorld } from './scene.ts'

t.test('a user who consents has a connected account', async (t) => {
  const { app, db, ada, oauth, create, read, credentials } = await createConnectionWorld(t)
  const created = await create({ externalReference: 'customer-1' })
  t.equal(created.status, 201)
  const { id, url } = created.body
  t.match(created.body, { platform: 'x', state: 'pending', accounts: [], externalReference: 'customer-1' })
  t.match(url, /^https:\/\/postroom\.example\/connect\/[\w-]{43}$/)
  const { url: _, ...shown } = created.body
  t.strictSame(await read(id), shown, 'the link is in the first response alone')
  const lifetime = Date.parse(created.body.expiresAt) - Date.parse(created.body.createdAt)
  t.equal(lifetime, 15 * 60_000)

  const browser = createBrowser(app)
  const opened = await browser.get(url)
  t.equal(opened.status, 303)
  t.match(opened.headers['set-cookie'], /^__Host-postroom-connect-.*; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/)
  t.equal((await read(id)).state, 'opened')
  const consent = new URL(opened.location!)
  t.equal(consent.origin, 'https://network.example')
  t.strictSame(oauth.begun[0]!.app, APP)
  t.equal(oauth.begun[0]!.redirectUri, 'https://postroom.example/connect/callback')

  const back = await browser.get(String(await redirectBack()(consent)))
  t.equal(back.status, 303)
  t.equal(back.location, `/connect/result/${id}`)
  t.strictSame(oauth.finished[0]!.kept, { verifier: 'the-verifier' })
  const { app: _app, redirectUri, callback } = oauth.finished[0]!
  t.strictSame([redirectUri, callback.get('code')], ['https://postroom.example/connect/callback', 'the-code'])

  const page = await browser.get(back.location!)
  t.equal(page.status, 200)
  t.match(page.body, 'User 1')

  const connection = await read(id)
  t.equal(connection.state, 'connected')
  t.strictSame(connection.accounts, [
    {
      id: connection.accounts[0].id,
      platform: 'x',
      username: 'user1',
      displayName: 'User 1',
      scopes: ['read', 'write'],
      credentialsExpireAt: '2100-01-01T00:00:00.000Z',
      externalReference: 'customer-1',
      ownerId: ada.id,
      isOwner: true,
      canDisconnect: true,
    },
  ])
  t.strictSame((await ada.call('GET', '/accounts')).body.data, connection.accounts)
  t.strictSame(await credentials(connection.accounts[0].id), oauth.accounts[0]!.tokens.credentials)

  const row = await db.selectFrom('accounts').selectAll().executeTakeFirstOrThrow()
  t.strictSame([row.clientId, row.appId, row.externalId], [APP.clientId, null, '1'], 'a refresh knows the app')
  const stored = await db.selectFrom('connections').selectAll().executeTakeFirstOrThrow()
  t.strictSame([stored.stateHash, stored.data, stored.dataKey], [null, null, null], 'the secrets of the flow are gone')
})
