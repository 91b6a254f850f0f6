import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { createScene, type Scene } from './scene.ts'

const ID = 'https://app.example/client.json'
const DOCUMENT = { client_id: ID, client_name: 'Published', redirect_uris: ['https://app.example/callback'] }

/** A scene in which the documents of clients are these responses. */
async function createPublished(t: Parameters<typeof createScene>[0], respond: (url: string) => Response) {
  const fetched: string[] = []
  const fetch = (async (input: string, init?: RequestInit) => {
    fetched.push(input)
    if (init?.redirect !== 'manual') throw new Error('follows redirects')
    return respond(input)
  }) as typeof globalThis.fetch
  return { ...(await createScene(t, { fetch })), fetched }
}

const openAs = ({ begin, open }: Scene, clientId: string) => open(begin({ client_id: clientId }).path)

t.test('a client that is a URL is described by its document, which is read once in five minutes', async (t) => {
  const scene = await createPublished(t, () => Response.json(DOCUMENT))
  const page = await openAs(scene, ID)
  t.equal(page.status, 200)
  t.match(page.text, /<bdi>Published<\/bdi>.*published by <strong>app\.example<\/strong>/s)
  await openAs(scene, ID)
  t.strictSame(scene.fetched, [ID])
  const ada = await scene.user()
  const { path, verifier } = scene.begin({ client_id: ID })
  const code = (await scene.approve(path, ada.key)).searchParams.get('code')!
  const form = { grant_type: 'authorization_code', client_id: ID, code, code_verifier: verifier }
  t.equal((await scene.post('/oauth/token', form)).status, 200)
})

t.test('a document that is wrong, moved, large or of another client is refused', async (t) => {
  const json = (changes: object) => () => Response.json({ ...DOCUMENT, ...changes })
  const documents: [name: string, respond: () => Response][] = [
    ['another id', json({ client_id: 'https://app.example/other.json' })],
    ['no id', json({ client_id: undefined })],
    ['no redirect URIs', json({ redirect_uris: [] })],
    ['a script', json({ redirect_uris: ['javascript:alert(1)'] })],
    ['a secret', json({ token_endpoint_auth_method: 'client_secret_post' })],
    ['keys alone', json({ token_endpoint_auth_method: 'private_key_jwt' })],
    ['an invisible name', json({ client_name: 'Pay\u202epal' })],
    ['a list', () => Response.json([DOCUMENT])],
    ['a page', () => new Response('<html>')],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } })],
    ['no document', () => new Response('', { status: 404 })],
    ['too much', () => new Response(' '.repeat(20_000) + JSON.stringify(DOCUMENT))],
  ]
  let respond = documents[0]![1]
  const scene = await createPublished(t, () => respond())
  for (const [name, next] of documents) {
    respond = next
    const page = await openAs(scene, ID)
    t.strictSame([page.status, page.location], [400, undefined], name)
  }
  const both = { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_methods_supported: ['none'] }
  respond = json(both)
  t.equal((await openAs(scene, ID)).status, 200, 'keys, or nothing')
})

t.test('an id that is no address of a document is not fetched', async (t) => {
  const scene = await createPublished(t, () => Response.json(DOCUMENT))
  const ids = [
    'http://app.example/client.json',
    'https://app.example/',
    'https://app.example/a/../client.json',
    'https://app.example/client.json#x',
    'https://user:password@app.example/client.json',
    'https://APP.example/client.json',
    'file:///etc/passwd',
    'client',
    `https://app.example/${'a'.repeat(1_000)}`,
  ]
  for (const id of ids) t.equal((await openAs(scene, id)).status, 400, id)
  t.strictSame(scene.fetched, [])
})

t.test('a document on this machine or in a private network is not reached', async (t) => {
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    response.end(JSON.stringify(DOCUMENT))
  })
  t.teardown(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const scene = await createScene(t, { fetch: createPublicClient().fetch })
  const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:7f00:1]', '169.254.169.254', '10.0.0.1', '0.0.0.0']
  for (const host of hosts) t.equal((await openAs(scene, `https://${host}:${port}/client.json`)).status, 400, host)
  t.equal(requests, 0)
})

t.test('one network makes a process fetch 30 documents a minute', async (t) => {
  const scene = await createPublished(t, () => new Response('', { status: 404 }))
  const statuses = []
  for (let number = 0; number < 31; number++) {
    statuses.push((await openAs(scene, `https://app.example/${number}.json`)).status)
  }
  t.equal(statuses.at(-1), 503)
  t.equal(scene.fetched.length, 30)
})

