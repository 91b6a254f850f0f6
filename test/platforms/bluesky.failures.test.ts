import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Act, PublishedFile } from '../../src/platforms/adapter.ts'
import { testAdapterContract } from '../helpers/adapter-contract.ts'
import {
  act,
  attempt,
  DID,
  failureOf,
  identify,
  io,
  METHODS,
  newCredentials,
  type Responder,
  refuse,
  scriptedBluesky,
  send,
  video,
} from '../helpers/scripted-bluesky.ts'
import { limitedByBluesky, startBluesky } from '../networks/fakes/bluesky.ts'

async function* cutOff() {
  yield Buffer.from('{"uri":"at:')
  throw new TypeError('terminated', { cause: Object.assign(new Error('closed'), { code: 'UND_ERR_SOCKET' }) })
}

t.test('a rate limit lasts as long as its headers say', async (t) => {
  const inOneMinute = String(Math.floor(Date.now() / 1000) + 60)
  for (const method of [METHODS.session, METHODS.put]) {
    const failure = await attempt({ [method]: refuse(429, 'RateLimitExceeded', { 'ratelimit-reset': inOneMinute }) })
    t.has(failure, { code: 'rate_limited', maybeSent: false, retryable: true, needsAttention: false })
    t.ok(failure.retryAfterMs! > 50_000 && failure.retryAfterMs! <= 60_000)
  }
  const both = { 'ratelimit-reset': inOneMinute, 'retry-after': '7' }
  t.equal((await attempt({ [METHODS.put]: refuse(429, 'RateLimitExceeded', both) })).retryAfterMs, 7000)
  t.equal((await attempt({ [METHODS.put]: refuse(429, 'RateLimitExceeded') })).retryAfterMs, undefined)
})

t.test('only a failure of the call that publishes leaves the outcome open', async (t) => {
  for (const status of [500, 502, 503, 504]) {
    const early = await attempt({ [METHODS.session]: refuse(status, 'UpstreamFailure') })
    t.has(early, { code: 'server_error', maybeSent: false, retryable: true })
    const late = await attempt({ [METHODS.put]: refuse(status, 'UpstreamFailure') })
    t.has(late, { code: 'server_error', maybeSent: true, retryable: true })
  }
  const page = () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
  t.has(await attempt({ [METHODS.session]: page }), { maybeSent: false, retryable: true })
  t.has(await attempt({ [METHODS.put]: page }), { maybeSent: true, retryable: true })

  const broken = (status: number) => () => new Response(ReadableStream.from(cutOff()), { status })
  t.has(await attempt({ [METHODS.put]: broken(200) }), { maybeSent: true, retryable: true })
  t.has(await attempt({ [METHODS.put]: broken(400) }), { code: 'content_refused', maybeSent: false })
})

t.test('an existing post whose record cannot be read leaves the outcome open', async (t) => {
  const failure = await attempt({
    [METHODS.put]: refuse(400, 'InvalidSwap'),
    [METHODS.get]: refuse(502, 'UpstreamFailure'),
  })
  t.has(failure, { code: 'server_error', maybeSent: true, retryable: true })
})

t.test('a post whose replies could not be limited may be out', async (t) => {
  const record = { uri: `at://${DID}/app.bsky.feed.post/3k`, cid: 'bafy' }
  const limited: Responder = ({ url, init }) =>
    String(init?.body).includes('threadgate')
      ? refuse(429, 'RateLimitExceeded', { 'retry-after': '7' })({ url, init })
      : Response.json(record)
  const failure = await attempt({ [METHODS.put]: limited }, { fields: { replyGate: 'nobody' } })
  t.has(failure, { code: 'rate_limited', maybeSent: true, retryable: true, retryAfterMs: 7000 })
})

t.test('a call without a response ends when its signal aborts', async (t) => {
  const hanging: Responder = ({ init }) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  for (const [method, maybeSent] of [
    [METHODS.session, false],
    [METHODS.put, true],
  ] as const) {
    const giveUp = new AbortController()
    const { fetch } = scriptedBluesky({
      [method]: (request) => {
        setImmediate(() => giveUp.abort())
        return hanging(request)
      },
    })
    const failure = await failureOf(send(act(), newCredentials(), io(fetch, { signal: giveUp.signal })))
    t.has(failure, { code: 'timeout', maybeSent, retryable: true })
  }

  const over = new AbortController()
  const intend = async () => over.abort()
  const { fetch } = scriptedBluesky({ [METHODS.put]: ({ init }) => Promise.reject(init?.signal?.reason) })
  const failure = await failureOf(send(act(), newCredentials(), io(fetch, { signal: over.signal, intend })))
  t.has(failure, { code: 'timeout', maybeSent: false }, 'aborted before the call')
})

