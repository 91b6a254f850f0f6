import t from 'tap'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { mastodonAdapter } from '../../src/platforms/mastodon/adapter.ts'
import { createWorld } from '../helpers/app.ts'
import { createBrowser, repeating } from '../helpers/connect-oauth.ts'
import type { Reply } from '../networks/fakes/network.ts'
import { createMastodonWorld, HOST } from './mastodon-world.ts'

const REGISTER = 'POST /api/v1/apps'
const TOKEN = 'POST /oauth/token'
const HTML: Reply = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' }
const HUGE: Reply = { status: 200, body: { client_id: 'a'.repeat(2_000_000), client_secret: 'b' } }

t.test('a hint that names no server is a 400 that says what to name', async (t) => {
  const { begin, mastodon } = await createMastodonWorld(t)
  for (const hint of ['', ' ', '@alice', 'http://mastodon.example', 'https://a:b@c.example', 'a b', 'a:b']) {
    const { status, body } = await begin({ hint })
    t.equal(status, 400, hint)
    t.match(body.details, [{ code: 'custom', path: ['hint'], message: /^Must name the server of the account/ }])
  }
  t.match(await begin({}), { status: 400, body: { details: [{ path: ['hint'] }] } })
  t.strictSame(mastodon.log, [])
})

t.test('a private address gets the same error as a name that does not exist', async (t) => {
  const { user } = await createWorld(t, {
    networks: { mastodon: mastodonAdapter },
    fetch: createPublicClient().fetch,
  })
  const ada = repeating(await user())
  for (const host of ['127.0.0.1', 'localhost:443', '169.254.169.254', '10.0.0.1:8443']) {
    for (const manual of [false, true]) {
      const create = () => ada.call('POST', '/connections', { platform: 'mastodon', hint: host, manual })
      const { status, body } = await create()
      t.equal(status, 502)
      t.strictSame(body, {
        error: `mastodon: ${host.replace(':443', '')} does not resolve to a public address: check its spelling (ENOTFOUND)`,
      })
    }
  }
})

t.test('a server that is not an instance is a 400, and nothing is stored', async (t) => {
  const { begin, mastodon, apps } = await createMastodonWorld(t)
  const replies: Reply[] = [
    HTML,
    HUGE,
    { ...HTML, status: 404 },
    { status: 405, body: { error: 'Method not allowed' } },
    { status: 200, body: 'null' },
    { status: 200, body: [] },
    { status: 200, body: { client_id: 'a' } },
    { status: 200, body: { client_id: 'a\nb', client_secret: 'c' } },
    { status: 200, body: { client_id: { a: 1 }, client_secret: 'c' } },
    { status: 200, body: { client_id: 'a', client_secret: 'c'.repeat(513) } },
  ]
  for (const [index, instead] of replies.entries()) {
    mastodon.faults.push({ on: REGISTER, instead })
    const { status, body } = await begin({ hint: HOST })
    t.equal(status, 400, String(index))
    t.strictSame(body, { error: `mastodon: ${HOST} is not a Mastodon server` }, String(index))
  }
  t.strictSame(await apps(), [])
})

t.test('an instance that refuses is quoted, and one that fails is a 502', async (t) => {
  const { begin, mastodon, apps } = await createMastodonWorld(t)
  const answers: [Reply, number, string][] = [
    [
      { status: 422, body: { error: 'Validation failed: Redirect URI must be an absolute URI.' } },
      400,
      `${HOST}: Validation failed: Redirect URI must be an absolute URI.`,
    ],
    [{ status: 403, body: { error: 'Registrations are <b>closed</b>\0' } }, 400, 'Registrations are <b>closed</b> '],
    [{ status: 503, body: HTML.body }, 502, `${HOST} responded with status 503`],
    [{ status: 429, body: { error: 'Too many requests' } }, 502, 'Too many requests'],
    [{ status: 301, headers: { location: 'https://www.mastodon.example/' } }, 400, `${HOST} has moved to www.${HOST}`],
    [{ status: 302, headers: { location: 'http://127.0.0.1/' } }, 502, `${HOST} redirects temporarily to 127.0.0.1`],
  ]
  for (const [instead, status, words] of answers) {
    mastodon.faults.push({ on: REGISTER, instead })
    const reply = await begin({ hint: HOST })
    t.equal(reply.status, status, words)
    t.ok(reply.body.error.includes(words), `${reply.body.error} has: ${words}`)
  }
  t.strictSame(await apps(), [])
})

t.test('what the instance says of itself may be anything: then there is no PKCE', async (t) => {
  const { connect, begin, mastodon } = await createMastodonWorld(t)
  const on = 'GET /.well-known/oauth-authorization-server'
  for (const body of ['<h1>', 'null', [], { code_challenge_methods_supported: 'S256' }, 'a'.repeat(2_000_000)]) {
    mastodon.faults.push({ on, instead: { status: 200, body } })
    t.equal((await connect()).state, 'connected')
    t.notOk('code_verifier' in (mastodon.calls.findLast(({ path }) => path === '/oauth/token')!.body as object))
  }
  mastodon.faults.push({ on, instead: { status: 503 } })
  t.equal((await begin({ hint: HOST, manual: true })).status, 502, 'an instance that fails may have PKCE')
})

t.test('an instance that fails after the consent leaves an error, and no account', async (t) => {
  const { begin, accounts, mastodon, app, ada } = await createMastodonWorld(t)
  const secret = 'mast0don-\u0001-token'
  const cases: [string, Reply, string][] = [
    [TOKEN, HTML, 'invalid_response'],
    [TOKEN, { status: 200, body: { access_token: 7, token_type: 'Bearer' } }, 'invalid_response'],
    [TOKEN, { status: 200, body: { access_token: secret, token_type: 'Bearer' } }, 'invalid_response'],
    [TOKEN, { status: 200, body: { access_token: 'a'.repeat(2_000_000), token_type: 'Bearer' } }, 'invalid_response'],
    [TOKEN, { status: 200, body: { access_token: 'a', token_type: 'Bearer', scope: 'read' } }, 'network_refused'],
    [TOKEN, { status: 401, body: { error: 'invalid_client', error_description: 'unknown client' } }, 'network_refused'],
    [TOKEN, { status: 500 }, 'network_unavailable'],
    ['GET /api/v1/accounts/verify_credentials', HTML, 'invalid_response'],
    ['GET /api/v1/accounts/verify_credentials', { status: 200, body: { id: '1' } }, 'invalid_response'],
  ]
  for (const [on, instead, code] of cases) {
    const { body } = await begin({ hint: HOST })
    const browser = createBrowser(app)
    const { location } = await browser.get(body.url)
    mastodon.faults.push({ on, instead })
    const callback = String(mastodon.login.consent(new URL(location!)))
    await browser.get(callback)
    const { error } = (await ada.call('GET', `/connections/${body.id}`)).body
    t.equal(error?.code, code, `${on} ${JSON.stringify(instead).slice(0, 100)}: ${error?.message}`)
    t.notMatch(JSON.stringify(error), secret)
  }
  t.strictSame(await accounts(), [])
})
