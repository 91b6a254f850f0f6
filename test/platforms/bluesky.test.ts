import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { AppBskyEmbedGallery, jsonToLex } from '@atproto/api'
import t from 'tap'
import type { Act, Credentials, Io, PublishedFile } from '../../src/platforms/adapter.ts'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'
import { recordKey } from '../../src/platforms/bluesky/record.ts'
import { PublishError } from '../../src/platforms/publish-error.ts'
import { actOf, type ContractIo, clientOf } from '../helpers/adapter-calls.ts'
import { testAdapterContract } from '../helpers/adapter-contract.ts'
import { limitedByBluesky, startBluesky } from '../helpers/fake-bluesky.ts'

/** What a PDS cannot be brought to do; the rest is tested on a real one, in test/networks/bluesky.test.ts. */
const { identify, send } = clientOf(blueskyAdapter)

const DID = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const SERVER = 'https://pds.example'
const METHODS = {
  session: 'com.atproto.server.createSession',
  put: 'com.atproto.repo.putRecord',
  get: 'com.atproto.repo.getRecord',
  blob: 'com.atproto.repo.uploadBlob',
  resolve: 'com.atproto.identity.resolveHandle',
  delegate: 'com.atproto.server.getServiceAuth',
  uploadVideo: 'app.bsky.video.uploadVideo',
  jobStatus: 'app.bsky.video.getJobStatus',
}

type Answer = (request: { url: URL; init: RequestInit | undefined }) => Response | Promise<Response>

interface Call {
  origin: string
  method: string
  params: Record<string, string>
  authorization: string | null
  /** What was sent as JSON. */
  json: { record: Record<string, unknown> } & Record<string, unknown>
}

/** A network that signs everybody in and takes every record, but for what `answers` says about a method. */
function fake(answers: Record<string, Answer>) {
  const calls: Call[] = []
  const usual: Record<string, Answer> = {
    [METHODS.session]: () => Response.json({ did: DID, handle: 'alice.example', accessJwt: 'the session' }),
    [METHODS.put]: () => Response.json({ uri: `at://${DID}/app.bsky.feed.post/3k`, cid: 'bafy' }),
    [METHODS.delegate]: () => Response.json({ token: 'the delegate' }),
  }
  const fetch: Io['fetch'] = async (input, init) => {
    const url = new URL(String(input))
    const method = url.pathname.replace('/xrpc/', '')
    calls.push({
      origin: url.origin,
      method,
      params: Object.fromEntries(url.searchParams),
      authorization: new Headers(init?.headers).get('authorization'),
      json: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
    })
    return { ...usual, ...answers }[method]!({ url, init })
  }
  const only = (method: string) => {
    const found = calls.filter((call) => call.method === method)
    if (found.length !== 1) throw new Error(`${method} was called ${found.length} times`)
    return found[0]!
  }
  return { fetch, calls, only }
}

const signal = new AbortController().signal

/** Of an account of their own, whose session nobody has. */
const newCredentials = (): Credentials => ({ service: SERVER, identifier: randomUUID(), password: 'abcd-efgh' })

const act = (options: Partial<Act> = {}): Act => actOf({ text: 'Hello', token: randomUUID(), ...options })

const io = (fetch: Io['fetch'], options: Partial<ContractIo> = {}): ContractIo => ({ fetch, signal, ...options })

const video = (options: Partial<PublishedFile> = {}): PublishedFile => ({
  id: 'f00d',
  kind: 'video',
  mimeType: 'video/mp4',
  bytes: 6,
  width: 4,
  height: 3,
  durationSeconds: 1,
  altText: 'Bars',
  open: async () => Readable.from([Buffer.from('abc'), Buffer.from('def')]),
  ...options,
})

async function failureOf(work: Promise<unknown>): Promise<PublishError> {
  try {
    await work
  } catch (error) {
    if (error instanceof PublishError) return error
    throw error
  }
  throw new Error('it did not fail')
}

const attempt = (answers: Record<string, Answer>, options: Partial<Act> = {}) =>
  failureOf(send(act(options), newCredentials(), io(fake(answers).fetch)))

const refuse =
  (status: number, error: string, headers: Record<string, string> = {}): Answer =>
  () =>
    Response.json({ error, message: `It is ${error}` }, { status, headers })

