import t from 'tap'
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
} from '../helpers/scripted-bluesky.ts'

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

t.test('without a session, the act is unsent', async (t) => {
  const unreachable = { code: 'unreachable', maybeSent: false, retryable: true, needsAttention: false }
  const page = (status: number) => () => new Response('error code: 1020', { status })
  const redirect = (status: number) => () =>
    new Response(null, { status, headers: { location: 'https://elsewhere.example/abcd-efgh' } })
  const cases: [string, Responder, object][] = [
    ['503', refuse(503, 'UpstreamFailure'), { code: 'server_error', maybeSent: false, retryable: true }],
    ['a page', page(200), { code: 'unexpected_answer', maybeSent: false, retryable: true }],
    ...[401, 403, 408, 421, 425].map((status): [string, Responder, object] => [`${status}`, page(status), unreachable]),
    ['a temporary redirect', redirect(307), unreachable],
    ['a redirect', redirect(308), { code: 'unauthorized', maybeSent: false, needsAttention: true }],
  ]
  for (const [name, response, expected] of cases) {
    const failure = await attempt({ [METHODS.session]: response })
    t.has(failure, expected, name)
    t.notMatch(failure.message, 'abcd-efgh', name)
  }
  const giveUp = new AbortController()
  const { fetch } = scriptedBluesky({
    [METHODS.session]: ({ init }) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
        giveUp.abort()
      }),
  })
  const failure = await failureOf(send(act(), newCredentials(), io(fetch, { signal: giveUp.signal })))
  t.has(failure, { code: 'timeout', maybeSent: false, retryable: true }, 'no response before the signal aborts')
})

t.test('a 403 is of the server where it names an error', async (t) => {
  for (const method of [METHODS.session, METHODS.put]) {
    const gateway = () => Response.json({ message: 'Forbidden' }, { status: 403 })
    t.has(await attempt({ [method]: gateway }), { code: 'unreachable', needsAttention: false }, 'JSON without a name')
    t.has(await attempt({ [method]: refuse(403, 'Forbidden') }), { code: 'unauthorized', needsAttention: true })
  }
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
