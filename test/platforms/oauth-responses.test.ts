import t, { type Test } from 'tap'
import { FlowFailure } from '../../src/connections/failure.ts'
import { checkAccounts } from '../../src/connections/granted-accounts.ts'
import { blueskyOAuth } from '../../src/platforms/bluesky/connect.ts'
import type { OAuth, OAuthApp } from '../../src/platforms/contract/oauth.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { facebookOAuth } from '../../src/platforms/facebook/connect.ts'
import { googleBusinessOAuth } from '../../src/platforms/google_business/connect.ts'
import { instagramOAuth } from '../../src/platforms/instagram/connect.ts'
import { linkedinOAuth } from '../../src/platforms/linkedin/connect.ts'
import { redditOAuth } from '../../src/platforms/reddit/connect.ts'
import { threadsOAuth } from '../../src/platforms/threads/connect.ts'
import { tiktokOAuth } from '../../src/platforms/tiktok/connect.ts'
import { xOAuth } from '../../src/platforms/x/connect.ts'
import { youtubeOAuth } from '../../src/platforms/youtube/connect.ts'
import { startBlueskyOAuth } from '../networks/fakes/bluesky-oauth.ts'
import { startFacebook } from '../networks/fakes/facebook.ts'
import { startGoogleBusiness } from '../networks/fakes/google-business.ts'
import { startInstagram } from '../networks/fakes/instagram.ts'
import { ALL_SCOPES, startLinkedin } from '../networks/fakes/linkedin.ts'
import type { FakeNetwork, Fault, Recorded, Reply } from '../networks/fakes/network.ts'
import { startReddit } from '../networks/fakes/reddit.ts'
import { startThreads } from '../networks/fakes/threads.ts'
import { startTiktok } from '../networks/fakes/tiktok.ts'
import { startX } from '../networks/fakes/x.ts'
import { startYoutube } from '../networks/fakes/youtube.ts'

/** A network that accounts are connected to by OAuth. */
interface Network {
  oauth: OAuth
  fake: FakeNetwork
  app: OAuthApp
  scopes?: readonly string[]
  /** The user consents on the page. Returns the parameters of the callback. */
  consent(url: URL): URLSearchParams | Promise<URLSearchParams>
}

const REDIRECT_URI = 'https://postroom.example/connect/callback'

/** Consents by opening the page, which redirects. */
const byRedirect = (fake: FakeNetwork) => async (url: URL) =>
  new URL((await fake.fetch(url, { redirect: 'manual' })).headers.get('location')!).searchParams

const NETWORKS: Record<string, (t: Test) => Promise<Network>> = {
  async bluesky(t) {
    const fake = await startBlueskyOAuth(t)
    const app = { clientId: 'https://postroom.example/oauth/client-metadata.json', clientSecret: null }
    return { oauth: blueskyOAuth, fake, app, consent: (url) => fake.consent(url) }
  },
  async x(t) {
    const fake = await startX(t)
    const { app, consent } = fake.authorization
    return { oauth: xOAuth, fake, app, consent: (url) => consent(url).searchParams }
  },
  async linkedin(t) {
    const fake = await startLinkedin(t)
    fake.app.scopes = [...ALL_SCOPES]
    return { oauth: linkedinOAuth, fake, app: fake.app, scopes: ALL_SCOPES, consent: byRedirect(fake) }
  },
  async reddit(t) {
    const fake = await startReddit(t)
    const { app, consent } = fake.authorization
    return { oauth: redditOAuth, fake, app, consent: (url) => consent(url).searchParams }
  },
  async facebook(t) {
    const fake = await startFacebook(t)
    fake.login.pages = [{ id: '1', name: 'First', access_token: 'EAAIfirst0page0token', tasks: ['CREATE_CONTENT'] }]
    return { oauth: facebookOAuth, fake, app: fake.login.app, consent: fake.login.consent }
  },
  async google_business(t) {
    const fake = await startGoogleBusiness(t)
    const { app, consent } = fake.authorization
    return { oauth: googleBusinessOAuth, fake, app, consent: (url) => consent(url).searchParams }
  },
  async instagram(t) {
    const fake = await startInstagram(t)
    return { oauth: instagramOAuth, fake, app: fake.tokens.app, consent: byRedirect(fake) }
  },
  async threads(t) {
    const fake = await startThreads(t)
    return { oauth: threadsOAuth, fake, app: fake.tokens.app, consent: byRedirect(fake) }
  },
  async tiktok(t) {
    const fake = await startTiktok(t)
    const { app, consent } = fake.authorization
    return { oauth: tiktokOAuth, fake, app, consent: (url) => consent(url).searchParams }
  },
  async youtube(t) {
    const fake = await startYoutube(t)
    const { app, consent } = fake.google
    return { oauth: youtubeOAuth, fake, app, consent: (url) => consent(url).searchParams }
  },
}

/** Runs the flow until the accounts are ready to be stored, with one faulty call. Returns their ids, or the error. */
async function connect({ oauth, fake, app, scopes, consent }: Network, fault?: Fault): Promise<string[] | Error> {
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

for (const [name, start] of Object.entries(NETWORKS)) {
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
