import t from 'tap'
import { xAdapter } from '../../src/platforms/x/adapter.ts'
import { actOf, clientOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startX } from '../networks/fakes/x.ts'

const oauth = xAdapter.oauth!
const SCOPES = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access']

async function start(t: Teardown) {
  const fake = await startX(t)
  const { app, consent } = fake.authorization
  const authorization = {
    app: { clientId: app.clientId, clientSecret: app.clientSecret },
    redirectUri: app.redirectUris[0]!,
    hint: null,
  }
  const io = ioOf(fake)
  /** Runs the flow until X redirects back. */
  const begin = async () => {
    const { url, kept } = await oauth.begin({ ...authorization, state: 'random' }, io)
    return { url, kept: JSON.parse(JSON.stringify(kept)) }
  }
  const finish = async (scopes?: string[]) => {
    const { url, kept } = await begin()
    const callback = consent(url, scopes).searchParams
    return oauth.finish({ ...authorization, callback, kept }, io)
  }
  return { fake, authorization, io, begin, finish }
}

t.test('a user who consents gets an account that can be published to', async (t) => {
  const { fake, finish, io } = await start(t)
  const [account, ...others] = await finish()
  t.strictSame(others, [])
  t.hasStrict(account, {
    kind: 'profile',
    profile: {
      externalId: fake.user.id,
      username: 'ada_l',
      displayName: 'Ada Lovelace',
      avatarUrl: 'https://pictures.invalid/ada.jpg',
    },
    tokens: { scopes: SCOPES, credentials: { userId: fake.user.id, username: 'ada_l' } },
  })
  const lifeMs = account!.tokens.expiresAt!.getTime() - Date.now()
  t.ok(lifeMs > 7_100_000 && lifeMs <= 7_200_000, `${lifeMs}`)
  t.strictSame(fake.log, ['POST /2/oauth2/token', 'GET /2/users/me'], 'two calls, of which the second is charged')
  const sent = await clientOf(xAdapter).send(actOf(), account!.tokens.credentials, io)
  t.match(sent.url, /^https:\/\/x\.com\/ada_l\/status\/\d+$/)
})

t.test('a public client sends its id in the body', async (t) => {
  const { fake, authorization, finish, io } = await start(t)
  fake.authorization.app.clientSecret = null
  authorization.app.clientSecret = null
  const [account] = await finish()
  t.equal(fake.calls[0]!.headers.authorization, undefined)
  await oauth.refresh!.run(account!.tokens.credentials, authorization.app, io)
})

t.test('the consent page gets a challenge, the state and all scopes', async (t) => {
  const { begin, fake } = await start(t)
  const { url, kept } = await begin()
  t.equal(`${url.origin}${url.pathname}`, 'https://x.com/i/oauth2/authorize')
  t.equal(url.searchParams.get('scope'), SCOPES.join(' '))
  t.notOk(url.href.includes(kept.verifier), 'the verifier stays here')
  url.searchParams.set('redirect_uri', `${fake.authorization.app.redirectUris[0]}/`)
  t.throws(() => fake.authorization.consent(url), 'X compares the address exactly')
})

t.test('a code works once, for half a minute, with its verifier and its address', async (t) => {
  const { fake, authorization, begin, io } = await start(t)
  const { url, kept } = await begin()
  const callback = fake.authorization.consent(url).searchParams
  const attempts = [
    { ...authorization, callback, kept: { verifier: 'a'.repeat(43) } },
    { ...authorization, callback, kept, redirectUri: 'https://postroom.example/other' },
    { ...authorization, callback: new URLSearchParams({ code: 'code-unknown', state: 'random' }), kept },
  ]
  const refused = { code: 'unauthorized', needsAttention: true, retryable: false }
  for (const attempt of attempts) {
    const error = await rejection(oauth.finish(attempt, io))
    t.has(error, refused)
    t.equal(error.message, 'api.x.com: Value passed for the authorization code was invalid.')
  }
  await oauth.finish({ ...authorization, callback, kept }, io)
  t.has(await rejection(oauth.finish({ ...authorization, callback, kept }, io)), refused, 'a second time')

  const late = await begin()
  const expired = fake.authorization.consent(late.url).searchParams
  fake.setTime(new Date(Date.now() + 31_000))
  t.has(await rejection(oauth.finish({ ...authorization, callback: expired, kept: late.kept }, io)), refused)
})

