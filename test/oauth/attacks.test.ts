import { createHash } from 'node:crypto'
import t from 'tap'
import { call } from '../helpers/app.ts'
import { APP_REDIRECT, createScene } from './scene.ts'

/*
 * The attacks of https://www.rfc-editor.org/rfc/rfc9700#section-4 that concern a server without secrets of clients and
 * without sessions of browsers.
 */

const scene = await createScene(t)
const { app, db, user, register, begin, open, approve, connect, post, origin } = scene
const ada = await user()
const clientId = await register()

t.test('a request that could lead a person or a code elsewhere is shown, and redirects nobody', async (t) => {
  const native = await register({
    client_name: 'Native',
    redirect_uris: ['http://127.0.0.1/cb', 'http://localhost/cb', 'com.example.app:/cb', 'cursor://mcp/cb?x=1'],
  })
  const refused: [name: string, parameters: Record<string, string | undefined>][] = [
    ['no client', { client_id: undefined }],
    ['an unknown client', { client_id: '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893' }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['another host', { redirect_uri: 'https://evil.example/callback' }],
    ['a host that begins alike', { redirect_uri: 'https://app.example.evil.example/callback' }],
    ['a user name before the host', { redirect_uri: 'https://app.example@evil.example/callback' }],
    ['a path below', { redirect_uri: `${APP_REDIRECT}/../evil` }],
    ['a query', { redirect_uri: `${APP_REDIRECT}?next=https://evil.example` }],
    ['a fragment', { redirect_uri: `${APP_REDIRECT}#x` }],
    ['capitals', { redirect_uri: APP_REDIRECT.toUpperCase() }],
    ['http', { redirect_uri: APP_REDIRECT.replace('https', 'http') }],
    ['a port', { redirect_uri: 'https://app.example:8443/callback' }],
    ['another loopback path', { client_id: native, redirect_uri: 'http://127.0.0.1:5000/evil' }],
    [
      'a host that begins like a loopback',
      { client_id: native, redirect_uri: 'http://127.0.0.1:5000@evil.example/cb' },
    ],
    ['another loopback name', { client_id: native, redirect_uri: 'http://[::1]:5000/cb' }],
    ['another custom scheme', { client_id: native, redirect_uri: 'com.example.evil:/cb' }],
  ]
  for (const [name, parameters] of refused) {
    const page = await open(begin({ client_id: clientId, ...parameters }).path)
    t.strictSame([page.status, page.location], [400, undefined], name)
    t.notMatch(page.text, /href=/, `${name}: no way on`)
  }
  const accepted = [
    'http://127.0.0.1:5000/cb',
    'http://localhost:61234/cb',
    'com.example.app:/cb',
    'cursor://mcp/cb?x=1',
  ]
  for (const redirectUri of accepted) {
    const answer = await approve(begin({ client_id: native, redirect_uri: redirectUri }).path, ada.key)
    t.ok(answer.href.startsWith(redirectUri), redirectUri)
    t.ok(answer.searchParams.get('code'), redirectUri)
  }
})

t.test('a weaker request is refused, with a link back instead of a redirect', async (t) => {
  const plain = { code_challenge_method: 'plain' }
  const weaker: [code: string, parameters: Record<string, string | undefined>][] = [
    ['invalid_request', { code_challenge: undefined, code_challenge_method: undefined }],
    ['invalid_request', { code_challenge: undefined }],
    ['invalid_request', { code_challenge_method: undefined }],
    ['invalid_request', { ...plain, code_challenge: 'a'.repeat(43) }],
    ['invalid_request', { code_challenge: 'short' }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { response_mode: 'fragment' }],
    ['invalid_target', { resource: 'https://other.example/mcp' }],
    ['invalid_target', { resource: `${origin}/files` }],
    ['invalid_scope', { scope: 'admin' }],
    ['invalid_scope', { scope: 'keys:manage everything' }],
    ['interaction_required', { prompt: 'none' }],
    ['request_not_supported', { request: 'e30.e30.' }],
    ['request_uri_not_supported', { request_uri: 'https://evil.example/request' }],
  ]
  for (const [code, parameters] of weaker) {
    const page = await open(begin({ client_id: clientId, ...parameters }).path)
    t.strictSame([page.status, page.location], [400, undefined], JSON.stringify(parameters))
    t.match(page.text, `href="${APP_REDIRECT}?error=${code}&amp;`, JSON.stringify(parameters))
  }
  const repeated = await open(`${begin({ client_id: clientId }).path}&redirect_uri=https://evil.example/`)
  t.strictSame([repeated.status, repeated.location], [400, undefined], 'a repeated parameter')
})

t.test('a code is of use to the client that began, once, with its verifier', async (t) => {
  const { path, verifier } = begin({ client_id: clientId })
  const code = (await approve(path, ada.key)).searchParams.get('code')!
  const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
  const other = await register()
  const stolen: [name: string, changed: Record<string, string | undefined>, error: string][] = [
    ['without a verifier', { code_verifier: undefined }, 'invalid_request'],
    ['with the challenge as verifier', { code_verifier: hash(verifier) }, 'invalid_grant'],
    ['with another verifier', { code_verifier: 'v'.repeat(43) }, 'invalid_grant'],
    ['by another client', { client_id: other }, 'invalid_grant'],
    ['by an unknown client', { client_id: 'https://evil.example/' }, 'invalid_client'],
    ['for another redirect URI', { redirect_uri: 'https://evil.example/' }, 'invalid_grant'],
    ['for another resource', { resource: `${origin}/mcp` }, 'invalid_target'],
    ['as a refresh token', { grant_type: 'refresh_token', refresh_token: code }, 'invalid_grant'],
    ['with a grant type of objects', { grant_type: 'constructor' }, 'unsupported_grant_type'],
  ]
  for (const [name, changed, error] of stolen) {
    t.match(await post('/oauth/token', { ...form, ...changed }), { body: { error } }, name)
  }
  const { status, body } = await post('/oauth/token', { ...form, redirect_uri: APP_REDIRECT })
  t.equal(status, 200, 'none of these has spent it')
  t.equal((await call(app, body.access_token, 'GET', '/key')).status, 200)

  t.match(await post('/oauth/token', form), { status: 400, body: { error: 'invalid_grant' } }, 'a second use')
  const refreshed = { grant_type: 'refresh_token', client_id: clientId, refresh_token: body.refresh_token }
  t.match(await post('/oauth/token', refreshed), { body: { error: 'invalid_grant' } }, 'ends the grant')
})

t.test('of several uses of one code at the same time, one gets tokens', async (t) => {
  const { path, verifier } = begin({ client_id: clientId })
  const code = (await approve(path, ada.key)).searchParams.get('code')!
  const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
  const replies = await Promise.all(Array.from({ length: 4 }, () => post('/oauth/token', form)))
  t.equal(replies.filter(({ status }) => status === 200).length, 1)
})

t.test('a code that waits for too long is void', async (t) => {
  const { path, verifier } = begin({ client_id: clientId })
  const code = (await approve(path, ada.key)).searchParams.get('code')!
  // Valid for a minute, and kept for a day.
  await db
    .updateTable('oauthCodes')
    .set({ expiresAt: new Date(Date.now() + 86_000_000) })
    .execute()
  const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
  t.match(await post('/oauth/token', form), { body: { error: 'invalid_grant' } })
})

t.test('a refresh token that comes again ends the grant, but for the minute after its use', async (t) => {
  const { clientId, tokens } = await connect(ada.key)
  const refresh = (token: string) =>
    post('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token })
  const [first, repeated] = [await refresh(tokens.refresh_token), await refresh(tokens.refresh_token)]
  t.strictSame([first.status, repeated.status], [200, 200], 'the response may have been lost')
  const next = await refresh(first.body.refresh_token)
  t.equal(next.status, 200)
  await db
    .updateTable('oauthTokens')
    .set({ supersededAt: new Date(Date.now() - 61_000) })
    .where('supersededAt', 'is not', null)
    .execute()
  t.match(await refresh(repeated.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
  t.match(await refresh(next.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } }, 'the thief too')
  t.ok(scene.steps.some(({ step }) => step === 'grant ended'))
})

t.test('the page of one request approves no other one', async (t) => {
  const other = await register({ client_name: 'Other app', redirect_uris: [APP_REDIRECT] })
  const redirects = [APP_REDIRECT, 'https://app.example/other']
  const own = await register({ client_name: 'Test app', redirect_uris: redirects })
  const asked = { client_id: own, code_challenge: hash('v'.repeat(43)), scope: 'posts:read' }
  const { path } = begin(asked)
  const { text } = await scene.submit(path, { key: ada.key })
  const form = { proof: /name="proof" value="(\w+)"/.exec(text)![1]!, decision: 'allow' }
  const changes = [
    { client_id: other },
    { redirect_uri: redirects[1] },
    { code_challenge: hash('w'.repeat(43)) },
    { scope: 'posts:read posts:write' },
    { resource: `${origin}/mcp` },
    { state: 'another' },
  ]
  const problems: string[] = []
  for (const change of changes) {
    const { status, location, text } = await scene.submit(begin({ ...asked, ...change }).path, form)
    if (status !== 400 || location || !text.includes('belongs to another request')) {
      problems.push(`${JSON.stringify(change)}: ${status} ${location}`)
    }
  }
  t.strictSame(problems, [])
  t.match((await scene.submit(path, form)).location, /code=/, 'its own request is approved')
})

t.test('a token opens the address that it was issued for, and an API key every one', async (t) => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } }
  const use = async (token: string) => {
    const atMcp = await call(app, token, 'POST', '/mcp', message)
    const atApi = await call(app, token, 'GET', '/accounts')
    return { mcp: atMcp.status, api: atApi.status, atMcp, atApi }
  }
  const tokenFor = async (resource: string | undefined) => (await connect(ada.key, { resource })).tokens.access_token
  const agent = await use(await tokenFor(`${origin}/mcp`))
  t.match(agent, { mcp: 200, api: 401, atMcp: { body: { result: { isError: undefined, structuredContent: {} } } } })
  t.strictSame(agent.atApi.headers['x-error-code'], 'invalid_api_key')
  t.match(agent.atApi.body.error, `${origin}/mcp`)
  const program = await use(await tokenFor(`${origin}/api/v1`))
  t.match(program, { mcp: 401, api: 200 })
  t.match(program.atMcp.headers['www-authenticate'], /resource_metadata="[^"]+\/mcp"/, 'a client asks for another one')
  t.match(await use(await tokenFor(undefined)), { mcp: 200, api: 401 }, 'without a resource, it is for agents')
  t.match(await use(ada.key), { mcp: 200, api: 200 })
})

