import t from 'tap'
import { threadsOAuth } from '../../src/platforms/threads/connect.ts'
import { ioOf, rejection } from '../helpers/adapter-calls.ts'
import { errorBody } from '../networks/fakes/meta.ts'
import { broken, type Fault, reset } from '../networks/fakes/network.ts'
import { type FakeThreads, startThreads } from '../networks/fakes/threads.ts'

const DAY = 86_400_000
const SCOPES = ['threads_basic', 'threads_content_publish', 'threads_manage_replies', 'threads_read_replies']
const CODE = 'POST /oauth/access_token'

const authorizationOf = ({ tokens: { app, redirectUri } }: FakeThreads) => ({ app, redirectUri, hint: null })

/** Opens the page where the user consents, as a browser does. Returns the parameters of the callback. */
async function consent(fake: FakeThreads): Promise<URLSearchParams> {
  const { url, kept } = await threadsOAuth.begin({ ...authorizationOf(fake), state: 'the-state' }, ioOf(fake))
  t.equal(kept, null)
  const response = await fake.fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location')!
  t.match(location, /#_$/)
  return new URL(location).searchParams
}

const finish = async (fake: FakeThreads, callback: URLSearchParams) =>
  threadsOAuth.finish({ ...authorizationOf(fake), callback, kept: null }, ioOf(fake))

const refresh = (fake: FakeThreads, credentials: Record<string, string>) =>
  threadsOAuth.refresh!.run(credentials, fake.tokens.app, ioOf(fake))

t.test('the page where the user consents gets the app, the scopes and the state', async (t) => {
  const fake = await startThreads(t)
  const { url } = await threadsOAuth.begin({ ...authorizationOf(fake), state: 'the-state' }, ioOf(fake))
  t.equal(`${url.origin}${url.pathname}`, 'https://threads.com/oauth/authorize')
  t.same(Object.fromEntries(url.searchParams), {
    client_id: fake.tokens.app.clientId,
    redirect_uri: 'https://postroom.example/connect/callback',
    response_type: 'code',
    scope: SCOPES.join(','),
    state: 'the-state',
  })
})

t.test('a code becomes a long-lived token, and the id of the profile stays a text', async (t) => {
  const fake = await startThreads(t)
  const callback = await consent(fake)
  t.equal(callback.get('state'), 'the-state')
  // A user who copies the address of the browser copies the end too.
  callback.set('code', `${callback.get('code')}#_`)
  const [account, ...others] = await finish(fake, callback)
  t.same(others, [])
  const { profile, kind, tokens } = account!
  t.same([kind, profile], ['profile', { externalId: '17841405793187218', username: 'alice', displayName: 'Alice A.' }])
  t.match(tokens.credentials, { accessToken: /^THAAlong/, userId: '17841405793187218' })
  t.same(tokens.scopes, SCOPES)
  const life = tokens.expiresAt!.getTime() - Date.now()
  t.ok(life > 59 * DAY && life < 61 * DAY, `${life}`)
  const exchange = fake.calls.find(({ path }) => path === '/oauth/access_token')!
  t.equal(exchange.headers['content-type'], 'application/x-www-form-urlencoded')
})

t.test('the scopes are those that the user granted', async (t) => {
  const fake = await startThreads(t)
  fake.tokens.withheld = ['threads_manage_replies', 'threads_read_replies']
  const [account] = await finish(fake, await consent(fake))
  t.same(account!.tokens.scopes, ['threads_basic', 'threads_content_publish'])
})

t.test('a code that is used, or a wrong app, is refused without showing secrets', async (t) => {
  const fake = await startThreads(t)
  const callback = await consent(fake)
  await finish(fake, callback)
  const used = await rejection(finish(fake, callback))
  t.has(used, { code: 'unauthorized', needsAttention: true, retryable: false })
  t.match(used.message, 'Matching code was not found or was already used')
  const app = { ...fake.tokens.app, clientSecret: 'another-secret' }
  const authorization = { ...authorizationOf(fake), app, callback: await consent(fake), kept: null }
  t.has(await rejection(threadsOAuth.finish(authorization, ioOf(fake))), { needsAttention: true })
  const none = { ...authorization, app: { ...app, clientSecret: null } }
  t.match((await rejection(threadsOAuth.finish(none, ioOf(fake)))).message, /has no secret/)
  const code = callback.get('code')!
  for (const echo of [code, fake.tokens.app.clientSecret]) {
    fake.faults.push({
      on: CODE,
      instead: { status: 400, body: { error_type: 'OAuthException', error_message: echo } },
    })
    t.equal((await rejection(finish(fake, callback))).message, 'graph.threads.net: …')
  }
})

t.test('a response that is lost, cut off or not understood connects nothing', async (t) => {
  const fake = await startThreads(t)
  const huge = { access_token: 'a', padding: 'x'.repeat(2_000_000) }
  const cases: [Fault['instead'], string][] = [
    [reset, 'disconnected'],
    [broken(200), 'disconnected'],
    [{ status: 200, body: '<html>' }, 'unexpected_answer'],
    [{ status: 200, body: {} }, 'unexpected_answer'],
    [{ status: 200, body: { access_token: 'a\u0000b' } }, 'unexpected_answer'],
    [{ status: 200, body: { access_token: 5 } }, 'unexpected_answer'],
    [{ status: 200, body: huge }, 'unexpected_answer'],
    [{ status: 502, body: '<html>' }, 'server_error'],
    [{ status: 302, headers: { location: 'http://127.0.0.1/' } }, 'unreachable'],
  ]
  for (const on of [CODE, 'GET /access_token', 'GET /v1.0/me']) {
    for (const [instead, code] of cases) {
      fake.faults.push({ on, instead })
      t.has(await rejection(finish(fake, await consent(fake))), { code, retryable: true }, `${on}: ${code}`)
    }
  }
  t.same(fake.faults, [])
})

t.test('a token is refreshed by itself when it is a day old', async (t) => {
  const fake = await startThreads(t)
  const issued = Date.now() - 2 * DAY
  const accessToken = fake.tokens.issue('long', SCOPES, issued)
  const credentials = { ...fake.credentials, accessToken, issuedAt: new Date(issued).toISOString() }
  const tokens = await refresh(fake, credentials)
  t.match(tokens.credentials, { accessToken: /^THAAlong/, userId: '17841405793187218' })
  t.not(tokens.credentials.accessToken, accessToken)
  t.equal(tokens.scopes, null, 'the response does not name them')
  t.ok(Date.parse(tokens.credentials.issuedAt!) > Date.now() - DAY)

  const before = fake.calls.length
  t.has(await rejection(refresh(fake, { ...tokens.credentials })), { retryable: true, needsAttention: false })
  t.equal(fake.calls.length, before, 'Threads refuses a younger one, so it is not asked')
  const spent = await rejection(refresh(fake, credentials))
  t.has(spent, { code: 'unauthorized', needsAttention: true, retryable: false })
  const unavailable = { status: 400, body: errorBody(2, 'Service temporarily unavailable') }
  fake.faults.push({ on: 'GET /refresh_access_token', instead: unavailable })
  t.has(await rejection(refresh(fake, credentials)), { retryable: true, maybeSent: true, needsAttention: false })
  fake.tokens.expire(tokens.credentials.accessToken!)
  const late = { ...tokens.credentials, issuedAt: '2020-01-01T00:00:00Z' }
  t.has(await rejection(refresh(fake, late)), { code: 'unauthorized', needsAttention: true })
})
