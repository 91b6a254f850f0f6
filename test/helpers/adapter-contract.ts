import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import t from 'tap'
import type { PublishedFile, Sent } from '../../src/platforms/adapter.ts'
import { broken, type FakeNetwork, type Fault, type Reply, reset } from '../networks/fakes/network.ts'
import { type ContractIo, fileOf, ioOf, rejection } from './adapter-calls.ts'
import type { Teardown } from './database.ts'

interface Sender {
  fake: FakeNetwork
  /** Sends a text, in a new act each time. */
  send(io: ContractIo): Promise<Sent>
  /** Sends a text with a file, in a new act each time. Absent where the network fetches files by their addresses. */
  sendFile?(file: PublishedFile, io: ContractIo): Promise<Sent>
  /** The network's response with status 429, for a limit that ends after this many seconds. */
  limited(seconds: number): Reply
  /** Number of visible acts. */
  count(): number
  /** Must not be in any error. */
  secret: string
  /** Name of the call that makes an act visible. */
  visible: string
  /** How often that call is made with credentials that are refused. The default is once. */
  callsIfUnauthorized?: number
  /** Whether that call streams its body, which `fetch` cannot send again. */
  isStreamed?: true
  /** The statuses of refused credentials. The default is 401 and 403. */
  unauthorized?: number[]
}

const ending = (instead: Fault['instead'], after = false) => ({ instead, after })
const page = { status: 502, body: '<html><h1>502 Bad Gateway</h1></html>', headers: { 'content-type': 'text/html' } }

/** Error codes of Node for connections that were never made. */
const NEVER_CONNECTED = [
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]

/** A success on every network, except for its 2 MB. */
const oversized = { id: '1', ok: true, result: { message_id: 1 }, padding: '1'.repeat(2_000_000) }

