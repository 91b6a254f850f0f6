import t from 'tap'
import { googleOAuth } from '../../src/platforms/families/google/oauth.ts'
import { rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { createGoogleAuthorization, GOOGLE_OAUTH } from '../networks/fakes/google-oauth.ts'
import { startFake } from '../networks/fakes/network.ts'

const SCOPES = ['https://www.googleapis.com/auth/first', 'https://www.googleapis.com/auth/second']

const ADVICE =
  'The operator of Postroom has to check the OAuth client in the Google Cloud console: its id, secret and redirect URI'

const oauth = googleOAuth({
  scopes: SCOPES,
  listAccounts: async (tokens) => [
    { profile: { externalId: '1', username: 'ada', displayName: null }, kind: 'profile', tokens },
  ],
})

async function start(t: Teardown) {
  let clock = () => new Date()
  const google = createGoogleAuthorization(SCOPES, () => clock())
  const fake = await startFake(t, GOOGLE_OAUTH, (call) => google.respond(call) ?? { status: 404 })
  const { clientId, clientSecret, redirectUris } = google.app
  const authorization = { app: { clientId, clientSecret }, redirectUri: redirectUris[0]!, hint: null }
  const io = { fetch: fake.fetch, signal: AbortSignal.timeout(60_000) }
  const begin = () => oauth.begin({ ...authorization, state: 'the-state' }, io)
  const consent = async (options?: Parameters<typeof google.consent>[1]) => {
    const { url, kept } = await begin()
    return { callback: google.consent(url, options).searchParams, kept: JSON.parse(JSON.stringify(kept)) }
  }
  const connect = async (options?: Parameters<typeof google.consent>[1]) => {
    const [account] = await oauth.finish({ ...authorization, ...(await consent(options)) }, io)
    return account!.tokens
  }
  const inDays = (days: number) => {
    clock = () => new Date(Date.now() + days * 86_400_000)
  }
  const callerOf = (accessToken = '') => google.callerOf({ headers: { authorization: `Bearer ${accessToken}` } })
  return { google, fake, authorization, io, begin, consent, connect, inDays, callerOf }
}

t.test('a user who consents, also for the second time, gives tokens that can be refreshed', async (t) => {
  const { begin, connect, fake, callerOf } = await start(t)
  const { url, kept } = await begin()
  t.equal(url.searchParams.get('scope'), SCOPES.join(' '))
  t.notOk(url.href.includes((kept as { verifier: string }).verifier), 'the verifier stays here')
  for (let times = 0; times < 2; times++) {
    const { credentials, scopes, expiresAt } = await connect()
    t.same(scopes, SCOPES)
    t.ok(callerOf(credentials.accessToken))
    t.match(credentials.refreshToken, /^1\/\//)
    t.ok(Math.abs(expiresAt!.getTime() - Date.now() - 3_599_000) < 60_000, 'after an hour')
  }
  t.same(fake.log, ['POST /token', 'POST /token'])
})

t.test('a user who unticks a scope learns which one publishing needs', async (t) => {
  const { connect } = await start(t)
  const error = await rejection(connect({ granted: SCOPES.slice(0, 1) }))
  t.has(error, { code: 'scopes_missing', retryable: false, maybeSent: false })
  t.match(error.message, /allow all that the page of Google asks for: .*\/auth\/second$/)
  t.same(oauth.requiredScopes, SCOPES)
})

t.test('a code works once, with its verifier', async (t) => {
  const { authorization, io, consent } = await start(t)
  const refused = { code: 'unauthorized', needsAttention: true, retryable: false }
  const used = await consent()
  await oauth.finish({ ...authorization, ...used }, io)
  t.has(await rejection(oauth.finish({ ...authorization, ...used }, io)), refused, 'a second time')
  const other = { callback: (await consent()).callback, kept: { verifier: 'a'.repeat(43) } }
  t.has(await rejection(oauth.finish({ ...authorization, ...other }, io)), refused, 'another verifier')
})

t.test('what is wrong with the app says nothing about the token', async (t) => {
  const { google, authorization, io, connect, consent } = await start(t)
  const { credentials } = await connect()
  const { run } = oauth.refresh!
  const app = { ...authorization.app, clientSecret: 'GOCSPX-another' }
  const isApps = { code: 'content_refused', needsAttention: false, retryable: false, maybeSent: false }
  t.has(await rejection(run(credentials, app, io)), {
    ...isApps,
    message: `oauth2.googleapis.com: Unauthorized. ${ADVICE}`,
  })
  const elsewhere = { ...authorization, ...(await consent()), redirectUri: 'https://postroom.example/other' }
  t.has(await rejection(oauth.finish(elsewhere, io)), isApps, 'redirect_uri_mismatch')
  google.app.isDeleted = true
  t.has(await rejection(run(credentials, authorization.app, io)), {
    ...isApps,
    message: `oauth2.googleapis.com: The OAuth client was deleted. ${ADVICE}`,
  })
  google.app.isDeleted = false
  await run(credentials, authorization.app, io)
})

t.test('a refresh token is used again and again, until it dies', async (t) => {
  const { google, authorization, io, connect, inDays, callerOf } = await start(t)
  const { run, isPossible, afterLostResponse } = oauth.refresh!
  const refused = { code: 'unauthorized', needsAttention: true, message: /Token has been expired or revoked/ }
  google.app.isTesting = true
  const { credentials } = await connect()
  t.ok(isPossible(credentials))
  t.equal(afterLostResponse, 'repeatable')
  inDays(6)
  for (let times = 0; times < 2; times++) {
    const refreshed = await run({ ...credentials, page: '7' }, authorization.app, io)
    t.ok(callerOf(refreshed.credentials.accessToken))
    const { refreshToken } = credentials
    t.hasStrict(refreshed.credentials, { refreshToken, page: '7' }, 'what else is known stays')
    t.same(refreshed.scopes, SCOPES)
  }
  inDays(8)
  t.match(await rejection(run(credentials, authorization.app, io)), refused, 'after 7 days of testing')
})

t.test('Google ends every token of a user at once, so that no account revokes its own', async (t) => {
  const { fake, connect, callerOf } = await start(t)
  const [first, second] = [await connect(), await connect()]
  const body = new URLSearchParams({ token: first.credentials.refreshToken! })
  await fake.fetch(`${GOOGLE_OAUTH}/revoke`, { method: 'POST', body })
  t.equal(callerOf(second.credentials.accessToken), undefined)
  t.equal(oauth.revoke, undefined)
})