t.test('a message of the server never reveals the password', async (t) => {
  const echo: Responder = ({ init }) =>
    Response.json({ error: 'AuthenticationRequired', message: String(init?.body) }, { status: 401 })
  const failure = await failureOf(identify(newCredentials(), io(scriptedBluesky({ [METHODS.session]: echo }).fetch)))
  t.has(failure, { code: 'unauthorized', needsAttention: true })
  t.notMatch(failure.message, 'abcd-efgh')
})

t.test('an empty password leaves the message of the server as it is', async (t) => {
  const { fetch } = scriptedBluesky({ [METHODS.session]: refuse(401, 'AuthenticationRequired') })
  const failure = await failureOf(identify({ ...newCredentials(), password: '' }, io(fetch)))
  t.equal(failure.message, 'pds.example: It is AuthenticationRequired')
})

t.test('credentials do not follow a redirect', async (t) => {
  const headers = { location: 'https://elsewhere.example/abcd-efgh' }
  const redirect =
    (status: number): Responder =>
    ({ init }) => {
      t.equal(init?.redirect, 'manual')
      return new Response(null, { status, headers })
    }
  for (const method of [METHODS.session, METHODS.put]) {
    t.has(await attempt({ [method]: redirect(308) }), {
      code: 'unauthorized',
      needsAttention: true,
      message: 'pds.example has moved to elsewhere.example: connect the account again, with its new address',
    })
    t.has(await attempt({ [method]: redirect(307) }), {
      code: 'unreachable',
      message: 'pds.example redirects temporarily to elsewhere.example, where nothing is sent',
      maybeSent: false,
      retryable: true,
      needsAttention: false,
    })
  }
})

t.test('a response of a proxy says nothing about the post or the account', async (t) => {
  for (const method of [METHODS.session, METHODS.put]) {
    for (const status of [401, 403, 408, 421, 425]) {
      const page = () => new Response('error code: 1020', { status })
      const expected = { code: 'unreachable', maybeSent: false, retryable: true, needsAttention: false }
      t.has(await attempt({ [method]: page }), expected, `${method} ${status}`)
    }
    const gateway = () => Response.json({ message: 'Forbidden' }, { status: 403 })
    t.has(await attempt({ [method]: gateway }), { code: 'unreachable', needsAttention: false }, 'JSON without a name')
    t.has(await attempt({ [method]: refuse(403, 'AccountTakedown') }), { code: 'unauthorized', needsAttention: true })
  }
})

t.test('a response without end is read up to 2 MB', async (t) => {
  let sent = 0
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += 100_000
          controller.enqueue(new Uint8Array(100_000).fill(32))
        },
      }),
    )
  t.has(await attempt({ [METHODS.session]: endless }), { maybeSent: false, retryable: true })
  t.ok(sent < 5_000_000)
})

t.test('an unreadable file and a server without a response have different errors', async (t) => {
  const service = createServer((request) => request.resume()).listen(0, '127.0.0.1')
  t.teardown(() => {
    service.closeAllConnections()
    service.close()
  })
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo
  const giveUp = new AbortController()
  const { fetch: faked } = scriptedBluesky({ [METHODS.blob]: ({ init }) => fetch(`http://127.0.0.1:${port}`, init) })
  const attemptWith = (open: PublishedFile['open']) => {
    const media = [video({ kind: 'image', mimeType: 'image/png', open })]
    return failureOf(send(act({ media }), newCredentials(), io(faked, { signal: giveUp.signal })))
  }
  const unreadable = { code: 'media_unreadable', maybeSent: false, retryable: true }
  const gone = () => Promise.reject(new Error('gone'))
  t.match(await attemptWith(gone), unreadable)
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('abc')
      throw new Error('broken')
    })(),
  )
  t.match(await attemptWith(async () => broken), unreadable)
  for (const bytes of ['abcde', 'abcdefg']) {
    t.match(
      await attemptWith(async () => Readable.from([Buffer.from(bytes)])),
      unreadable,
      `${bytes.length} of 6 bytes`,
    )
  }

  const stuck = new Readable({ read: () => giveUp.abort() })
  t.match(await attemptWith(async () => stuck), { code: 'timeout', maybeSent: false, retryable: true })
})

testAdapterContract(async (t) => {
  const bluesky = await startBluesky(t)
  const newAct = (options: Partial<Act> = {}) => act({ ...options, startedAt: new Date() })
  return {
    fake: bluesky,
    send: (io) => send(newAct(), bluesky.credentials, io),
    sendFile: (file, io) => send(newAct({ media: [file] }), bluesky.credentials, io),
    // RateLimit-Reset is in whole seconds.
    limited: limitedByBluesky,
    count: () => bluesky.posts.size,
    secret: bluesky.token,
    visible: 'POST /xrpc/com.atproto.repo.putRecord',
    // The second one with a new session.
    callsIfUnauthorized: 2,
  }
})
