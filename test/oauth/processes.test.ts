import { sql } from 'kysely'
import * as oauth from 'oauth4webapi'
import t from 'tap'
import { connect as connectDatabase } from '../../db/client.ts'
import { buildApp } from '../../src/run/app.ts'
import { call, mediaOptions, networkOptions, recordRequests } from '../helpers/app.ts'
import { recorded } from '../helpers/log-record.ts'
import { APP_REDIRECT, createScene } from './scene.ts'

t.test('a flow goes on in another process at each step', async (t) => {
  const scene = await createScene(t)
  const ada = await scene.user()
  const db = connectDatabase({ url: scene.databaseUrl })
  const options = { ...networkOptions(db), publicUrl: scene.publicUrl, media: mediaOptions(scene.mediaDir) }
  const other = recordRequests(await buildApp({ db, logger: recorded(false), corsOrigins: [], ...options }))
  t.teardown(async () => {
    await other.close()
    await db.destroy()
  })
  const send = (url: string, form: Record<string, string>) =>
    other.inject({
      method: 'POST',
      url,
      payload: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const clientId = await scene.register()
  const { path, verifier } = scene.begin({ client_id: clientId })
  const page = await scene.submit(path, { key: ada.key })
  const proof = /name="proof" value="(\w+)"/.exec(page.text)![1]!
  const { headers } = await send(path, { proof, decision: 'allow' })
  const code = new URL(String(headers.location)).searchParams.get('code')!
  const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
  const { body } = await scene.post('/oauth/token', form)
  t.equal((await call(other, body.access_token, 'GET', '/key')).status, 200)
  const refreshed = { grant_type: 'refresh_token', client_id: clientId, refresh_token: body.refresh_token }
  const next = (await send('/oauth/token', refreshed)).json()
  t.equal((await call(scene.app, next.access_token, 'GET', '/key')).status, 200)
})

t.test('a step that fails before it is stored can be repeated', async (t) => {
  const { db, user, register, begin, approve, post } = await createScene(t)
  const ada = await user()
  const clientId = await register()
  /** The last statement of both exchanges writes this table. */
  const fail = async (form: Record<string, string>) => {
    await sql`alter table oauth_clients add constraint fails check (not is_used) not valid`.execute(db)
    await sql`update oauth_clients set expires_at = now() + interval '1 hour', is_used = false`.execute(db)
    const { status } = await post('/oauth/token', form)
    await sql`alter table oauth_clients drop constraint fails`.execute(db)
    return status
  }
  const { path, verifier } = begin({ client_id: clientId })
  const code = (await approve(path, ada.key)).searchParams.get('code')!
  const form = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }
  t.equal(await fail(form), 500)
  const keysBefore = (await ada.call('GET', '/keys')).body.data.length
  const { status, body } = await post('/oauth/token', form)
  t.equal(status, 200)
  t.equal((await ada.call('GET', '/keys')).body.data.length, keysBefore + 1, 'one key')
  const next = { grant_type: 'refresh_token', client_id: clientId, refresh_token: body.refresh_token }
  t.equal(await fail(next), 500)
  t.equal((await post('/oauth/token', next)).status, 200)
})

t.test('a certified client accepts every response', async (t) => {
  const { origin, user, approve } = await createScene(t)
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(origin)
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  const server = await oauth.processDiscoveryResponse(issuer, discovered)
  const redirect = { redirect_uris: [APP_REDIRECT] }
  const registered = await oauth.dynamicClientRegistrationRequest(server, redirect, insecure)
  const client = await oauth.processDynamicClientRegistrationResponse(registered)
  const resource = new URL('/.well-known/oauth-protected-resource/mcp', origin)
  t.ok(await oauth.processResourceDiscoveryResponse(new URL('/mcp', origin), await fetch(resource)))

  const verifier = oauth.generateRandomCodeVerifier()
  const parameters = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: APP_REDIRECT,
    response_type: 'code',
    state: 'a',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const answer = await approve(`/oauth/authorize?${parameters}`, (await user()).key)
  const validated = oauth.validateAuthResponse(server, client, answer, 'a')
  const none = oauth.None()
  const exchanged = await oauth.authorizationCodeGrantRequest(
    ...([server, client, none, validated, APP_REDIRECT, verifier, insecure] as const),
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged)
  const refreshed = await oauth.refreshTokenGrantRequest(server, client, none, tokens.refresh_token!, insecure)
  const next = await oauth.processRefreshTokenResponse(server, client, refreshed)
  t.not(next.access_token, tokens.access_token)
  const revoked = await oauth.revocationRequest(server, client, none, next.refresh_token!, insecure)
  await t.resolves(oauth.processRevocationResponse(revoked))
  const mixedUp = new URL(answer)
  mixedUp.searchParams.set('iss', 'https://evil.example')
  t.throws(() => oauth.validateAuthResponse(server, client, mixedUp, 'a'), 'it notices an answer of another server')
})