async function* cutOff() {
  yield Buffer.from('{"uri":"at:')
  throw new TypeError('terminated', { cause: Object.assign(new Error('closed'), { code: 'UND_ERR_SOCKET' }) })
}

t.test('a limit is kept for as long as the network says', async (t) => {
  const inOneMinute = String(Math.floor(Date.now() / 1000) + 60)
  for (const method of [METHODS.session, METHODS.put]) {
    const failure = await attempt({ [method]: refuse(429, 'RateLimitExceeded', { 'ratelimit-reset': inOneMinute }) })
    t.match(failure, { code: 'rate_limited', maybeSent: false, retryable: true, needsAttention: false })
    t.ok(failure.retryAfterMs! > 50_000 && failure.retryAfterMs! <= 60_000)
  }
  const both = { 'ratelimit-reset': inOneMinute, 'retry-after': '7' }
  t.equal((await attempt({ [METHODS.put]: refuse(429, 'RateLimitExceeded', both) })).retryAfterMs, 7000)
  t.equal((await attempt({ [METHODS.put]: refuse(429, 'RateLimitExceeded') })).retryAfterMs, undefined)
})

t.test('only a failure of the call that publishes leaves open whether it did', async (t) => {
  for (const status of [500, 502, 503, 504]) {
    const early = await attempt({ [METHODS.session]: refuse(status, 'UpstreamFailure') })
    t.match(early, { code: 'server_error', maybeSent: false, retryable: true })
    const late = await attempt({ [METHODS.put]: refuse(status, 'UpstreamFailure') })
    t.match(late, { code: 'server_error', maybeSent: true, retryable: true })
  }
  const page = () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
  t.match(await attempt({ [METHODS.session]: page }), { maybeSent: false, retryable: true })
  t.match(await attempt({ [METHODS.put]: page }), { maybeSent: true, retryable: true })

  const broken = (status: number) => () => new Response(ReadableStream.from(cutOff()), { status })
  t.match(await attempt({ [METHODS.put]: broken(200) }), { maybeSent: true, retryable: true })
  t.match(await attempt({ [METHODS.put]: broken(400) }), { code: 'content_refused', maybeSent: false })
})

t.test('a post that stands there already is never told to be absent', async (t) => {
  const failure = await attempt({
    [METHODS.put]: refuse(400, 'InvalidSwap'),
    [METHODS.get]: refuse(502, 'UpstreamFailure'),
  })
  t.match(failure, { code: 'server_error', maybeSent: true, retryable: true })
})

t.test('a post whose replies could not be limited is out all the same', async (t) => {
  const record = { uri: `at://${DID}/app.bsky.feed.post/3k`, cid: 'bafy' }
  const limited: Answer = ({ url, init }) =>
    String(init?.body).includes('threadgate')
      ? refuse(429, 'RateLimitExceeded', { 'retry-after': '7' })({ url, init })
      : Response.json(record)
  const failure = await attempt({ [METHODS.put]: limited }, { fields: { replyGate: 'nobody' } })
  t.match(failure, { code: 'rate_limited', maybeSent: true, retryable: true, retryAfterMs: 7000 })
})

t.test('a network that hangs is left when the time is over', async (t) => {
  const hanging: Answer = ({ init }) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  for (const [method, maybeSent] of [
    [METHODS.session, false],
    [METHODS.put, true],
  ] as const) {
    const giveUp = new AbortController()
    const { fetch } = fake({
      [method]: (request) => {
        setImmediate(() => giveUp.abort())
        return hanging(request)
      },
    })
    const failure = await failureOf(send(act(), newCredentials(), io(fetch, { signal: giveUp.signal })))
    t.match(failure, { code: 'timeout', maybeSent, retryable: true })
  }

  const over = new AbortController()
  const intend = async () => over.abort()
  const { fetch } = fake({ [METHODS.put]: ({ init }) => Promise.reject(init?.signal?.reason) })
  const failure = await failureOf(send(act(), newCredentials(), io(fetch, { signal: over.signal, intend })))
  t.match(failure, { code: 'timeout', maybeSent: false }, 'given up before the call')
})

