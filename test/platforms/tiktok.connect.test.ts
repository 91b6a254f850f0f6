import t from 'tap'
import { tiktokAdapter } from '../../src/platforms/tiktok/adapter.ts'
import { clientOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startTiktok } from '../networks/fakes/tiktok.ts'
import { SCOPES } from '../networks/fakes/tiktok-oauth.ts'

const oauth = tiktokAdapter.oauth!
const REFUSED = { code: 'unauthorized', needsAttention: true, retryable: false }

async function start(t: Teardown) {
  const fake = await startTiktok(t)
  const { app, consent } = fake.authorization
  const authorization = {
    app: { clientId: app.clientId, clientSecret: app.clientSecret },
    redirectUri: app.redirectUris[0]!,
    hint: null,
  }
  const io = ioOf(fake)
  /** Runs the flow until TikTok redirects back. */
  const begin = async () => {
    const { url, kept } = await oauth.begin({ ...authorization, state: 'random' }, io)
    return { url, kept: JSON.parse(JSON.stringify(kept)) }
  }
  const finish = async (scopes?: string[]) => {
    const { url, kept } = await begin()
    return oauth.finish({ ...authorization, callback: consent(url, scopes).searchParams, kept }, io)
  }
  return { fake, authorization, io, begin, finish }
}

t.test('a user who consents gets an account, whose id and username are those of TikTok', async (t) => {
  const { fake, finish, io } = await start(t)
  const [account, ...others] = await finish()
  t.strictSame(others, [])
  t.hasStrict(account, {
    kind: 'creator',
    profile: {
      externalId: '-000ada_L0velace',
      username: 'ada.l',
      displayName: 'Ada Lovelace',
      avatarUrl: 'https://pictures.invalid/ada.jpeg',
    },
    tokens: { scopes: SCOPES, credentials: { openId: '-000ada_L0velace', scopes: SCOPES.join(' ') } },
  })
  const lifeMs = account!.tokens.expiresAt!.getTime() - Date.now()
  t.ok(lifeMs > 7_100_000 && lifeMs <= 7_200_000, `${lifeMs}`)
  t.strictSame(fake.log, ['POST /v2/oauth/token/', 'GET /v2/user/info/'])
  t.match(await clientOf(tiktokAdapter).identify(account!.tokens.credentials, io), account!.profile)
})

t.test('the consent page gets a client_key, scopes between commas and a challenge in hexadecimal', async (t) => {
  const { begin, fake } = await start(t)
  const { url, kept } = await begin()
  t.equal(`${url.origin}${url.pathname}`, 'https://www.tiktok.com/v2/auth/authorize/')
  t.strictSame(Object.fromEntries(url.searchParams), {
    response_type: 'code',
    client_key: fake.authorization.app.clientId,
    redirect_uri: 'https://postroom.example/connect/callback',
    scope: SCOPES.join(','),
    state: 'random',
    code_challenge: url.searchParams.get('code_challenge'),
    code_challenge_method: 'S256',
  })
  t.notOk(url.href.includes(kept.verifier), 'the verifier stays here')
})

t.test('a code works once, with its verifier and its address', async (t) => {
  const { fake, authorization, begin, io } = await start(t)
  const attempts: [object, string][] = [
    [{ kept: { verifier: 'a'.repeat(43) } }, 'Code verifier or code challenge is invalid.'],
    [{ redirectUri: 'https://postroom.example/other' }, 'Redirect_uri is not matched with the uri.'],
    [{ callback: new URLSearchParams({ code: 'unknown', state: 'random' }) }, 'Authorization code is expired.'],
  ]
  for (const [change, words] of attempts) {
    const { url, kept } = await begin()
    const callback = fake.authorization.consent(url).searchParams
    const error = await rejection(oauth.finish({ ...authorization, callback, kept, ...change }, io))
    t.has(error, { ...REFUSED, message: `open.tiktokapis.com: ${words}` })
  }
  const { url, kept } = await begin()
  const callback = fake.authorization.consent(url).searchParams
  await oauth.finish({ ...authorization, callback, kept }, io)
  t.has(await rejection(oauth.finish({ ...authorization, callback, kept }, io)), REFUSED, 'a second time')
})

t.test('the code of an error counts, not its status', async (t) => {
  const { fake, authorization, finish, io } = await start(t)
  const [account] = await finish()
  const TOKEN = 'POST /v2/oauth/token/'
  for (const status of [200, 400]) {
    const refused = { error: 'invalid_grant', error_description: 'Authorization code is expired.', log_id: '1' }
    fake.faults.push({ on: TOKEN, instead: { status, body: refused } })
    t.has(await rejection(finish()), { ...REFUSED, message: 'open.tiktokapis.com: Authorization code is expired.' })
    const failed = { error: 'server_error', error_description: 'Something is wrong.', log_id: '1' }
    fake.faults.push({ on: TOKEN, instead: { status, body: failed } })
    const error = await rejection(oauth.refresh!.run(account!.tokens.credentials, authorization.app, io))
    t.has(error, { code: 'server_error', maybeSent: true, retryable: true, needsAttention: false })
  }
})

t.test('wrong credentials of the app say nothing about the account', async (t) => {
  const { authorization, finish } = await start(t)
  authorization.app.clientSecret = 'wrong-s3cret'
  const error = await rejection(finish())
  t.has(error, { code: 'content_refused', retryable: false, needsAttention: false })
  t.match(error.message, 'The operator of Postroom has to check the client key')
})

t.test('the scopes are those that the user granted, which may be fewer', async (t) => {
  const { finish } = await start(t)
  const [account] = await finish(['user.info.basic', 'video.publish'])
  t.strictSame(account!.tokens.scopes, ['user.info.basic', 'video.publish'])
  t.equal(account!.profile.username, 'Ada Lovelace', 'without user.info.profile, TikTok does not tell the username')
  t.strictSame(await finish(['video.publish']), [], 'without user.info.basic, TikTok does not tell who it is')
  t.strictSame(oauth.requiredScopes, ['user.info.basic', 'video.publish'])
})

t.test('a refresh replaces both tokens, and the old refresh token works no more', async (t) => {
  const { fake, authorization, finish, io } = await start(t)
  const [account] = await finish()
  const { credentials } = account!.tokens
  const { run, isPossible, afterLostResponse } = oauth.refresh!
  t.ok(isPossible(credentials))
  t.equal(afterLostResponse, 'single-use')
  // Earlier pages have a day.
  fake.authorization.life.accessSeconds = 86_400
  const first = await run(credentials, authorization.app, io)
  t.notSame(first.credentials.refreshToken, credentials.refreshToken)
  t.notSame(first.credentials.accessToken, credentials.accessToken)
  t.equal(first.credentials.openId, credentials.openId, 'what else is known stays')
  t.strictSame(first.scopes, SCOPES)
  const lifeMs = first.expiresAt!.getTime() - Date.now()
  t.ok(lifeMs > 86_300_000 && lifeMs <= 86_400_000, 'the life is what TikTok says')
  t.has(await rejection(run(credentials, authorization.app, io)), REFUSED)
  await run(first.credentials, authorization.app, io)
})

t.test('revoking ends the access token', async (t) => {
  const { fake, authorization, finish, io } = await start(t)
  const [account] = await finish()
  const { credentials } = account!.tokens
  await oauth.revoke!(credentials, authorization.app, io)
  t.hasStrict(fake.calls.at(-1)!.body, { token: credentials.accessToken, client_key: authorization.app.clientId })
  t.has(await rejection(clientOf(tiktokAdapter).identify(credentials, io)), REFUSED)
})
