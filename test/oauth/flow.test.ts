import t from 'tap'
import { call } from '../helpers/app.ts'
import { readAllEvents } from '../helpers/events.ts'
import { createScene } from './scene.ts'

t.test('an app gets a key of its own, with drafts only, which the user sees and ends', async (t) => {
  const { app, db, user, connect, steps, post } = await createScene(t)
  const ada = await user()
  const account = await ada.account('sandbox')
  const { clientId, tokens } = await connect(ada.key)
  const draft = { accountIds: [account], caption: 'a draft' }
  const asApp = (method: 'GET' | 'POST', path: string, body?: object) =>
    call(app, tokens.access_token, method, path, body)

  t.equal(tokens.scope, 'accounts:read posts:read posts:write media:read media:write')
  t.equal((await asApp('POST', '/posts', draft)).status, 201)
  const scheduled = await asApp('POST', '/posts', { ...draft, scheduledAt: '2099-01-01T00:00:00Z' })
  t.strictSame([scheduled.status, scheduled.headers['x-error-code']], [403, 'insufficient_scope'])

  const { data: keys } = (await ada.call('GET', '/keys')).body
  const key = keys.find(({ name }: { name: string }) => name === 'Test app')
  t.strictSame(key.scopes, tokens.scope.split(' '))
  const events = await readAllEvents(db, ada)
  t.ok(events.some(({ type, data }) => type === 'key.created' && data.keyId === key.id && data.actor !== undefined))

  t.strictSame(
    steps.map(({ step }) => step),
    ['registered', 'asked', 'signed in', 'approved', 'authorization_code'],
  )
  t.ok(steps.every(({ reqId }) => reqId !== undefined))

  await ada.call('DELETE', `/keys/${key.id}`)
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token }
  t.match(await post('/oauth/token', form), { status: 400, body: { error: 'invalid_grant' } })
})

t.test('a person grants publishing, or one account, by ticking it', async (t) => {
  const { app, user, connect } = await createScene(t)
  const ada = await user()
  const [one, other] = [await ada.account('sandbox'), await ada.account('bluesky')]
  const decision = { publish: 'yes', accounts: 'listed', account: one }
  const { tokens } = await connect(ada.key, { decision })
  const publish = (account: string) =>
    call(app, tokens.access_token, 'POST', '/posts', {
      accountIds: [account],
      caption: 'text',
      scheduledAt: '2099-01-01T00:00:00Z',
    })
  t.match(tokens.scope, /posts:publish/)
  t.equal((await publish(one)).status, 201)
  t.equal((await publish(other)).status, 403)
})

t.test('a person who denies sends the app away', async (t) => {
  const { user, register, begin, approve, origin } = await createScene(t)
  const { path } = begin({ client_id: await register() })
  const answer = await approve(path, (await user()).key, { decision: 'deny' })
  const parameters = { error: 'access_denied', state: 'the-state', iss: origin }
  t.strictSame(Object.fromEntries(answer.searchParams), parameters)
})

t.test('the 401 of /mcp leads to the documents that a client needs', async (t) => {
  const { app, origin } = await createScene(t)
  const read = async (path: string) => (await app.inject({ url: path })).json()
  const refused = await app.inject({ method: 'POST', url: '/mcp', payload: {} })
  const address = /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate']))![1]!
  const { pathname } = new URL(address)
  const resource = await read(pathname)
  t.equal(resource.resource, `${origin}/mcp`)
  t.strictSame(resource, await read('/.well-known/oauth-protected-resource'))
  const [issuer] = resource.authorization_servers
  const server = await read('/.well-known/oauth-authorization-server')
  t.equal(server.issuer, issuer)
  t.match(server, {
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  })
  const api = await read('/.well-known/oauth-protected-resource/api/v1')
  t.equal(api.resource, `${origin}/api/v1`)
})

t.test('pages of every origin can connect, also where only some may call the API', async (t) => {
  for (const corsOrigins of [[], ['https://console.example.com']]) {
    const { app, origin } = await createScene(t, { corsOrigins })
    const headers = { origin: 'https://app.example.com' }
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
    for (const url of ['/oauth/register', '/oauth/token', '/oauth/revoke', '/.well-known/oauth-authorization-server']) {
      const preflight = await app.inject({ method: 'OPTIONS', url, headers: { ...headers, ...asked } })
      const allowed = ['origin', 'methods', 'headers'].map((name) => preflight.headers[`access-control-allow-${name}`])
      t.match([preflight.statusCode, ...allowed], [204, '*', /POST/, /content-type/], `${url} ${corsOrigins}`)
    }
    const metadata = await app.inject({ method: 'GET', url: '/.well-known/oauth-protected-resource/mcp', headers })
    t.equal(metadata.headers['access-control-allow-origin'], '*', `metadata of ${origin}`)
  }
})