t.test('the server that keeps the account is the one that gets its posts', async (t) => {
  const didDoc = { service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: SERVER }] }
  const session = { did: DID, handle: 'alice.example', accessJwt: 'the session', didDoc }
  const network = fake({ [METHODS.session]: () => Response.json(session) })
  const { identifier, password } = newCredentials()
  const sent = await send(act(), { identifier: identifier!, password: password! }, io(network.fetch))
  t.equal(network.only(METHODS.session).origin, 'https://bsky.social')
  t.match(network.only(METHODS.put), { origin: SERVER, authorization: 'Bearer the session' })
  t.same(sent, { id: `at://${DID}/app.bsky.feed.post/3k`, ref: 'bafy', url: `https://bsky.app/profile/${DID}/post/3k` })
})

t.test('a mention that cannot be resolved now waits for some minutes; one of nobody is text', async (t) => {
  const text = 'Hello @bob.example.com'
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const now: Answer[] = [refuse(502, 'UpstreamFailure'), refuse(404, 'NotFound'), () => Response.json({ did: 'bob' })]
  for (const answer of now) {
    const answers = { [METHODS.resolve]: answer }
    const failure = await attempt(answers, { text, startedAt: minutesAgo(4) })
    t.match(failure, { maybeSent: false, retryable: true, needsAttention: false })
    const network = fake(answers)
    await send(act({ text, startedAt: minutesAgo(6) }), newCredentials(), io(network.fetch))
    t.equal(network.only(METHODS.put).json.record.facets, undefined, 'then it goes out without')
  }
  for (const answer of [refuse(429, 'RateLimitExceeded'), refuse(401, 'AuthMissing')]) {
    const failure = await attempt({ [METHODS.resolve]: answer }, { text, startedAt: minutesAgo(6) })
    t.match(
      failure,
      { code: /rate_limited|unauthorized/, maybeSent: false },
      'what is wrong with more than the mention',
    )
  }
  const never = [refuse(400, 'HandleNotFound'), refuse(400, 'InvalidRequest'), refuse(400, 'InvalidHandle')]
  for (const answer of never) {
    const network = fake({ [METHODS.resolve]: answer })
    await send(act({ text }), newCredentials(), io(network.fetch))
    t.equal(network.only(METHODS.put).json.record.facets, undefined)
  }
})

t.test('a post that stands there already keeps its mentions, whatever another attempt knows of them', async (t) => {
  const existing = { uri: `at://${DID}/app.bsky.feed.post/3k`, cid: 'bafyfirst' }
  const network = fake({
    [METHODS.resolve]: refuse(502, 'UpstreamFailure'),
    [METHODS.put]: refuse(400, 'InvalidSwap'),
    [METHODS.get]: () => Response.json({ ...existing, value: {} }),
  })
  const late = act({ text: 'Hello @bob.example.com', startedAt: new Date(Date.now() - 600_000) })
  t.match(await send(late, newCredentials(), io(network.fetch)), { id: existing.uri, ref: existing.cid })
  t.equal(network.only(METHODS.put).json.swapRecord, null, 'nothing is put in place of it')
})

t.test('a picture of unknown size has a place in a gallery', async (t) => {
  const blob = {
    $type: 'blob',
    ref: { $link: 'bafkreibme22gw2h7y2h7tg2fhqotaqjucnbc24deqo72b6mkl2egezxhvy' },
    mimeType: 'image/png',
    size: 6,
  }
  const network = fake({ [METHODS.blob]: () => Response.json({ blob }) })
  const image = (options: Partial<PublishedFile>) => video({ kind: 'image', mimeType: 'image/png', ...options })
  const media = [image({ width: null, height: null }), ...Array(4).fill(image({}))]
  await send(act({ media }), newCredentials(), io(network.fetch))
  const { embed } = network.only(METHODS.put).json.record as { embed: { items: object[] } }
  t.match(embed.items, [{ aspectRatio: { width: 1, height: 1 } }, { aspectRatio: { width: 4, height: 3 } }])
  const { success } = AppBskyEmbedGallery.validateMain(jsonToLex(embed))
  t.ok(success, 'as the lexicon has it')
})

