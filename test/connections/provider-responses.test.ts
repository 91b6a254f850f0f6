import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createWorld } from '../helpers/app.ts'
import { type Consent, createBrowser, repeating } from '../helpers/connect-oauth.ts'
import { oauthNetwork } from '../helpers/scripted-oauth.ts'
import type { Reply } from '../networks/fakes/network.ts'
import { FIRST_PAGE_ID, startFakeOAuth } from '../networks/fakes/oauth.ts'
import { APP } from './scene.ts'

/** Opens the network's page, and follows its link `Allow`. */
const allow: Consent = async (url) => {
  const page = await (await fetch(url)).text()
  return new URL(/href="([^"]+)">Allow/.exec(page)![1]!.replaceAll('&amp;', '&'))
}

const RETURN_URL = 'https://app.example.com/accounts'

/** The service with a network that is another server. */
async function createProviderWorld(t: Test) {
  const network = await startFakeOAuth(t, APP)
  const log: string[] = []
  const world = await createWorld(t, {
    networks: { x: oauthNetwork(network.oauth) },
    oauthApps: { x: APP },
    returnUrls: [RETURN_URL],
    fetch: network.fetch,
    logger: { level: 'trace', stream: { write: (line: string) => void log.push(line) } },
  })
  const ada = repeating(await world.user())

  /** Opens the link of a new connection, and the network's page. */
  async function open() {
    const { body } = await ada.call('POST', '/connections', { platform: 'x', returnUrl: RETURN_URL })
    const browser = createBrowser(world.app)
    const { location } = await browser.get(body.url)
    return { id: body.id as string, browser, callback: await allow(new URL(location!)) }
  }

  /** Finishes the flow. Returns the connection, and the address to which the browser is sent. */
  async function finish({ id, browser, callback }: Awaited<ReturnType<typeof open>>) {
    const { location } = await browser.get(callback.href)
    return { ...(await ada.call('GET', `/connections/${id}`)).body, location }
  }

  return { ...world, network, log, open, finish, connect: async () => finish(await open()) }
}