t.test('wrong credentials of the app are refused, which says nothing about the account', async (t) => {
  const { fake, authorization, finish } = await start(t)
  authorization.app.clientSecret = 'wrong-s3cret'
  const error = await rejection(finish())
  t.has(error, { message: 'api.x.com: Missing valid authorization header', retryable: false, needsAttention: false })
  t.strictSame(fake.log, ['POST /2/oauth2/token'])
})

t.test('the scopes are those that X granted', async (t) => {
  const { finish } = await start(t)
  const [account] = await finish(['tweet.read', 'users.read'])
  t.strictSame(account!.tokens.scopes, ['tweet.read', 'users.read'])
  t.equal(account!.tokens.credentials.refreshToken, undefined)
  for (const scope of oauth.requiredScopes) t.ok(oauth.scopes.includes(scope))
})

t.test('a refresh token works once, and using it again ends all tokens of the account', async (t) => {
  const { authorization, finish, io } = await start(t)
  const [account] = await finish()
  const { credentials } = account!.tokens
  const { run, isPossible, afterLostResponse } = oauth.refresh!
  t.ok(isPossible(credentials))
  t.equal(afterLostResponse, 'revokes-reuse')
  const first = await run(credentials, authorization.app, io)
  t.notSame(first.credentials.refreshToken, credentials.refreshToken)
  t.notSame(first.credentials.accessToken, credentials.accessToken)
  t.strictSame(first.scopes, SCOPES)
  const { userId, username, clientId } = credentials
  t.hasStrict(first.credentials, { userId, username, clientId }, 'what else is known stays')
  const second = await run(first.credentials, authorization.app, io)
  t.ok(await clientOf(xAdapter).identify(second.credentials, io))

  const spent = await rejection(run(first.credentials, authorization.app, io))
  t.has(spent, { code: 'unauthorized', message: 'api.x.com: Value passed for the token was invalid.' })
  t.has(await rejection(run(second.credentials, authorization.app, io)), { code: 'unauthorized', needsAttention: true })
  t.has(await rejection(clientOf(xAdapter).identify(second.credentials, io)), { code: 'unauthorized' })
})

t.test('revoking the tokens of an account ends all of them', async (t) => {
  const { fake, authorization, finish, io } = await start(t)
  const [account] = await finish()
  const { credentials } = account!.tokens
  await oauth.revoke!(credentials, authorization.app, io)
  t.same(fake.calls.at(-1)!.body, { token: credentials.refreshToken })
  t.has(await rejection(clientOf(xAdapter).identify(credentials, io)), { code: 'unauthorized' })
  const other = { ...authorization.app, clientSecret: 'wrong' }
  t.has(await rejection(oauth.revoke!(credentials, other, io)), {
    message: 'api.x.com: Missing valid authorization header',
  })
})

t.test(
  'after a lost refresh, the same token is refused or works, and neither costs a grant that X keeps',
  async (t) => {
    for (const reuse of ['is refused', 'works'] as const) {
      const { fake, authorization, finish, io } = await start(t)
      fake.authorization.switches.reuse = reuse
      const [account] = await finish()
      const { credentials } = account!.tokens
      const lost = await oauth.refresh!.run(credentials, authorization.app, io)
      const again = oauth.refresh!.run(credentials, authorization.app, io)
      if (reuse === 'works') t.not((await again).credentials.accessToken, lost.credentials.accessToken)
      else t.has(await rejection(again), { code: 'unauthorized', needsAttention: true })
      t.ok(await clientOf(xAdapter).identify(lost.credentials, io), 'the grant stays')
    }
  },
)