t.test('an invalid registration is refused with what is wrong', async (t) => {
  const { register } = await createScene(t)
  const cases: [metadata: object, message: RegExp][] = [
    [{}, /redirect_uris must be a list/],
    [{ redirect_uris: 'https://app.example/' }, /redirect_uris must be a list/],
    [{ redirect_uris: ['http://app.example/'] }, /must use https/],
    [{ redirect_uris: ['https://app.example/#x'] }, /fragment/],
    [{ redirect_uris: ['https://a:b@app.example/'] }, /user name/],
    [{ redirect_uris: ['JavaScript:alert(1)'] }, /scheme javascript:/],
    [{ redirect_uris: ['data:text/html,x'] }, /scheme data:/],
    [{ redirect_uris: ['/callback'] }, /absolute/],
    [{ redirect_uris: ['https:evil.example'] }, /must begin with https:\/\//],
    [{ redirect_uris: ['http:127.0.0.1/'] }, /must begin with http:\/\//],
    [{ redirect_uris: ['https:\\\\evil.example/'] }, /must begin with https:\/\//],
    ...[...'"<>\\^`{|}'].map((character): [object, RegExp] => [
      { redirect_uris: [`http://127.0.0.1:80${character}@evil.example/`] },
      /percent-encoded/,
    ]),
    [{ redirect_uris: ['ms-msdt:/id'] }, /scheme ms-msdt:/],
    [{ redirect_uris: ['ms-word://ofe'] }, /scheme ms-word:/],
    [{ redirect_uris: ['search-ms:query=x'] }, /scheme search-ms:/],
    [{ redirect_uris: ['Shell:startup'] }, /scheme shell:/],
    [{ redirect_uris: Array(21).fill('https://app.example/') }, /more than 20/],
    [{ redirect_uris: ['https://app.example/'], grant_types: ['client_credentials'] }, /grant_types/],
    [{ redirect_uris: ['https://app.example/'], x: 'x'.repeat(20_000) }, /./],
  ]
  for (const [metadata, message] of cases) {
    await t.rejects(register(metadata), { message }, JSON.stringify(metadata).slice(0, 80))
  }
})

t.test('a scheme is a reversed domain, or that of a known app', async (t) => {
  const { register } = await createScene(t)
  for (const uri of ['web+x:y', 'powershell:x', 'vscode://a/b', 'steam://x', 'x-apple:/', 'a.:/x']) {
    await t.rejects(register({ redirect_uris: [uri] }), { message: /is not allowed: use https/ }, uri)
  }
})

t.test('null and empty lists count as absent, and a long name is shortened', async (t) => {
  const { app } = await createScene(t)
  const send = async (metadata: object) => {
    const payload = { redirect_uris: ['com.example.app:/cb', 'cursor://app/cb'], ...metadata }
    return (await app.inject({ method: 'POST', url: '/oauth/register', payload })).json()
  }
  const nothing = { client_name: null, grant_types: null, response_types: [], scope: null, contacts: [] }
  t.match(await send(nothing), { client_id: String, client_name: String })
  t.equal((await send({ client_name: `${'x'.repeat(98)}👩‍👩‍👧 and more` })).client_name, `${'x'.repeat(98)}…`)
})

t.test('a name that people would not see is refused', async (t) => {
  const { register } = await createScene(t)
  const named = (client_name: string) => register({ redirect_uris: ['https://app.example/'], client_name })
  for (const name of ['\u3164', '\u2800', 'Claude\u3164', 'a\u115fb', '\ufe0f', '\u0301', 'a\u200bb']) {
    await t.rejects(named(name), { message: /client_name/ }, JSON.stringify(name))
  }
  for (const name of ['❤️ Posts', 'Zażółć', 'हिन्दी', '   ']) t.ok(await named(name), name)
})

t.test('registrations are limited for each network, where the proxy names it', async (t) => {
  const { app, register } = await createScene(t, { trustedProxies: ['127.0.0.1'] })
  for (let number = 0; number < 20; number++) await register()
  const payload = { redirect_uris: ['https://app.example/'] }
  const reply = await app.inject({ method: 'POST', url: '/oauth/register', payload })
  t.equal(reply.statusCode, 429)
  t.ok(Number(reply.headers['retry-after']) > 0)
  const behindProxy = await createScene(t)
  for (let number = 0; number < 21; number++) t.ok(await behindProxy.register(), 'all clients have one address')
})

t.test('a flood of registrations deletes the oldest unapproved client, and others can still register', async (t) => {
  const { app, db, user, register, begin, approve, connect } = await createScene(t)
  const { key } = await user()
  const { clientId: used } = await connect(key)
  const approved = await register()
  await approve(begin({ client_id: approved }).path, key)
  const oldest = await register()
  const client = await db.selectFrom('oauthClients').selectAll().where('id', '=', oldest).executeTakeFirstOrThrow()
  const flood = Array.from({ length: 999 }, (_, number) => ({
    ...client,
    id: `other ${number}`,
    expiresAt: new Date(Date.now() + 86_400_000 + number),
  }))
  await db.insertInto('oauthClients').values(flood).execute()
  const payload = { redirect_uris: ['https://app.example/'] }
  const reply = await app.inject({ method: 'POST', url: '/oauth/register', payload, remoteAddress: '192.0.2.1' })
  t.equal(reply.statusCode, 201)
  const rows = await db.selectFrom('oauthClients').select('id').execute()
  const ids = new Set(rows.map(({ id }) => id))
  const kept = [used, approved, reply.json().client_id, 'other 0', oldest].map((id) => ids.has(id))
  t.strictSame([...kept, ids.size], [true, true, true, true, false, 1_002])
})
