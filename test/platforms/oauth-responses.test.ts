import t from 'tap'
import { FlowFailure } from '../../src/features/connections/failure.ts'
import { checkAccounts } from '../../src/features/connections/granted-accounts.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { OAUTH_NETWORKS, type OAuthNetwork, REDIRECT_URI } from '../helpers/oauth-networks.ts'
import type { FakeNetwork, Fault, Recorded, Reply } from '../networks/fakes/network.ts'

/** Runs the flow until the accounts are ready to be stored, with one faulty call. Returns their ids, or the error. */
async function connect({ oauth, fake, app, scopes, consent }: OAuthNetwork, fault?: Fault): Promise<string[] | Error> {
  const { clientId, clientSecret } = app
  const authorization = {
    app: { clientId, clientSecret },
    redirectUri: REDIRECT_URI,
    hint: null,
    ...(scopes && { scopes }),
  }
  const io = { fetch: fake.fetch, signal: AbortSignal.timeout(60_000) }
  const { url, kept } = await oauth.begin({ ...authorization, state: 'the-state' }, io)
  const callback = await consent(url)
  fake.log.length = 0
  fake.calls.length = 0
  fake.faults.splice(0, fake.faults.length, ...(fault ? [fault] : []))
  return oauth
    .finish({ ...authorization, callback, kept: JSON.parse(JSON.stringify(kept)) }, io)
    .then((accounts) => checkAccounts('x', oauth, accounts))
    .then(
      (accounts) => accounts.map(({ profile }) => profile.externalId),
      (error: Error) => error,
    )
}

const HTML = { 'content-type': 'text/html' }
const REPLIES: Record<string, Reply> = {
  'an HTML page': { status: 200, body: '<!doctype html><title>Log in</title>', headers: HTML },
  'the HTML page of a firewall': { status: 403, body: '<!doctype html><title>Blocked</title>', headers: HTML },
  'JSON that is cut off': { status: 200, body: '{"access_token": "a", "data": [{"id": "1' },
  'a huge body': { status: 200, body: JSON.stringify({ access_token: 'a'.repeat(2 ** 21), id: '1' }) },
  null: { status: 200, body: 'null' },
  'a list': { status: 200, body: [[[]]] },
  'values of other types': {
    status: 200,
    body: { access_token: {}, data: 5, id: [1], elements: 'a', sub: {}, user_id: null, localizedName: [] },
  },
  'lists of other types': {
    status: 200,
    body: { access_token: ['a'], data: [null, 5, 'a', []], elements: [null, 5, []] },
  },
  'a token that no header can carry': { status: 200, body: { access_token: 'a\r\nb', data: { scopes: ['a\n'] } } },
  'a redirect to a private address': { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data' } },
}

/** The secrets in a call: the code, tokens, the verifier and the secret of the app. */
function secretsIn({ query, body, headers }: Recorded): string[] {
  const parameters = { ...query, ...(body as Record<string, string> | undefined) }
  const names = ['code', 'client_secret', 'code_verifier', 'access_token', 'fb_exchange_token', 'input_token']
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
  return [...names.map((name) => parameters[name]), bearer].filter((value) => value !== undefined)
}

/** A refusal that repeats the whole call, in the words of every network. */
function echoing(fake: FakeNetwork): Fault['instead'] {
  return (_request, response) => {
    const call = fake.calls.at(-1)!
    const words = secretsIn(call).join(' and ')
    const names = ['error_description', 'message', 'error_message', 'detail', 'title', 'error_user_title']
    const texts = Object.fromEntries(names.map((name) => [name, words]))
    // `error` is an object at Meta, and a word elsewhere.
    const error = call.host.startsWith('graph.') ? { ...texts, code: 100, type: 'OAuthException' } : 'invalid_request'
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...texts, error }))
  }
}

for (const [name, start] of Object.entries(OAUTH_NETWORKS)) {
  t.test(`${name}: whatever the network responds, no call fails in another way than documented`, async (t) => {
    const network = await start(t)
    const { fake } = network
    const ids = (await connect(network)) as string[]
    t.ok(Array.isArray(ids) && ids.length > 0, `without a fault, accounts are connected: ${ids}`)
    const calls = [...new Set(fake.log)]
    t.ok(calls.length >= 2, calls.join(', '))
    const isRefused = (result: unknown) => result instanceof PublishError || result instanceof FlowFailure
    // LinkedIn's organizations may be missing, or lack their names.
    const isKnown = (result: string[] | Error) => Array.isArray(result) && result.every((id) => ids.includes(id))
    for (const on of calls) {
      for (const [what, instead] of Object.entries(REPLIES)) {
        const result = await connect(network, { on, instead })
        t.ok(isRefused(result) || isKnown(result), `${what} to ${on}: ${result}`)
        t.notMatch(String(result), /meta-data|<|\p{Cc}/u, `${what} to ${on}`)
      }
      const result = await connect(network, { on, instead: echoing(fake) })
      t.ok(isRefused(result) || isKnown(result), `an echo of ${on}: ${result}`)
      const secrets = fake.calls.flatMap(secretsIn)
      t.ok(secrets.length > 0 || on.startsWith('GET /.well-known/'), `${on} carries secrets`)
      t.strictSame(
        secrets.filter((secret) => String(result).includes(secret)),
        [],
        `a refusal that repeats ${on} shows no secret: ${result}`,
      )
    }
    t.ok(!fake.calls.some(({ path }) => path.includes('meta-data')))
  })
}