t.test('what looks like a link and is none is text', async (t) => {
  const network = fake({})
  await send(act({ text: 'https:///a https://? example.org' }), newCredentials(), io(network.fetch))
  const facets = { length: 1, 0: { features: [{ uri: 'https://example.org' }] } }
  t.match(network.only(METHODS.put).json.record, { facets })
})

t.test('what a server repeats of the credentials is not told', async (t) => {
  const echo: Answer = ({ init }) =>
    Response.json({ error: 'AuthenticationRequired', message: String(init?.body) }, { status: 401 })
  const failure = await failureOf(identify(newCredentials(), io(fake({ [METHODS.session]: echo }).fetch)))
  t.match(failure, { code: 'unauthorized', needsAttention: true })
  t.notMatch(failure.message, 'abcd-efgh')
})

t.test('credentials are not carried to where a server redirects', async (t) => {
  const headers = { location: 'https://elsewhere.example/abcd-efgh' }
  const redirect =
    (status: number): Answer =>
    ({ init }) => {
      t.equal(init?.redirect, 'manual')
      return new Response(null, { status, headers })
    }
  for (const method of [METHODS.session, METHODS.put]) {
    t.match(await attempt({ [method]: redirect(308) }), {
      code: 'unauthorized',
      needsAttention: true,
      message: 'pds.example has moved to elsewhere.example: connect the account again, with its new address',
    })
    t.match(await attempt({ [method]: redirect(307) }), {
      code: 'unreachable',
      message: 'pds.example redirects temporarily to elsewhere.example, where nothing is sent',
      maybeSent: false,
      retryable: true,
      needsAttention: false,
    })
  }
})

t.test('what is in front of a server says nothing about the post or the account', async (t) => {
  for (const method of [METHODS.session, METHODS.put]) {
    for (const status of [401, 403, 408, 421, 425]) {
      const page = () => new Response('error code: 1020', { status })
      const expected = { code: 'unreachable', maybeSent: false, retryable: true, needsAttention: false }
      t.match(await attempt({ [method]: page }), expected, `${method} ${status}`)
    }
    const gateway = () => Response.json({ message: 'Forbidden' }, { status: 403 })
    t.match(await attempt({ [method]: gateway }), { code: 'unreachable', needsAttention: false }, 'JSON without a name')
    t.match(await attempt({ [method]: refuse(403, 'AccountTakedown') }), { code: 'unauthorized', needsAttention: true })
  }
})

t.test('an answer without end is not read to its end', async (t) => {
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
  t.match(await attempt({ [METHODS.session]: endless }), { maybeSent: false, retryable: true })
  t.ok(sent < 5_000_000)
})

t.test('a video goes through the video service, with its length and in the name of the account', async (t) => {
  const received: { length: string | undefined; type: string | undefined; body: string }[] = []
  const service = createServer(async (request, response) => {
    const { 'content-length': length, 'content-type': type } = request.headers
    received.push({ length, type, body: (await buffer(request)).toString() })
    response.end(JSON.stringify({ jobId: 'j1', did: DID, state: 'JOB_STATE_CREATED' }))
  }).listen(0, '127.0.0.1')
  t.teardown(() => service.close())
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo

  const blob = { $type: 'blob', ref: { $link: 'bafk' }, mimeType: 'video/mp4', size: 5 }
  const network = fake({
    [METHODS.uploadVideo]: ({ url, init }) => fetch(`http://127.0.0.1:${port}${url.pathname}`, init),
    [METHODS.jobStatus]: () =>
      Response.json({ jobStatus: { jobId: 'j1', did: DID, state: 'JOB_STATE_COMPLETED', blob } }),
  })
  await send(act({ media: [video()] }), newCredentials(), io(network.fetch))
  t.same(received, [{ length: '6', type: 'video/mp4', body: 'abcdef' }])
  t.match(network.only(METHODS.delegate).params, { aud: 'did:web:pds.example', lxm: METHODS.blob })
  t.match(network.only(METHODS.uploadVideo), {
    origin: 'https://video.bsky.app',
    params: { did: DID, name: 'f00d.mp4' },
    authorization: 'Bearer the delegate',
  })
  t.same(network.only(METHODS.jobStatus).params, { jobId: 'j1' })
  t.same(network.only(METHODS.put).json.record.embed, {
    $type: 'app.bsky.embed.video',
    video: blob,
    alt: 'Bars',
    aspectRatio: { width: 4, height: 3 },
  })
})

