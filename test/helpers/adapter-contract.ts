import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Act, Adapter, Credentials, Io, Json, PublishedFile, Sent } from '../../src/platforms/adapter.ts'
import { PublishError } from '../../src/platforms/publish-error.ts'
import type { Teardown } from './database.ts'
import { broken, type FakeNetwork, type Fault, type Reply, reset } from './fake-network.ts'

export const TOKEN = '0b0e7c4e-6d0f-4b6d-9a53-1f6a2e0f9c11'

/** A post with a text, and whatever is said otherwise. */
export function actOf(act: Partial<Act> = {}): Act {
  return {
    accountId: '01920000-0000-7000-8000-00000000000a',
    kind: 'post',
    text: 'A lighthouse at dusk',
    media: [],
    fields: {},
    parent: null,
    root: null,
    token: TOKEN,
    startedAt: new Date(),
    ...act,
  }
}

/** A file that holds the words `content`. */
export function fileOf(
  mimeType: string,
  { content = 'bytes', ...file }: Partial<PublishedFile> & { content?: string } = {},
): PublishedFile {
  const kind = mimeType === 'image/gif' ? 'gif' : mimeType.startsWith('video/') ? 'video' : 'image'
  return {
    id: '01920000-0000-7000-8000-000000000001',
    kind,
    mimeType,
    bytes: Buffer.byteLength(content),
    width: 640,
    height: 480,
    durationSeconds: kind === 'video' ? 4.6 : null,
    altText: null,
    open: async () => Readable.from([Buffer.from(content)]),
    ...file,
  }
}

/** Where a test looks into an attempt. */
interface CallOptions {
  /** Called where the engine commits the intent. */
  intend?: () => Promise<void>
  /** Called for each time that `prepare` asks to come back later. */
  pause?: (ms: number) => unknown
}

/** Carries an act out as the engine does: prepares until it is ready, commits the intent, publishes. */
export async function carryOut<P extends Json>(
  adapter: Adapter<P>,
  act: Act,
  io: Io & Pick<CallOptions, 'intend' | 'pause'>,
): Promise<Sent> {
  let saved: P | null = null
  for (;;) {
    const prepared: Awaited<ReturnType<Adapter<P>['prepare']>> = await adapter.prepare(act, io, saved)
    if ('later' in prepared) {
      saved = JSON.parse(JSON.stringify(prepared.later.state))
      await io.pause?.(prepared.later.afterMs)
      continue
    }
    await io.intend?.()
    const sent = await adapter.publish(act, io, JSON.parse(JSON.stringify(prepared.ready)))
    if ('processing' in sent) throw new Error('The network is still working on it')
    return sent
  }
}

export type ContractIo = Omit<Io, 'credentials'> & Pick<CallOptions, 'intend' | 'pause'>

/** A way to the fake network, which logs the intent. */
export const ioOf = (fake: FakeNetwork, options: Partial<ContractIo> = {}): ContractIo => ({
  fetch: fake.fetch,
  signal: new AbortController().signal,
  intend: async () => {
    fake.log.push('intend')
  },
  ...options,
})

/** The methods of an adapter, called with credentials and the way to a fake network. */
export function clientOf<P extends Json>(adapter: Adapter<P>) {
  return {
    identify: (credentials: Credentials, io: Omit<Io, 'credentials'>) => adapter.identify({ ...io, credentials }),
    send: (act: Act, credentials: Credentials, io: ContractIo) => carryOut(adapter, act, { ...io, credentials }),
    reconcile: (act: Act, credentials: Credentials, io: Omit<Io, 'credentials'>, ready: unknown = null) =>
      adapter.reconcile!(act, { ...io, credentials }, ready as P),
  }
}

/** What a promise is rejected with, which has to be a PublishError. */
export async function rejection(promise: Promise<unknown>): Promise<PublishError> {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof PublishError)) throw new Error(`Not a PublishError: ${error}`)
  return error
}

interface Sender {
  fake: FakeNetwork
  /** Sends a text. */
  send(io: ContractIo): Promise<Sent>
  /** Sends a text with a file. */
  sendFile(file: PublishedFile, io: ContractIo): Promise<Sent>
  /** What the network answers to who has called too often, and may do so again after so many seconds. */
  limited(seconds: number): Reply
  /** How many acts are visible. */
  count(): number
  /** What no error may tell. */
  secret: string
  /** The name of the call that becomes visible. */
  visible: string
}

const ending = (instead: Fault['instead'], after = false) => ({ instead, after })
const page = { status: 502, body: '<html><h1>502 Bad Gateway</h1></html>', headers: { 'content-type': 'text/html' } }

/** No such name, no name server, no way, nobody there, and somebody else: what Node says where nothing was sent. */
const NEVER_CONNECTED = [
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]

/** What every network would take for a success, were it not for 2 MB. */
const endless = { id: '1', ok: true, result: { message_id: 1 }, padding: '1'.repeat(2_000_000) }