t.test('a refresh with fewer scopes gets an access token with these alone', async (t) => {
  const { clientId, tokens } = await connect(ada.key, { scope: 'posts:read media:read' })
  const refresh = (token: string, scope?: string) =>
    post('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, scope })
  const { body: narrow } = await refresh(tokens.refresh_token, 'posts:read openid')
  t.equal(narrow.scope, 'posts:read')
  t.strictSame((await call(app, narrow.access_token, 'GET', '/key')).body.scopes, ['posts:read'])
  t.equal((await call(app, narrow.access_token, 'GET', '/posts')).status, 200)
  t.equal((await call(app, narrow.access_token, 'GET', '/media')).status, 403)
  t.match(await refresh(narrow.refresh_token, 'posts:read posts:write'), { body: { error: 'invalid_scope' } })
  const { body: whole } = await refresh(narrow.refresh_token)
  t.equal((await call(app, whole.access_token, 'GET', '/media')).status, 200, 'the grant keeps its scopes')
})

t.test('scopes of other services are ignored', async (t) => {
  const scopes = []
  for (const scope of ['openid profile email offline_access', 'profile', 'email', 'posts:read profile']) {
    scopes.push((await connect(ada.key, { scope })).tokens.scope)
  }
  const drafts = 'accounts:read posts:read posts:write media:read media:write'
  t.strictSame(scopes, [drafts, drafts, drafts, 'posts:read'])
})

t.test('a token is of no use elsewhere', async (t) => {
  const { clientId, tokens } = await connect(ada.key)
  const { status } = await call(app, tokens.refresh_token, 'GET', '/key')
  t.equal(status, 401, 'a refresh token is no access token')
  const other = await register()
  const foreign = { client_id: other, refresh_token: tokens.refresh_token }
  t.match(await post('/oauth/token', { grant_type: 'refresh_token', ...foreign }), { body: { error: 'invalid_grant' } })
  t.match(await post('/oauth/revoke', { client_id: other, token: tokens.refresh_token }), { status: 400 })
  t.match(
    await post('/oauth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: tokens.refresh_token,
      scope: `${tokens.scope} posts:publish`,
    }),
    { body: { error: 'invalid_scope' } },
    'it gets no further rights',
  )
  t.equal((await post('/oauth/revoke', { client_id: clientId, token: tokens.access_token })).status, 200)
  t.match(await post('/oauth/token', { grant_type: 'refresh_token', ...foreign, client_id: clientId }), { status: 400 })
  t.equal((await post('/oauth/revoke', { client_id: clientId, token: 'prat_unknown' })).status, 200)
})

