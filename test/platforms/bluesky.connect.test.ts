import { randomBytes } from 'node:crypto'
import t from 'tap'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'
import { clientKeysOf, SCOPES } from '../../src/platforms/bluesky/client.ts'
import { blueskyOAuth } from '../../src/platforms/bluesky/connect.ts'
import { openRepo } from '../../src/platforms/bluesky/repo.ts'
import type { OAuthApp } from '../../src/platforms/contract/oauth.ts'
import { fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { ADA, BOB, type FakeBlueskyOAuth, startBlueskyOAuth } from '../networks/fakes/bluesky-oauth.ts'

const REDIRECT_URI = 'https://postroom.example/connect/callback'
const PUBLIC: OAuthApp = { clientId: 'https://postroom.example/oauth/client-metadata.json', clientSecret: null }

async function start(t: Teardown, { app = PUBLIC, hint = ADA.handle as string | null } = {}) {
  const fake = await startBlueskyOAuth(t)
  for (const { kid, jwk } of clientKeysOf(app)) {
    const { d: _, ...publicKey } = jwk
    fake.clientKeys.set(kid, publicKey)
  }
  const authorization = { app, redirectUri: REDIRECT_URI, hint }
  const io = ioOf(fake)
  const begin = () => blueskyOAuth.begin({ ...authorization, state: 'the-state' }, io)
  return {
    fake,
    io,
    authorization,
    begin,
    async connect({ did = ADA.did, edit = (_: URLSearchParams) => {} } = {}) {
      const { url, kept } = await begin()
      const callback = fake.consent(url, did)
      edit(callback)
      const stored = JSON.parse(JSON.stringify(kept))
      const [account] = await blueskyOAuth.finish({ ...authorization, callback, kept: stored }, io)
      return account!
    },
    refresh: (credentials: Record<string, string>, client = app) => blueskyOAuth.refresh!.run(credentials, client, io),
  }
}

const repoOf = (fake: FakeBlueskyOAuth, credentials: Record<string, string>) => openRepo({ ...ioOf(fake), credentials })

t.test('a handle leads to the page of the server of its account', async (t) => {
  const { fake, begin } = await start(t, { hint: '@Ada.example.com' })
  const { url, kept } = await begin()
  t.equal(`${url.origin}${url.pathname}`, `${fake.issuer}/oauth/authorize`)
  const { request_uri, ...others } = Object.fromEntries(url.searchParams)
  t.match(request_uri, /^urn:ietf:params:oauth:request_uri:/)
  t.same(others, { client_id: PUBLIC.clientId }, 'the rest was sent by the service itself')
  t.hasStrict(fake.pushed, {
    client_id: PUBLIC.clientId,
    redirect_uri: REDIRECT_URI,
    scope: SCOPES.join(' '),
    state: 'the-state',
    login_hint: 'ada.example.com',
  })
  t.equal(fake.log.filter((name) => name === 'POST /oauth/par').length, 2, 'the second has the nonce')
  t.hasStrict(kept, { issuer: fake.issuer, account: { did: ADA.did, username: ADA.handle } })
})

t.test('an account is named by its DID, and has tokens that are bound to a key', async (t) => {
  const { io, connect } = await start(t)
  const { profile, kind, tokens } = await connect()
  const { facts, ...shown } = profile
  t.same(shown, { externalId: ADA.did, username: ADA.handle, displayName: 'Ada' })
  t.hasStrict(facts, { server: { host: 'pds.example' }, blobBytesMax: 1_000_000 })
  // Tokens have nothing to do with it.
  t.same(await blueskyAdapter.identify({ ...io, credentials: { ...tokens.credentials, accessToken: 'x' } }), profile)
  t.equal(kind, 'profile')
  t.same(tokens.scopes, SCOPES)
  t.hasStrict(tokens.credentials, { did: ADA.did, server: ADA.server })
  const life = tokens.expiresAt!.getTime() - Date.now()
  t.ok(life > 3_500_000 && life <= 3_600_000, `${life}`)
})

t.test('without a hint, the user signs in at bsky.social', async (t) => {
  const { fake, connect } = await start(t, { hint: null })
  const { facts: _, ...shown } = (await connect()).profile
  t.same(shown, { externalId: ADA.did, username: ADA.handle, displayName: 'Ada' })
  t.equal(fake.pushed.login_hint, undefined)
})

t.test('a DID and a server are hints too', async (t) => {
  for (const hint of [ADA.did, ADA.server]) {
    const { fake, connect } = await start(t, { hint })
    t.equal((await connect()).profile.username, ADA.handle)
    t.equal(fake.pushed.login_hint, hint === ADA.did ? hint : undefined)
  }
  const { fake, authorization, connect } = await start(t)
  const did = 'did:web:ada.example.com'
  fake.metadata.set('https://ada.example.com/.well-known/did.json', { ...fake.documents.get(ADA.did), id: did })
  authorization.hint = did
  t.equal((await connect({ did })).profile.username, did, 'its handle leads to another DID')
})

t.test('a service without a public address is a loopback client', async (t) => {
  const { fake, begin, authorization } = await start(t, { app: { clientId: 'http://localhost', clientSecret: null } })
  authorization.redirectUri = blueskyOAuth.toRedirectUri!('http://localhost:3000/connect/callback')
  t.equal(authorization.redirectUri, 'http://127.0.0.1:3000/connect/callback')
  await begin()
  const clientId = new URL(fake.pushed.client_id!)
  t.equal(clientId.origin, 'http://localhost')
  t.same(Object.fromEntries(clientId.searchParams), {
    redirect_uri: 'http://127.0.0.1/connect/callback',
    scope: SCOPES.join(' '),
  })
})

t.test('posts and files are sent with the token and a proof, also after the nonce has changed', async (t) => {
  const { fake, connect } = await start(t)
  const { credentials } = (await connect()).tokens
  const repo = await repoOf(fake, credentials)
  fake.log.length = 0
  await repo.upload(fileOf('image/png'))
  t.same(fake.log, [
    'GET /xrpc/com.atproto.server.getSession',
    'GET /xrpc/com.atproto.server.getSession',
    'POST /xrpc/com.atproto.repo.uploadBlob',
  ])
  fake.log.length = 0
  await repo.upload(fileOf('image/png'))
  await repo.add('app.bsky.feed.post', '3k', { text: 'Hello' })
  t.same(fake.log, ['POST /xrpc/com.atproto.repo.uploadBlob', 'POST /xrpc/com.atproto.repo.putRecord'])
  fake.rotateNonces()
  await repo.add('app.bsky.feed.post', '3l', { text: 'Hello again' })
  t.same([...fake.posts.keys()], ['3k', '3l'])

  const revoked = await repoOf(fake, { ...credentials, accessToken: 'revoked' })
  const error = await rejection(revoked.add('app.bsky.feed.post', '3m', {}))
  t.has(error, { code: 'unauthorized', needsAttention: true, maybeSent: false })
})

t.test('a refresh token works once, with the key of its session', async (t) => {
  const [key, next] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
  const app = { ...PUBLIC, clientSecret: key }
  const { fake, connect, refresh } = await start(t, { app })
  const { credentials } = (await connect()).tokens
  t.equal(credentials.clientKeyId, clientKeysOf(app)[0]!.kid)
  t.ok(blueskyOAuth.refresh!.isPossible(credentials))
  const second = await refresh(credentials, { ...app, clientSecret: `${next}, ${key}` })
  t.not(second.credentials.refreshToken, credentials.refreshToken)
  t.same(second.scopes, SCOPES)
  await (await repoOf(fake, second.credentials)).add('app.bsky.feed.post', '3k', { text: 'Hello' })

  const removed = await rejection(refresh(second.credentials, { ...app, clientSecret: next }))
  t.has(removed, { code: 'content_refused', needsAttention: false, maybeSent: false })
  t.equal(blueskyOAuth.refresh!.afterLostResponse, 'revokes-reuse')
  t.has(await rejection(refresh(credentials)), {
    message: 'auth.example: Refresh token replayed',
    needsAttention: true,
  })
  t.has(await rejection(refresh(second.credentials)), { needsAttention: true })
})

t.test('what fails before a refresh says nothing about the token', async (t) => {
  const { fake, connect, refresh } = await start(t)
  const { credentials } = (await connect()).tokens
  const path = 'GET /.well-known/oauth-authorization-server'
  for (const instead of [{ status: 503 }, { status: 404, body: {} }, { status: 301, headers: { location: '/' } }]) {
    fake.faults.push({ on: path, instead })
    const error = await rejection(refresh(credentials))
    t.has(error, { code: 'unreachable', retryable: true, maybeSent: false, needsAttention: false })
  }
  const body = { error: 'invalid_client_metadata', error_description: 'Unable to obtain client metadata' }
  fake.faults.push({ on: 'POST /oauth/token', instead: { status: 400, body } })
  t.has(await rejection(refresh(credentials)), { code: 'content_refused', needsAttention: false })
  fake.faults.push({ on: 'POST /oauth/token', after: true, instead: { status: 502 } })
  t.has(await rejection(refresh(credentials)), { maybeSent: true, needsAttention: false })
})

t.test('an account that has moved to another server has to be connected again', async (t) => {
  const { fake, connect, refresh } = await start(t)
  const { credentials } = (await connect()).tokens
  fake.documents.set(ADA.did, { ...fake.documents.get(BOB.did), id: ADA.did })
  t.match(await rejection(refresh(credentials)), { message: /has moved/, needsAttention: true })
  t.notOk(fake.log.slice(-3).includes('POST /oauth/token'), 'no token is sent there')
})

t.test('revoking the tokens of an account ends its session', async (t) => {
  for (const app of [PUBLIC, { ...PUBLIC, clientSecret: randomBytes(32).toString('base64') }]) {
    const { fake, connect, refresh, io } = await start(t, { app })
    const { credentials } = (await connect()).tokens
    await blueskyOAuth.revoke!(credentials, app, io)
    t.equal(fake.log.at(-1), 'POST /oauth/revoke')
    t.has(await rejection(refresh(credentials)), { code: 'unauthorized', needsAttention: true })
  }
})

t.test('a server that names no address for it is not asked to revoke tokens', async (t) => {
  const { fake, connect, io } = await start(t)
  const { credentials } = (await connect()).tokens
  delete fake.metadata.get(`${fake.issuer}/.well-known/oauth-authorization-server`)!.revocation_endpoint
  const error = await rejection(blueskyOAuth.revoke!(credentials, PUBLIC, io))
  t.equal(error.message, 'auth.example does not support the OAuth of Bluesky: it has no revocation_endpoint')
  t.notOk(fake.log.includes('POST /oauth/revoke'))
})