/** What every network has to make of a way that fails. */
export function testAdapterContract(start: (t: Teardown) => Promise<Sender>): void {
  t.test('an answer that is lost after intend() leaves it open whether the act is there', async (t) => {
    const network = await start(t)
    const { fake, visible } = network
    const cases: [string, Omit<Fault, 'on'>, string, number][] = [
      ['500 before', ending({ status: 500 }), 'server_error', 0],
      ['500 after', ending({ status: 500, body: {} }, true), 'server_error', 1],
      ['the page of a proxy', ending(page), 'server_error', 0],
      ['reset before', ending(reset), 'disconnected', 0],
      ['reset after', ending(reset, true), 'disconnected', 1],
      ['a 200 without an id', ending({ status: 200, body: {} }, true), 'unexpected_answer', 1],
      ['a 200 that is no JSON', ending({ status: 200, body: '<html>' }, true), 'unexpected_answer', 1],
      ['a 200 of null', ending({ status: 200, body: 'null' }, true), 'unexpected_answer', 1],
      ['half of a 200', ending(broken(200), true), 'disconnected', 1],
      ['half of a 500', ending(broken(500), true), 'disconnected', 1],
      ['a 204', ending({ status: 204 }, true), 'unexpected_answer', 1],
      ['a 200 without end', ending({ status: 200, body: endless }, true), 'unexpected_answer', 1],
    ]
    for (const [name, fault, code, sent] of cases) {
      const before = network.count()
      fake.log.length = 0
      fake.faults.push({ on: visible, ...fault })
      const error = await rejection(network.send(ioOf(fake)))
      t.match(error, { code, maybeSent: true, retryable: true, needsAttention: false }, name)
      t.notMatch(error.message + error.stack, network.secret, `${name}: no credentials`)
      t.equal(network.count() - before, sent, `${name}: what the network did`)
      t.same(fake.log.slice(-2), ['intend', visible], `${name}: intended right before`)
      t.equal(fake.log.indexOf('intend'), fake.log.length - 2, `${name}: and once`)
    }
  })

  t.test('an answer that never comes ends with the delivery', async (t) => {
    const network = await start(t)
    const { fake, visible } = network
    for (const after of [false, true]) {
      const controller = new AbortController()
      fake.faults.push({ on: visible, after, instead: () => controller.abort() })
      const error = await rejection(network.send(ioOf(fake, { signal: controller.signal })))
      t.match(error, { code: 'timeout', maybeSent: true, retryable: true })
    }
    t.equal(network.count(), 1)
  })

  t.test('a delivery that ends before the call was not sent', async (t) => {
    const { fake, send, count } = await start(t)
    const controller = new AbortController()
    const intend = async () => controller.abort()
    const error = await rejection(send(ioOf(fake, { signal: controller.signal, intend })))
    t.match(error, { code: 'timeout', maybeSent: false, retryable: true })
    t.equal(count(), 0)
  })

  t.test('what the network refuses was not sent', async (t) => {
    const network = await start(t)
    const { fake, visible } = network
    for (const instead of [network.limited(7), { ...page, status: 429, headers: { 'retry-after': '7' } }]) {
      fake.faults.push({ on: visible, instead })
      const error = await rejection(network.send(ioOf(fake)))
      t.match(error, { code: 'rate_limited', maybeSent: false, retryable: true, needsAttention: false })
      t.ok(error.retryAfterMs! > 5000 && error.retryAfterMs! <= 7000, `${error.retryAfterMs}`)
    }
    const date = { 'retry-after': new Date(Date.now() + 120_000).toUTCString() }
    fake.faults.push({ on: visible, instead: { ...page, status: 429, headers: date } })
    const { retryAfterMs } = await rejection(network.send(ioOf(fake)))
    t.ok(retryAfterMs! > 60_000 && retryAfterMs! <= 120_000, 'the network may name a time')
    const words = `See /${network.secret}/x`
    for (const status of [400, 422]) {
      fake.faults.push({ on: visible, instead: { status, body: { error: words, description: words, message: words } } })
      const error = await rejection(network.send(ioOf(fake)))
      t.match(error, { code: 'content_refused', maybeSent: false, retryable: false, needsAttention: false })
      t.match(error.message, /: See \/…\/x$/, 'in its words, without the credentials')
    }
    fake.faults.push({ on: visible, instead: { status: 400, body: 'not JSON' } })
    t.match(await rejection(network.send(ioOf(fake))), {
      code: 'content_refused',
      message: / responded with status 400$/,
    })
    fake.faults.push({ on: visible, instead: broken(400) })
    t.match(await rejection(network.send(ioOf(fake))), { code: 'content_refused', maybeSent: false }, 'half of a 400')
    for (const status of [401, 403]) {
      fake.faults.push({ on: visible, instead: { status, body: { error: 'No', description: 'No', message: 'No' } } })
      t.match(await rejection(network.send(ioOf(fake))), {
        code: 'unauthorized',
        maybeSent: false,
        retryable: false,
        needsAttention: true,
      })
    }
    t.equal(network.count(), 0)
  })

  t.test('what is in front of the network says nothing about the post or the account', async (t) => {
    const network = await start(t)
    const { fake, visible } = network
    const cloudflare = { headers: { 'content-type': 'text/html' }, body: 'error code: 1020' }
    const passing: Reply[] = [
      { status: 401, ...cloudflare },
      { status: 403, ...cloudflare },
      { status: 403, body: {} },
      { status: 403, body: ['No'] },
      { status: 408, ...cloudflare },
      { status: 421, body: { error: 'No', description: 'No', message: 'No' } },
      { status: 425 },
      { status: 302, headers: { location: '/maintenance' } },
      { status: 307, headers: { location: `https://elsewhere.example/${network.secret}` } },
    ]
    for (const instead of passing) {
      fake.faults.push({ on: visible, instead })
      // `fetch` repeats a call by itself that was misdirected, once.
      if (instead.status === 421) fake.faults.push({ on: visible, instead })
      const error = await rejection(network.send(ioOf(fake)))
      const expected = { code: 'unreachable', maybeSent: false, retryable: true, needsAttention: false }
      t.match(error, expected, `${instead.status}`)
      t.notMatch(error.message, network.secret)
    }
    for (const status of [301, 308]) {
      const headers = { location: `https://elsewhere.example/${network.secret}` }
      fake.faults.push({ on: visible, instead: { status, headers } })
      const error = await rejection(network.send(ioOf(fake)))
      t.match(error, { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true })
      t.match(error.message, /has moved to elsewhere\.example: connect the account again/)
      t.notMatch(error.message, network.secret)
    }
    t.equal(network.count(), 0)
  })

  t.test('a network that cannot be reached was not sent anything', async (t) => {
    const network = await start(t)
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, 'close')
    const nowhere: typeof fetch = (_url, init) => fetch(`http://127.0.0.1:${port}/`, init)
    const error = await rejection(network.send(ioOf(network.fake, { fetch: nowhere })))
    t.match(error, { code: 'unreachable', maybeSent: false, retryable: true })
    t.notMatch(error.message, network.secret)
    for (const code of NEVER_CONNECTED) {
      const failing = () => Promise.reject(new TypeError('fetch failed', { cause: { code } }))
      t.match(
        await rejection(network.send(ioOf(network.fake, { fetch: failing }))),
        { code: 'unreachable', maybeSent: false, retryable: true },
        code,
      )
    }
  })

  t.test('an intend() that fails stops the act', async (t) => {
    const network = await start(t)
    const failing = async () => {
      throw new Error('the lease is lost')
    }
    await t.rejects(network.send(ioOf(network.fake, { intend: failing })), { message: 'the lease is lost' })
    t.notOk(network.fake.log.includes(network.visible))
  })

  t.test('a large file arrives as it is', async (t) => {
    const { fake, sendFile } = await start(t)
    const chunk = randomBytes(100_000)
    const file = fileOf('image/png', {
      bytes: 50 * chunk.length,
      open: async () => Readable.from(Array(50).fill(chunk)),
    })
    await sendFile(file, ioOf(fake))
    const bytes = fake.calls.find(({ files }) => files.length > 0)?.files[0]?.bytes
    t.ok(bytes?.equals(Buffer.concat(Array(50).fill(chunk))))
  })

  t.test('a file that cannot be read was not sent', async (t) => {
    const network = await start(t)
    const { sendFile, fake } = network
    const gone = async () => {
      throw new Error('ENOENT /var/lib/postroom/media')
    }
    const cutOff = async () =>
      Readable.from(
        (async function* () {
          yield Buffer.from('by')
          throw new Error('the storage is gone')
        })(),
      )
    const cases: Partial<PublishedFile>[] = [{ open: gone }, { open: cutOff }, { bytes: 4 }, { bytes: 6 }]
    for (const file of cases) {
      const error = await rejection(sendFile(fileOf('image/png', file), ioOf(fake)))
      t.match(error, { code: 'media_unreadable', maybeSent: false, retryable: true })
      t.notMatch(error.message, 'postroom')
    }
    for (const isStuck of [true, false]) {
      const controller = new AbortController()
      const slow = async () =>
        Readable.from(
          (async function* () {
            yield Buffer.from('by')
            controller.abort()
            if (isStuck) await new Promise(() => {})
            yield Buffer.from('tes')
          })(),
        )
      const stopped = ioOf(fake, { signal: controller.signal })
      const error = await rejection(sendFile(fileOf('image/png', { open: slow }), stopped))
      t.match(error, { code: 'timeout', maybeSent: false, retryable: true }, 'half of a file')
    }
    t.equal(network.count(), 0)
  })
}
