import t from 'tap'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { blueskyOAuth } from '../../src/platforms/bluesky/connect.ts'
import type { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { ADA, BOB, type FakeBlueskyOAuth, startBlueskyOAuth } from '../networks/fakes/bluesky-oauth.ts'

// Anyone can run a server, and let a handle or a DID lead there.

const authorization = {
  app: { clientId: 'https://postroom.example/oauth/client-metadata.json', clientSecret: null },
  redirectUri: 'https://postroom.example/connect/callback',
}
const RESOURCE = `${ADA.server}/.well-known/oauth-protected-resource`
const SERVER = 'https://auth.example/.well-known/oauth-authorization-server'

const begin = (fake: FakeBlueskyOAuth, hint: string | null = ADA.handle) =>
  blueskyOAuth.begin({ ...authorization, hint, state: 'the-state' }, ioOf(fake))

/** The error of a flow that begins with `hint`, where the user consents as `did`. */
async function finish(
  t: Teardown,
  { hint = ADA.handle as string | null, did = ADA.did, prepare = (_: FakeBlueskyOAuth, __: URLSearchParams) => {} },
): Promise<{ fake: FakeBlueskyOAuth; error: PublishError }> {
  const fake = await startBlueskyOAuth(t)
  const { url, kept } = await begin(fake, hint)
  const callback = fake.consent(url, did)
  prepare(fake, callback)
  return { fake, error: await rejection(blueskyOAuth.finish({ ...authorization, hint, callback, kept }, ioOf(fake))) }
}

t.test('a hint that names no account is refused', async (t) => {
  const fake = await startBlueskyOAuth(t)
  for (const hint of [
    'ada@example.com',
    'http://social.example',
    'javascript:alert(1)',
    'did:plc:short',
    'did:key:z6Mk',
    'a b',
  ]) {
    t.has(await rejection(begin(fake, hint)), { needsAttention: true, retryable: false }, hint)
  }
  t.match(await rejection(begin(fake, 'nobody.example.com')), { message: 'There is no account nobody.example.com' })
  t.same(new Set(fake.log), new Set(['GET /xrpc/com.atproto.identity.resolveHandle']))
})

t.test('a handle that leads to the account of somebody else is refused', async (t) => {
  const fake = await startBlueskyOAuth(t)
  fake.handles.set('mallory.example.com', ADA.did)
  t.match(await rejection(begin(fake, 'mallory.example.com')), { message: /has another handle/ })
})

t.test('a DID document of another account, or without a usable server, is refused', async (t) => {
  const fake = await startBlueskyOAuth(t)
  const document = fake.documents.get(ADA.did)!
  const serverAt = (serviceEndpoint: unknown) => ({ ...document, service: [{ id: '#atproto_pds', serviceEndpoint }] })
  const others = [
    fake.documents.get(BOB.did)!,
    [],
    { ...document, service: null },
    serverAt(7),
    serverAt('http://pds.example'),
  ]
  for (const other of others) {
    fake.documents.set(ADA.did, other)
    t.has(await rejection(begin(fake)), { maybeSent: false }, JSON.stringify(other))
  }
  t.notOk(fake.log.some((name) => name.includes('oauth')))
})

t.test('metadata that does not meet the specification is refused before anything is sent', async (t) => {
  const fake = await startBlueskyOAuth(t)
  const [resource, server] = [fake.metadata.get(RESOURCE)!, fake.metadata.get(SERVER)!]
  const wrong: [address: string, metadata: Record<string, unknown>][] = [
    [RESOURCE, { ...resource, resource: BOB.server }],
    [RESOURCE, { ...resource, authorization_servers: [fake.issuer, BOB.server] }],
    [RESOURCE, { ...resource, authorization_servers: [] }],
    [RESOURCE, { ...resource, authorization_servers: [`${fake.issuer}/path`] }],
    [RESOURCE, { ...resource, authorization_servers: ['http://auth.example'] }],
    [SERVER, { ...server, issuer: BOB.server }],
    [SERVER, { ...server, authorization_endpoint: 'javascript:alert(1)' }],
    [SERVER, { ...server, token_endpoint: 'http://auth.example/oauth/token' }],
    [SERVER, { ...server, pushed_authorization_request_endpoint: undefined }],
    [SERVER, { ...server, authorization_response_iss_parameter_supported: false }],
    [SERVER, { ...server, require_pushed_authorization_requests: false }],
    [SERVER, { ...server, client_id_metadata_document_supported: undefined }],
    [SERVER, { ...server, scopes_supported: ['openid'] }],
    [SERVER, { ...server, dpop_signing_alg_values_supported: ['RS256'] }],
  ]
  for (const [address, metadata] of wrong) {
    fake.metadata.set(RESOURCE, resource).set(SERVER, server).set(address, metadata)
    const error = await rejection(begin(fake))
    t.match(error, { message: /does not support the OAuth of Bluesky/, retryable: false }, JSON.stringify(metadata))
  }
  for (const type of [{ require_pushed_authorization_requests: 'true' }, { scopes_supported: 'atproto' }]) {
    fake.metadata.set(SERVER, { ...server, ...type })
    t.match(await rejection(begin(fake)), { code: 'unexpected_answer', retryable: true }, JSON.stringify(type))
  }
  t.notOk(fake.log.includes('POST /oauth/par'))
})

t.test('a response that is huge, not JSON, or a redirection is refused', async (t) => {
  const fake = await startBlueskyOAuth(t)
  const html = { 'content-type': 'text/html' }
  const body = fake.metadata.get(SERVER)!
  const replies = [
    { status: 200, body: { ...body, padding: 'x'.repeat(70_000) } },
    { status: 200, body: '<!doctype html>', headers: html },
    { status: 200, body, headers: html },
    { status: 203, body },
    { status: 302, headers: { location: 'http://169.254.169.254/' } },
    { status: 308, headers: { location: 'https://evil.example/' } },
  ]
  for (const instead of replies) {
    fake.faults.push({ on: 'GET /.well-known/oauth-authorization-server', instead })
    t.has(await rejection(begin(fake)), { maybeSent: false }, `${instead.status}`)
  }
  t.notOk(fake.log.includes('POST /oauth/par'))
  t.equal((await begin(fake)).url.origin, fake.issuer, 'the server itself is fine')
})

t.test('a private address is not called', async (t) => {
  const fake = await startBlueskyOAuth(t)
  const { fetch: publicFetch } = createPublicClient()
  const own = ['https://plc.directory', 'https://public.api.bsky.app']
  const io = {
    ...ioOf(fake),
    fetch: ((input, init) =>
      (own.includes(new URL(String(input)).origin) ? fake : { fetch: publicFetch }).fetch(input, init)) as typeof fetch,
  }
  for (const serviceEndpoint of [
    'https://10.0.0.1',
    'https://[fd00::1]',
    'http://127.0.0.1:8443',
    'http://localhost:8443',
  ]) {
    fake.documents.set(ADA.did, { ...fake.documents.get(ADA.did), service: [{ id: '#atproto_pds', serviceEndpoint }] })
    const error = await rejection(blueskyOAuth.begin({ ...authorization, hint: ADA.handle, state: 'the-state' }, io))
    t.match(error, { code: 'unreachable', maybeSent: false }, serviceEndpoint)
  }
})

t.test('a server without nonces is refused before the user consents', async (t) => {
  const fake = await startBlueskyOAuth(t)
  await begin(fake)
  fake.sendsNonces = false
  t.has(await rejection(begin(fake)), { code: 'unexpected_answer' })
})

t.test('a callback from another server is refused, and its code is sent nowhere', async (t) => {
  for (const iss of [BOB.server, undefined]) {
    const { fake, error } = await finish(t, {
      prepare: (_, callback) => (iss ? callback.set('iss', iss) : callback.delete('iss')),
    })
    t.has(error, { code: 'unexpected_answer' })
    t.notOk(fake.log.includes('POST /oauth/token'))
  }
})

t.test('the consent of another account than the hint names is refused', async (t) => {
  const { error } = await finish(t, { did: BOB.did })
  t.has(error, { message: `The consent is for another account than ${ADA.handle}`, code: 'other_account' })
})

t.test('an account of another server is refused: a server speaks for its own accounts', async (t) => {
  const { error } = await finish(t, { hint: null, did: BOB.did })
  t.has(error, { message: `auth.example is not the server of ${BOB.did}`, needsAttention: true })
})

t.test('tokens that are not those of the protocol are refused', async (t) => {
  const fields = [
    { sub: undefined },
    { sub: 'ada' },
    { sub: { did: ADA.did } },
    { token_type: 'Bearer' },
    { scope: undefined },
    { scope: 'transition:generic' },
    { access_token: 7 },
    { expires_in: 'soon' },
  ]
  for (const tokenFields of fields) {
    const { error } = await finish(t, { prepare: (fake) => Object.assign(fake, { tokenFields }) })
    t.has(error, { code: 'unexpected_answer' }, JSON.stringify(tokenFields))
    t.notMatch(error.message, /code-|access-|refresh-/)
  }
})