t.test('a video that the service has had before is taken from there; a GIF is shown as one', async (t) => {
  const blob = { $type: 'blob', ref: { $link: 'bafk' }, mimeType: 'video/mp4', size: 5 }
  const network = fake({
    [METHODS.uploadVideo]: () =>
      Response.json({ jobId: 'j1', error: 'already_exists', state: 'JOB_STATE_COMPLETED' }, { status: 409 }),
    [METHODS.jobStatus]: () =>
      Response.json({ jobStatus: { jobId: 'j1', state: 'JOB_STATE_FAILED', error: 'already_exists', blob } }),
  })
  const gif = video({ kind: 'gif', mimeType: 'image/gif' })
  await send(act({ media: [gif] }), newCredentials(), io(network.fetch))
  t.match(network.only(METHODS.put).json.record.embed, { video: blob, presentation: 'gif' })
})

t.test('a video that is being processed is looked at every second, and uploaded once', async (t) => {
  let looks = 0
  const network = fake({
    [METHODS.uploadVideo]: () => Response.json({ jobId: 'j1', state: 'JOB_STATE_CREATED' }),
    [METHODS.jobStatus]: () => {
      const isDone = ++looks === 4
      const job = isDone ? { state: 'JOB_STATE_COMPLETED', blob: { $type: 'blob' } } : { state: 'JOB_STATE_ENCODING' }
      return Response.json({ jobStatus: { jobId: 'j1', ...job } })
    },
  })
  const pauses: number[] = []
  const pause = (ms: number) => pauses.push(ms)
  await send(act({ media: [video()] }), newCredentials(), io(network.fetch, { pause }))
  t.same(pauses, [1_000, 1_000, 1_000, 1_000])
  t.equal(looks, 4)
  network.only(METHODS.uploadVideo)
})

t.test('a prepared record is written as it is by a later attempt, and prepared again after half an hour', async (t) => {
  const network = fake({})
  const credentials = newCredentials()
  const post = act({ text: 'Hello' })
  const through = { ...io(network.fetch), credentials }
  const first = await blueskyAdapter.prepare(post, through, null)
  if (!('ready' in first)) throw new Error('a text is ready immediately')
  t.same(await blueskyAdapter.prepare(post, through, first.ready), first)
  const old = { ...first.ready, preparedAt: Date.now() - 1_800_001 }
  const again = await blueskyAdapter.prepare(post, through, old)
  t.not(('ready' in again && again.ready.preparedAt) || 0, old.preparedAt)
})

t.test('a video that fails is the fault of the file or of the service', async (t) => {
  const failing = (failureCode: string) => ({
    [METHODS.uploadVideo]: () => Response.json({ jobId: 'j1', state: 'JOB_STATE_CREATED' }),
    [METHODS.jobStatus]: () =>
      Response.json({ jobStatus: { jobId: 'j1', state: 'JOB_STATE_FAILED', failureCode, message: 'Too odd' } }),
  })
  const media = [video()]
  t.match(await attempt(failing('validation_failure'), { media }), {
    code: 'content_refused',
    message: 'video.bsky.app: Too odd',
    maybeSent: false,
    retryable: false,
  })
})

t.test('a video is uploaded again after a failure of the service, five times at most', async (t) => {
  const blob = { $type: 'blob', ref: { $link: 'bafk' }, mimeType: 'video/mp4', size: 5 }
  for (const failureCode of ['generic_failure', 'pds_upload_failure']) {
    for (const failures of [1, 4, 5]) {
      let uploads = 0
      const network = fake({
        [METHODS.uploadVideo]: () => Response.json({ jobId: `j${++uploads}`, state: 'JOB_STATE_CREATED' }),
        [METHODS.jobStatus]: ({ url }) => {
          const jobId = url.searchParams.get('jobId')
          const hasFailed = Number(jobId?.slice(1)) <= failures
          const failed = { state: 'JOB_STATE_FAILED', failureCode, message: 'Try again' }
          const jobStatus = { jobId, ...(hasFailed ? failed : { state: 'JOB_STATE_COMPLETED', blob }) }
          return Response.json({ jobStatus })
        },
      })
      const pauses: number[] = []
      const sent = send(
        act({ media: [video()] }),
        newCredentials(),
        io(network.fetch, { pause: (ms) => pauses.push(ms) }),
      )
      if (failures < 5) {
        await sent
        t.equal(uploads, failures + 1)
        t.match(network.only(METHODS.put).json.record.embed, { video: blob })
      } else {
        const error = await failureOf(sent)
        t.match(error, { code: 'server_error', maybeSent: false, retryable: false })
        t.equal(error.message, 'video.bsky.app: Try again (5 uploads failed: retry later)')
        t.equal(uploads, 5)
      }
      const longer = [30_000, 60_000, 120_000, 240_000].slice(0, failures)
      t.same(
        pauses.filter((ms) => ms > 1_000),
        longer,
      )
    }
  }
})