t.test('an app gets no more than the key that approves it, and no right to make keys', async (t) => {
  const { body: narrow } = await ada.call('POST', '/keys', {
    name: 'narrow',
    scopes: ['keys:manage', 'posts:read'],
    expiresAt: '2099-01-01T00:00:00.000Z',
  })
  const { tokens } = await connect(narrow.key, { scope: 'posts:read posts:publish keys:manage' })
  t.equal(tokens.scope, 'posts:read')
  const { body: own } = await call(app, tokens.access_token, 'GET', '/key')
  t.equal((await call(app, tokens.access_token, 'GET', '/keys')).status, 403)
  const { body: stored } = await ada.call('GET', `/keys/${own.id}`)
  t.equal(stored.expiresAt, '2099-01-01T00:00:00.000Z')

  const { body: drafts } = await ada.call('POST', '/keys', { name: 'drafts', scopes: ['posts:read'] })
  await t.rejects(approve(begin({ client_id: clientId }).path, drafts.key), /lacks the scope keys:manage/)

  const { path, verifier } = begin({ client_id: clientId })
  const code = (await approve(path, narrow.key)).searchParams.get('code')!
  await ada.call('DELETE', `/keys/${narrow.id}`)
  const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
  t.match(await post('/oauth/token', form), { body: { error: 'invalid_grant' } }, 'the key was revoked meanwhile')
})

const hash = (text: string) => createHash('sha256').update(text).digest('base64url')