/** Tests how an adapter treats the failures that are the same on every network. */
export function testAdapterContract(start: (t: Teardown) => Promise<Sender>): void {
  t.test('a response that is lost after the intent leaves the outcome open', async (t) => {
    const network = await start(t)
    const { fake, visible } = network
    const cases: [string, Omit<Fault, 'on'>, string, number][] = [
      ['500 before', ending({ status: 500 }), 'server_error', 0],
      ['500 after', ending({ status: 500, body: {} }, true), 'server_error', 1],
      ['the page of a proxy', ending(page), 'server_error', 0],
      ['reset before', ending(reset), 'disconnected', 0],
      ['reset after', ending(reset, true), 'disconnected', 1],
      ['a 200 without an id', ending({ status: 200, body: {} }, true), 'unexpected_answer', 1],
      ['a 200 without JSON', ending({ status: 200, body: '<html>' }, true), 'unexpected_answer', 1],
      ['a 200 of null', ending({ status: 200, body: 'null' }, true), 'unexpected_answer', 1],
      ['half of a 200', ending(broken(200), true), 'disconnected', 1],
      ['half of a 500', ending(broken(500), true), 'disconnected', 1],
      ['a 204', ending({ status: 204 }, true), 'unexpected_answer', 1],
      ['a 200 of 2 MB', ending({ status: 200, body: oversized }, true), 'unexpected_answer', 1],
    ]
    for (const [name, fault, code, sent] of cases) {
      const before = network.count()
      fake.log.length = 0
      fake.faults.push({ on: visible, ...fault })
      const error = await rejection(network.send(ioOf(fake)))
      t.has(error, { code, maybeSent: true, retryable: true, needsAttention: false }, name)
      t.notOk(`${error.message}${error.stack}`.includes(network.secret), `${name}: no credentials`)
      t.equal(network.count() - before, sent, `${name}: acts on the network`)
      t.same(fake.log.slice(-2), ['intend', visible], `${name}: the intent comes right before the call`)
      t.equal(fake.log.indexOf('intend'), fake.log.length - 2, `${name}: one intent`)
    }
  })

  t.test('a call without a response ends when its signal aborts', async (t) => {
    const network = await start(t)
    const { fake, visible } = network
    for (const after of [false, true]) {
      const controller = new AbortController()
      fake.faults.push({ on: visible, after, instead: () => controller.abort() })
      const error = await rejection(network.send(ioOf(fake, { signal: controller.signal })))
      t.has(error, { code: 'timeout', maybeSent: true, retryable: true })
    }
    t.equal(network.count(), 1)
  })

  t.test('a signal that aborts before the call leaves the act unsent', async (t) => {
    const { fake, send, count } = await start(t)
    const controller = new AbortController()
    const intend = async () => controller.abort()
    const error = await rejection(send(ioOf(fake, { signal: controller.signal, intend })))
    t.has(error, { code: 'timeout', maybeSent: false, retryable: true })
    t.equal(count(), 0)
  })

  t.test('an act that the network refuses is certainly not sent', async (t) => {
    const network = await start(t)
    const { fake, visible, callsIfUnauthorized = 1, unauthorized = [401, 403] } = network
    for (const instead of [network.limited(120), { ...page, status: 429, headers: { 'retry-after': '120' } }]) {
      fake.faults.push({ on: visible, instead })
      const error = await rejection(network.send(ioOf(fake)))
      t.has(error, { code: 'rate_limited', maybeSent: false, retryable: true, needsAttention: false })
      t.ok(error.retryAfterMs! > 60_000 && error.retryAfterMs! <= 120_000, `${error.retryAfterMs}`)
    }
    const date = { 'retry-after': new Date(Date.now() + 120_000).toUTCString() }
    fake.faults.push({ on: visible, instead: { ...page, status: 429, headers: date } })
    const { retryAfterMs } = await rejection(network.send(ioOf(fake)))
    t.ok(retryAfterMs! > 60_000 && retryAfterMs! <= 120_000, 'Retry-After may be a date')
    const words = `See /${network.secret}/x`
    for (const status of [400, 422]) {
      fake.faults.push({ on: visible, instead: { status, body: { error: words, description: words, message: words } } })
      const error = await rejection(network.send(ioOf(fake)))
      t.has(error, { code: 'content_refused', maybeSent: false, retryable: false, needsAttention: false })
      t.match(error.message, /^[\w.]+: See \/…\/x$/, 'in the words of the network, without the credentials')
    }
    fake.faults.push({ on: visible, instead: { status: 400, body: 'not JSON' } })
    t.match(await rejection(network.send(ioOf(fake))), {
      code: 'content_refused',
      message: / responded with status 400$/,
    })
    fake.faults.push({ on: visible, instead: broken(400) })
    t.has(await rejection(network.send(ioOf(fake))), { code: 'content_refused', maybeSent: false }, 'half of a 400')
    for (const status of unauthorized) {
      const instead = { status, body: { error: 'No', description: 'No', message: 'No' } }
      for (let call = 0; call < callsIfUnauthorized; call++) fake.faults.push({ on: visible, instead })
      t.has(await rejection(network.send(ioOf(fake))), {
        code: 'unauthorized',
        maybeSent: false,
        retryable: false,
        needsAttention: true,
      })
    }
    t.equal(network.count(), 0)
  })

  t.test('a response of a proxy says nothing about the post or the account', async (t) => {
    const network = await start(t)
    const { fake, visible, callsIfUnauthorized = 1 } = network
    const cloudflare = { headers: { 'content-type': 'text/html' }, body: 'error code: 1020' }
    const temporary: Reply[] = [
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
    for (const instead of temporary) {
      fake.faults.push({ on: visible, instead })
      // `fetch` itself repeats a misdirected call once.
      if (instead.status === 421 && !network.isStreamed) fake.faults.push({ on: visible, instead })
      const error = await rejection(network.send(ioOf(fake)))
      const expected = { code: 'unreachable', maybeSent: false, retryable: true, needsAttention: false }
      t.has(error, expected, `${instead.status}`)
      t.notOk(error.message.includes(network.secret))
    }
    for (const status of [301, 308]) {
      const headers = { location: `https://elsewhere.example/${network.secret}` }
      for (let call = 0; call < callsIfUnauthorized; call++) {
        fake.faults.push({ on: visible, instead: { status, headers } })
      }
      const error = await rejection(network.send(ioOf(fake)))
      t.has(error, { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true })
      t.match(error.message, / has moved to elsewhere\.example: connect the account again, with its new address$/)
      t.notOk(error.message.includes(network.secret))
    }
    t.equal(network.count(), 0)
  })

  t.test('a network that cannot be reached gets nothing', async (t) => {
    const network = await start(t)
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, 'close')
    const unreachable: typeof fetch = (_url, init) => fetch(`http://127.0.0.1:${port}/`, init)
    const error = await rejection(network.send(ioOf(network.fake, { fetch: unreachable })))
    t.has(error, { code: 'unreachable', maybeSent: false, retryable: true })
    t.notOk(error.message.includes(network.secret))
    for (const code of NEVER_CONNECTED) {
      const failing = () => Promise.reject(new TypeError('fetch failed', { cause: { code } }))
      t.has(
        await rejection(network.send(ioOf(network.fake, { fetch: failing }))),
        { code: 'unreachable', maybeSent: false, retryable: true },
        code,
      )
    }
  })

  t.test('an intent that cannot be committed stops the act', async (t) => {
    const network = await start(t)
    const failing = async () => {
      throw new Error('the lease is lost')
    }
    await t.rejects(network.send(ioOf(network.fake, { intend: failing })), { message: 'the lease is lost' })
    t.notOk(network.fake.log.includes(network.visible))
  })

  t.test('a large file arrives unchanged', async (t) => {
    const { fake, sendFile } = await start(t)
    if (!sendFile) return
    const chunk = randomBytes(100_000)
    const file = fileOf('image/png', {
      bytes: 50 * chunk.length,
      open: async () => Readable.from(Array(50).fill(chunk)),
    })
    await sendFile(file, ioOf(fake))
    const bytes = fake.calls.find(({ files }) => files.length > 0)?.files[0]?.bytes
    t.ok(bytes?.equals(Buffer.concat(Array(50).fill(chunk))))
  })

  t.test('a file that cannot be read leaves the act unsent', async (t) => {
    const network = await start(t)
    const { sendFile, fake } = network
    if (!sendFile) return
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
      t.has(error, { code: 'media_unreadable', maybeSent: false, retryable: true })
      t.equal(error.message, 'A file of the post could not be read')
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
      const aborted = ioOf(fake, { signal: controller.signal })
      const error = await rejection(sendFile(fileOf('image/png', { open: slow }), aborted))
      t.has(error, { code: 'timeout', maybeSent: false, retryable: true }, 'half of a file')
    }
    t.equal(network.count(), 0)
  })
}