t.test('nothing is uploaded while a mention cannot be resolved', async (t) => {
  const network = fake({ [METHODS.resolve]: refuse(502, 'UpstreamFailure') })
  const media = [video({ kind: 'image', mimeType: 'image/png' })]
  const failure = await failureOf(
    send(act({ text: 'Hello @bob.example.com', media }), newCredentials(), io(network.fetch)),
  )
  t.match(failure, { code: 'server_error', maybeSent: false, retryable: true })
  t.same(
    network.calls.map(({ method }) => method),
    [METHODS.session, METHODS.resolve],
  )
})

t.test('mentions are resolved once, also where a video has to be waited for', async (t) => {
  const facet = {
    index: { byteStart: 6, byteEnd: 22 },
    features: [{ $type: 'app.bsky.richtext.facet#mention', did: DID }],
  }
  let looks = 0
  const network = fake({
    [METHODS.resolve]: () => Response.json({ did: DID }),
    [METHODS.uploadVideo]: () => Response.json({ jobId: 'j1', state: 'JOB_STATE_CREATED' }),
    [METHODS.jobStatus]: () =>
      Response.json({ jobStatus: { jobId: 'j1', ...(++looks === 3 && { blob: { $type: 'blob' } }) } }),
  })
  await send(act({ text: 'Hello @bob.example.com', media: [video()] }), newCredentials(), io(network.fetch))
  t.ok(network.only(METHODS.resolve))
  t.match(network.only(METHODS.put).json.record.facets, [facet])
})

t.test(
  'a file that cannot be read is no failure of the network, and a network that hangs none of the file',
  async (t) => {
    const service = createServer((request) => request.resume()).listen(0, '127.0.0.1')
    t.teardown(() => {
      service.closeAllConnections()
      service.close()
    })
    await once(service, 'listening')
    const { port } = service.address() as AddressInfo
    const giveUp = new AbortController()
    const { fetch: faked } = fake({ [METHODS.blob]: ({ init }) => fetch(`http://127.0.0.1:${port}`, init) })
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
  },
)

t.test('media and a link card are not both shown', async (t) => {
  const failure = await attempt({}, { media: [video()], fields: { linkCard: 'https://example.com' } })
  t.match(failure, { code: 'content_refused', maybeSent: false })
})

t.test('a key is a TID of the moment, the same for each attempt and of no other act', async (t) => {
  const startedAt = new Date('2026-03-01T12:00:00.123Z')
  const keys = Array.from({ length: 100 }, (_, index) => recordKey({ startedAt, token: `token ${index}` }))
  t.equal(recordKey({ startedAt: new Date(startedAt), token: 'token 0' }), keys[0])
  t.equal(new Set(keys).size, 100)

  // https://atproto.com/specs/tid
  const letters = '234567abcdefghijklmnopqrstuvwxyz'
  t.ok(keys.every((key) => /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/.test(key)))
  const milliseconds = keys.map((key) => {
    const bits = [...key].reduce((sum, letter) => sum * 32n + BigInt(letters.indexOf(letter)), 0n)
    return Number((bits >> 10n) / 1000n)
  })
  t.ok(milliseconds.every((moment) => moment === startedAt.getTime()))

  const later = recordKey({ startedAt: new Date(startedAt.getTime() + 1), token: 'token 0' })
  t.ok(keys.every((key) => key < later))
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