/** A server of the private network. Returns its address, and the number of requests that it got. */
async function startPrivate(t: Test) {
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    response.end('{"access_token": "the-metadata-of-the-host", "token_type": "Bearer"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/meta-data`, requests: () => requests }
}

const html = '<!doctype html><title>the-access-token-of-the-fake the-code-1</title>'
const HTML: Reply = { status: 200, body: html, headers: { 'content-type': 'text/html' } }
const tokens = (access_token: unknown, others: object = {}) => ({
  status: 200,
  body: { access_token, token_type: 'Bearer', scope: 'write', ...others },
})

t.test('malformed, huge and hostile responses of a network end the connection, and store nothing', async (t) => {
  const { db, network, log, connect } = await createProviderWorld(t)
  const target = await startPrivate(t)
  const redirect = (status: number): Reply => ({ status, headers: { location: target.url } })
  const refusal = (error: unknown, error_description: unknown): Reply => ({
    status: 400,
    body: { error, error_description },
  })
  const cases: Record<string, [reply: Reply, code: string, onlyFor?: 'token']> = {
    'an HTML page': [HTML, 'invalid_response'],
    'an HTML page of a proxy': [{ ...HTML, status: 502 }, 'network_unavailable'],
    'an HTML page that refuses': [{ ...HTML, status: 403 }, 'network_unavailable'],
    'JSON that is cut off': [{ status: 200, body: '{"access_token": "the-access-' }, 'invalid_response'],
    'a huge body': [{ status: 200, body: JSON.stringify(tokens('a'.repeat(2 ** 21)).body) }, 'invalid_response'],
    'a deeply nested body': [{ status: 200, body: '['.repeat(100_000) + ']'.repeat(100_000) }, 'invalid_response'],
    'an array': [{ status: 200, body: [] }, 'invalid_response'],
    null: [{ status: 200, body: 'null' }, 'invalid_response'],
    'an empty body': [{ status: 204 }, 'invalid_response'],
    'a permanent redirect': [redirect(308), 'network_refused'],
    'a temporary redirect': [redirect(302), 'network_unavailable'],
    'a redirect after a POST': [redirect(303), 'network_unavailable'],
    'a token that is a number': [tokens(5), 'invalid_response', 'token'],
    'a token with NUL': [tokens('a\u0000b'), 'invalid_response', 'token'],
    'a token with a line break': [tokens('a\r\nx-forged: 1'), 'invalid_response', 'token'],
    'a refresh token with a line break': [tokens('a', { refresh_token: 'a\nb' }), 'invalid_response', 'token'],
    'a token of another type': [tokens('a', { token_type: 'mac' }), 'invalid_response', 'token'],
    'a lifetime that is a text': [tokens('a', { expires_in: 'soon' }), 'invalid_response', 'token'],
    'a lifetime that never ends': [
      { status: 200, body: '{"access_token":"a","expires_in":1e400}' },
      'invalid_response',
      'token',
    ],
    'a refusal that repeats the secret': [
      refusal('invalid_grant', `no ${APP.clientSecret}`),
      'network_refused',
      'token',
    ],
    'a refusal in control characters': [refusal('invalid_grant', '\u0000\u001b[31m'), 'network_refused', 'token'],
    'a refusal that is no text': [refusal({ a: 1 }, [1]), 'network_refused', 'token'],
  }
  const check = async (name: string, code: string) => {
    const { state, error, accounts, location, id } = await connect()
    t.strictSame([state, error?.code, accounts], ['failed', code, []], `${name}: ${error?.message}`)
    t.notMatch(error?.message, /the-access|the-secret|the-code|meta-data|<|\p{Cc}/u, name)
    t.equal(location, `${RETURN_URL}?connection=${id}&state=failed`, name)
  }
  for (const [name, [reply, code]] of Object.entries(cases)) {
    network.tokenReply = reply
    await check(name, code)
  }
  network.tokenReply = undefined
  for (const [name, [reply, code, onlyFor]] of Object.entries(cases)) {
    if (onlyFor) continue
    network.pagesReply = reply
    await check(`${name} in place of the accounts`, code)
  }
  t.equal(target.requests(), 0, 'no redirect is followed')
  const stored = [db.selectFrom('accounts').selectAll(), db.selectFrom('accountCredentials').selectAll()] as const
  t.strictSame([await stored[0].execute(), await stored[1].execute()], [[], []])
  const open = await db.selectFrom('connections').select('data').where('data', 'is not', null).execute()
  t.strictSame(open, [], 'the secrets of the flows are gone')
  t.notMatch(log.join(''), /the-access-token|the-secret-of-the-app|the-code-|meta-data|x-forged/)
})

t.test('ids above 2^53 are stored exactly', async (t) => {
  const { network, db, connect } = await createProviderWorld(t)
  network.pages = ['lighthouses', 'harbours']
  const { choices } = await connect()
  t.strictSame(
    choices.map(({ id }: { id: string }) => id),
    [`${FIRST_PAGE_ID}`, `${FIRST_PAGE_ID + 1n}`],
  )
  network.pages = ['lighthouses']
  const { state, accounts } = await connect()
  t.equal(state, 'connected')
  t.hasStrict(accounts, [{ username: 'lighthouses', scopes: ['write'] }])
  t.strictSame(await db.selectFrom('accounts').select('externalId').execute(), [{ externalId: `${FIRST_PAGE_ID}` }])
})

t.test('a code of another connection connects nothing', async (t) => {
  const { open, finish, db } = await createProviderWorld(t)
  const [own, other] = [await open(), await open()]
  own.callback.searchParams.set('code', other.callback.searchParams.get('code')!)
  const { state, error } = await finish(own)
  t.strictSame([state, error], ['failed', { code: 'network_refused', message: 'x: network.example: invalid_grant' }])
  t.strictSame(await db.selectFrom('accounts').selectAll().execute(), [])
  t.equal((await finish(other)).error?.code, 'network_refused', 'the network has seen the code, and takes it once')
})
