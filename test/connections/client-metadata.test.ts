import { randomBytes } from 'node:crypto'
import t from 'tap'
import { SCOPES } from '../../src/platforms/bluesky/client.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { recordSecrets } from '../helpers/log-record.ts'
import { until } from '../helpers/until.ts'

const PATH = '/oauth/client-metadata.json'
const clientId = `https://postroom.example${PATH}`

// On a busy machine, a request may exceed its time limit. Clients repeat it.
const call = (person: Person, ...request: Parameters<Person['call']>) =>
  until('a response within the time limit', () => person.call(...request), { isMet: ({ status }) => status !== 503 })

t.test('servers of Bluesky can read the metadata of the client', async (t) => {
  const { app } = await createWorld(t, { oauthApps: { bluesky: { clientId, clientSecret: null } } })
  const reply = await app.inject(PATH)
  t.equal(reply.statusCode, 200)
  t.match(reply.headers['content-type'], /^application\/json/)
  t.strictSame(reply.json(), {
    client_id: clientId,
    client_name: 'Postroom',
    client_uri: 'https://postroom.example',
    application_type: 'web',
    redirect_uris: ['https://postroom.example/connect/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: SCOPES.join(' '),
    dpop_bound_access_tokens: true,
    token_endpoint_auth_method: 'none',
  })
})

t.test('with keys, the metadata has their public halves', async (t) => {
  const keys = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64'))
  recordSecrets('key', ...keys)
  const { app } = await createWorld(t, { oauthApps: { bluesky: { clientId, clientSecret: keys.join(',') } } })
  const { jwks, ...metadata } = (await app.inject(PATH)).json()
  t.hasStrict(metadata, { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: 'ES256' })
  t.equal(jwks.keys.length, 2)
  for (const key of jwks.keys) t.same(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  t.not(jwks.keys[0].kid, jwks.keys[1].kid)
})

t.test('a client without a public address has no metadata', async (t) => {
  for (const oauthApps of [{}, { bluesky: { clientId: 'http://localhost', clientSecret: null } }]) {
    const { app } = await createWorld(t, { oauthApps })
    t.equal((await app.inject(PATH)).statusCode, 404)
  }
})

t.test('on the machine of its user, the link has the host that Bluesky leads back to', async (t) => {
  const { user } = await createWorld(t, {
    publicUrl: () => 'http://localhost:3000',
    oauthApps: { bluesky: { clientId: 'http://localhost', clientSecret: null } },
  })
  const ada = await user()
  const { body } = await call(ada, 'POST', '/connections', { platform: 'bluesky' })
  t.match(body.url, /^http:\/\/127\.0\.0\.1:3000\/connect\//)
  const { data } = (await call(ada, 'GET', '/apps')).body
  const bluesky = data.find(({ platform }: { platform: string }) => platform === 'bluesky')
  t.equal(bluesky.redirectUri, 'http://127.0.0.1:3000/connect/callback')
})

t.test('without an address that Bluesky accepts, the error names PUBLIC_URL', async (t) => {
  const { user } = await createWorld(t)
  const { status, body } = await call(await user(), 'POST', '/connections', { platform: 'bluesky' })
  t.equal(status, 400)
  t.match(body.error, /PUBLIC_URL/)
})

t.test('a hint that names no account and no server of Bluesky is a 400', async (t) => {
  const { user } = await createWorld(t, { oauthApps: { bluesky: { clientId, clientSecret: null } } })
  const ada = await user()
  const begin = (hint: string) => call(ada, 'POST', '/connections', { platform: 'bluesky', hint })
  for (const hint of ['', 'not a handle', 'ada', 'http://pds.example', 'did:web', 'ada@example.com']) {
    const { status, body } = await begin(hint)
    t.equal(status, 400, hint)
    t.match(body.details, [{ code: 'custom', path: ['hint'], message: /^Must be a handle/ }], hint)
  }
  for (const hint of ['@Ada.example.com', 'did:plc:ewvi7nxzyoun6zhxrhs64oiz', 'https://pds.example/']) {
    t.equal((await begin(hint)).status, 201, hint)
  }
})

t.test('a flow for a connected account begins at the server of its DID', async (t) => {
  const { db, user } = await createWorld(t, { oauthApps: { bluesky: { clientId, clientSecret: null } } })
  const ada = await user()
  const accountId = await ada.account('bluesky')
  const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
  await db.updateTable('accounts').set({ externalId: did }).where('id', '=', accountId).execute()
  const { status, body } = await call(ada, 'POST', '/connections', { platform: 'bluesky', accountId })
  t.strictSame([status, body.hint], [201, did])
})
