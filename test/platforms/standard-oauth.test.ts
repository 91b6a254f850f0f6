import t from 'tap'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { standardOAuth } from '../../src/platforms/families/oauth/standard-oauth.ts'
import { recordSecrets } from '../helpers/log-record.ts'

const { refresh } = standardOAuth({
  host: 'network.example',
  authorizationEndpoint: 'https://network.example/authorize',
  tokenEndpoint: 'https://network.example/token',
  authentication: 'basic',
  pkce: true,
  scopes: ['read', 'write'],
  requiredScopes: ['write'],
  afterLostResponse: 'single-use',
  listAccounts: async () => [],
})

const app = { clientId: 'the-app', clientSecret: 'app-secret' }
const credentials = { accessToken: 'old-access', refreshToken: 'old-refresh', page: '7' }
recordSecrets('credentials', app.clientSecret, ...Object.values(credentials).slice(0, 2))

/** Refreshes with a token endpoint that responds like this. Returns the error if it fails. */
const refreshWith = (respond: () => Promise<Response>) =>
  refresh!
    .run(credentials, app, { fetch: respond as typeof fetch, signal: AbortSignal.timeout(5_000) })
    .catch((error: unknown) => error)

const responding = (status: number, body: object) => refreshWith(async () => Response.json(body, { status }))

t.test('a refresh keeps the old refresh token and what else the credentials have', async (t) => {
  t.same(await responding(200, { access_token: 'new-access', token_type: 'bearer' }), {
    credentials: { ...credentials, accessToken: 'new-access' },
    scopes: null,
    expiresAt: null,
  })
})

t.test('a refresh replaces the refresh token, and returns the scopes and the end of the access token', async (t) => {
  const before = Date.now()
  const body = { access_token: 'new-access', refresh_token: 'new-refresh', expires_in: 7200, scope: 'read,write' }
  const tokens = (await responding(200, body)) as { credentials: object; scopes: string[]; expiresAt: Date }
  t.same(tokens.credentials, { accessToken: 'new-access', refreshToken: 'new-refresh', page: '7' })
  t.same(tokens.scopes, ['read', 'write'])
  t.ok(tokens.expiresAt.getTime() >= before + 7_200_000)
})

t.test('credentials without a refresh token cannot be refreshed', async (t) => {
  t.equal(refresh!.isPossible(credentials), true)
  t.equal(refresh!.isPossible({ accessToken: 'old-access' }), false)
})

const SERVER_FAILED = { code: 'server_error', maybeSent: true, retryable: true, needsAttention: false }

t.test('the error of a refresh tells what became of the refresh token', async (t) => {
  const refused = () => Promise.reject(Object.assign(new Error('no'), { cause: { code: 'ECONNREFUSED' } }))
  const cut = () => Promise.reject(Object.assign(new Error('no'), { cause: { code: 'ECONNRESET' } }))
  const cases = [
    ['a refused token', await responding(400, { error: 'invalid_grant' }), { needsAttention: true, maybeSent: false }],
    ['a refused app', await responding(401, { error: 'invalid_client' }), { needsAttention: false, maybeSent: false }],
    ['a rate limit', await responding(429, {}), { code: 'rate_limited', maybeSent: false }],
    ['no connection', await refreshWith(refused), { code: 'unreachable', maybeSent: false }],
    ['a lost response', await refreshWith(cut), { code: 'disconnected', maybeSent: true }],
    ['a failed server', await responding(503, {}), { code: 'server_error', maybeSent: true }],
    ['a failed server behind a 200', await responding(200, { error: 'server_error' }), SERVER_FAILED],
    ['a server that is away', await responding(400, { error: 'temporarily_unavailable' }), SERVER_FAILED],
    ['a response without a token', await responding(200, {}), { code: 'unexpected_answer', maybeSent: true }],
  ] as const
  for (const [name, error, expected] of cases) {
    t.type(error, PublishError, name)
    t.hasStrict(error, expected, name)
  }
})
