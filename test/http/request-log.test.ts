import t from 'tap'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { createFetchFile } from '../../src/features/media/fetch.ts'
import { createWorld, type Options } from '../helpers/app.ts'
import type { Teardown } from '../helpers/database.ts'
import { jpeg, upload } from '../helpers/upload.ts'

/** The service, and its log lines at every level. */
async function createLoggedWorld(t: Teardown, options: Options = {}) {
  // biome-ignore lint/suspicious/noExplicitAny: lines have various fields
  const lines: any[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const world = await createWorld(t, { ...options, logger: { level: 'trace', stream } })
  /** The lines since the last call. */
  const takeLines = () => lines.splice(0)
  return { ...world, ada: await world.user('ada'), takeLines }
}

const UUID = /^[0-9a-f-]{36}$/

t.test(
  'the line of a request has its user, key, client address, error code, and the id of what it created',
  async (t) => {
    const { app, db, ada, user, takeLines } = await createLoggedWorld(t)
    const { id: keyId } = await db.selectFrom('apiKeys').select('id').executeTakeFirstOrThrow()
    const common = { level: 30, msg: 'request', ip: '127.0.0.1', reqId: UUID, ms: Number }
    const own = { ...common, userId: ada.id, keyId }
    const account = await ada.account()

    const { body: post } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'Hello' })
    t.match(takeLines(), [{ ...own, method: 'POST', url: '/api/v1/posts', status: 201, createdId: post.id }])
    const connect = () => ada.call('POST', '/accounts', { platform: 'sandbox', credentials: { username: 'ada' } })
    const { body: connected } = await connect()
    t.match(takeLines(), [{ ...own, url: '/api/v1/accounts', status: 201, createdId: connected.id }])
    const { body: file } = await upload(app, ada, [['file', await jpeg()]])
    t.match(takeLines().at(-1), { ...own, url: '/api/v1/media', status: 201, createdId: file.id })

    await connect()
    await ada.call('GET', `/posts/${post.id}`)
    await ada.call('GET', '/posts/1')
    await app.inject('/api/v1/posts')
    await app.inject('/nowhere')
    const lines = takeLines()
    t.match(lines, [
      { ...own, status: 200 },
      { ...own, url: `/api/v1/posts/${post.id}`, status: 200 },
      { ...own, status: 404, errorCode: 'post_not_found' },
      { ...common, status: 401, errorCode: 'missing_api_key' },
      { ...common, status: 404, errorCode: 'route_not_found' },
    ])
    t.notOk(lines.some((line) => 'createdId' in line))
    for (const line of lines.slice(3)) t.notOk('userId' in line || 'keyId' in line)

    const bob = await user('bob')
    const expired = db
      .updateTable('apiKeys')
      .set({ expiresAt: new Date(0) })
      .where('userId', '=', bob.id)
    const { id: expiredId } = await expired.returning('id').executeTakeFirstOrThrow()
    await bob.call('GET', '/posts')
    const [line] = takeLines()
    t.match(line, { status: 401, errorCode: 'expired_api_key', keyId: expiredId })
    t.notOk('userId' in line)
  },
)

t.test('a created id is logged once for requests that repeat an Idempotency-Key', async (t) => {
  const { app, ada, takeLines } = await createLoggedWorld(t)
  const request = {
    method: 'POST' as const,
    url: '/api/v1/posts',
    headers: { authorization: `Bearer ${ada.key}`, 'idempotency-key': 'order-4711' },
    payload: { accountIds: [await ada.account()], caption: 'Once' },
  }
  const first = await app.inject(request)
  t.strictSame((await app.inject(request)).body, first.body)
  const created = takeLines().map(({ status, createdId }) => [status, createdId])
  t.strictSame(created, [
    [201, first.json().id],
    [201, undefined],
  ])
})

t.test('probes are logged at the level debug', async (t) => {
  const { app, takeLines } = await createLoggedWorld(t)
  for (const url of ['/healthz', '/readyz', '/metrics']) {
    t.equal((await app.inject(url)).statusCode, 200)
    t.match(takeLines(), [{ level: 20, msg: 'request', url, status: 200 }])
  }
})

t.test('a host that does not exist is no error of the service, neither on connecting nor on importing', async (t) => {
  const client = createPublicClient({ resolve: async () => [] })
  const media = { fetchFile: createFetchFile(client) }
  const { ada, takeLines } = await createLoggedWorld(t, { fetch: client.fetch, media })
  const credentials = { instance: 'https://no-such-host.example', accessToken: 'a-token-of-ada' }
  t.equal((await ada.call('POST', '/accounts', { platform: 'mastodon', credentials })).status, 502)
  const [reason, request, ...others] = takeLines()
  t.match(reason, { level: 30, msg: 'another server failed', reason: /no-such-host\.example/ })
  t.match(request, { level: 30, msg: 'request', status: 502, errorCode: 'platform_unavailable', reqId: reason.reqId })
  t.strictSame(others, [])

  t.equal((await ada.call('POST', '/media/import', { url: 'https://no-such-host.example/a.png' })).status, 400)
  t.match(takeLines(), [{ level: 30, msg: 'request', status: 400, errorCode: 'url_not_public' }])
})

t.test('only a trusted proxy names the client and the request', async (t) => {
  const trustedProxies = ['10.0.0.7', '192.168.0.0/16', 'fd00::/8']
  const { app, takeLines } = await createLoggedWorld(t, { trustedProxies })
  const send = async (remoteAddress: string, headers: Record<string, string>) => {
    const { headers: received } = await app.inject({ url: '/api/v1/posts', remoteAddress, headers })
    const [{ ip, reqId }] = takeLines()
    t.equal(received['x-request-id'], reqId)
    return { ip, reqId: UUID.test(reqId) ? 'new' : reqId }
  }
  const proxied = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'Root=1-67891233:abc/def+0_.' }
  const believed = { ip: '203.0.113.9', reqId: proxied['x-request-id'] }
  for (const proxy of ['10.0.0.7', '192.168.3.4', 'fd12::1', '::ffff:10.0.0.7']) {
    t.strictSame(await send(proxy, proxied), believed, proxy)
  }
  for (const client of ['10.0.0.8', '127.0.0.1', '::1', '::ffff:10.0.0.8']) {
    t.strictSame(await send(client, proxied), { ip: client, reqId: 'new' }, client)
  }
  const chain = '198.51.100.1, 203.0.113.9, 192.168.0.1'
  t.equal((await send('10.0.0.7', { 'x-forwarded-for': chain })).ip, '203.0.113.9', 'the last one that is not trusted')
  t.equal((await send('10.0.0.7', { 'x-forwarded-for': 'pr_secret' })).ip, '10.0.0.7', 'a text that is no address')
  for (const id of ['', 'a b', 'a"b', 'a\u00e4', 'x'.repeat(129)]) {
    t.equal((await send('10.0.0.7', { 'x-request-id': id })).reqId, 'new', id)
  }
})

t.test('without TRUST_PROXY, nobody names the client or the request', async (t) => {
  const { app, takeLines } = await createLoggedWorld(t)
  const headers = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'chosen' }
  const { headers: received } = await app.inject({ url: '/api/v1/posts', remoteAddress: '127.0.0.1', headers })
  t.match(received['x-request-id'], UUID)
  t.match(takeLines(), [{ ip: '127.0.0.1', reqId: UUID }])
})
