import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import type { Io } from '../../src/platforms/contract/io.ts'
import type { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { broken, type Fault, type Reply, reset } from '../networks/fakes/network.ts'
import type { NetworkControls } from '../networks/fakes/scene.ts'
import { refusalsOf } from './network-refusals.ts'

/** The reaction to the publishing call, and the error that has to follow. */
interface Failure {
  name: string
  /** The response. Absent with `fetch`: the call gets none until its signal aborts. */
  instead?: Fault['instead']
  /** Takes the place of `fetch`, whose calls reach no network. */
  fetch?: Io['fetch']
  error: Pick<PublishError, 'code' | 'maybeSent' | 'retryable' | 'needsAttention'>
  /** Matches the message. */
  words?: RegExp
  /** The network alone has it. */
  isOfNetwork?: true
}

const open = (code: string) => ({ code, maybeSent: true, retryable: true, needsAttention: false })
const unsent = (code: string) => ({ code, maybeSent: false, retryable: true, needsAttention: false })
const REFUSED = { code: 'content_refused', maybeSent: false, retryable: false, needsAttention: false }
const UNAUTHORIZED = { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true }

const html = { 'content-type': 'text/html' }
const page = { status: 502, body: '<html><h1>502 Bad Gateway</h1></html>', headers: html }
const firewall = { body: 'error code: 1020', headers: html }
const said = (words: string) => ({ error: words, description: words, message: words })

/** A success on every network, but for its 2 MB. */
const oversized = { id: '1', ok: true, result: { message_id: 1 }, padding: '1'.repeat(2_000_000) }

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

/** A `fetch` to a port on which nothing listens. */
const toClosedPort: Io['fetch'] = async (_, init) => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  await once(closed, 'close')
  return fetch(`http://127.0.0.1:${port}/`, init)
}

/** The responses whose call may have been carried out. */
const LOST: [name: string, instead: Fault['instead'], code: string][] = [
  ['500', { status: 500 }, 'server_error'],
  ['500 with a body', { status: 500, body: {} }, 'server_error'],
  ['the page of a proxy', page, 'server_error'],
  ['reset', reset, 'disconnected'],
  ['half of a 200', broken(200), 'disconnected'],
  ['half of a 500', broken(500), 'disconnected'],
  ['a 200 without an id', { status: 200, body: {} }, 'unexpected_answer'],
  ['a 200 without JSON', { status: 200, body: '<html>' }, 'unexpected_answer'],
  ['a 200 of null', { status: 200, body: 'null' }, 'unexpected_answer'],
  ['a 204', { status: 204 }, 'unexpected_answer'],
  ['a 200 of 2 MB', { status: 200, body: oversized }, 'unexpected_answer'],
]

/** Replies of a proxy or of the connection, which say nothing about the post or the account. */
const OF_A_PROXY: Reply[] = [
  { status: 401, ...firewall },
  { status: 403, ...firewall },
  { status: 403, body: {} },
  { status: 403, body: ['No'] },
  { status: 408, ...firewall },
  { status: 421, body: said('No') },
  { status: 425 },
  { status: 302, headers: { location: '/maintenance' } },
]

/** The failures of a publishing call that every network has. Limits end after 120 seconds. */
export function failuresOf(id: PlatformId, kind: Act['kind'], controls: NetworkControls): Failure[] {
  const { limited, secret, unauthorized = [401, 403], notRedirect } = controls
  const elsewhere = { location: `https://elsewhere.example/${secret}` }
  const limits = {
    'a limit of the network': limited!(120),
    'a limit of a proxy': { ...page, status: 429, headers: { 'retry-after': '120' } },
    'a limit until a date': {
      ...page,
      status: 429,
      headers: { 'retry-after': new Date(Date.now() + 120_000).toUTCString() },
    },
  }
  return [
    ...refusalsOf(id, kind).map(({ reply, error }) => ({
      name: JSON.stringify(reply.body),
      instead: reply,
      error,
      isOfNetwork: true as const,
    })),
    ...LOST.map(([name, instead, code]) => ({ name, instead, error: open(code) })),
    { name: 'no response before the signal aborts', error: open('timeout') },
    ...Object.entries(limits).map(([name, instead]) => ({ name, instead, error: unsent('rate_limited') })),
    ...[400, 422].map((status) => ({
      name: `${status} with credentials`,
      instead: { status, body: said(`See /${secret}/x`) },
      error: REFUSED,
      words: /^[\w.]+: See \/…\/x$/,
    })),
    {
      name: '400 without JSON',
      instead: { status: 400, body: 'not JSON' },
      error: REFUSED,
      words: / responded with status 400$/,
    },
    { name: 'half of a 400', instead: broken(400), error: REFUSED },
    // A 403 without a code that the network documents is not about the credentials.
    ...[403]
      .filter((status) => !unauthorized.includes(status))
      .map((status) => ({ name: `${status}`, instead: { status, body: said('No') }, error: REFUSED })),
    ...unauthorized.map((status) => ({
      name: `${status}`,
      instead: { status, body: said('No') },
      error: UNAUTHORIZED,
    })),
    ...OF_A_PROXY.map((instead) => ({ name: JSON.stringify(instead), instead, error: unsent('unreachable') })),
    { name: '307', instead: { status: 307, headers: elsewhere }, error: unsent('unreachable') },
    ...[301, 308]
      .filter((status) => status !== notRedirect)
      .map((status) => ({
        name: `${status}`,
        instead: { status, headers: elsewhere },
        error: UNAUTHORIZED,
        words: / has moved to elsewhere\.example: connect the account again, with its new address$/,
      })),
    { name: 'a closed port', fetch: toClosedPort, error: unsent('unreachable') },
    ...NEVER_CONNECTED.map((code) => ({
      name: code,
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause: { code } })),
      error: unsent('unreachable'),
    })),
  ]
}

/** The failures after which any call can be repeated, whatever the network. */
export const FAILURES_BEFORE: { name: string; instead: Fault['instead'] }[] = [
  { name: '503', instead: { status: 503 } },
  { name: 'reset', instead: reset },
  { name: 'half of a 200', instead: broken(200) },
  { name: 'a 200 without JSON', instead: { status: 200, body: '<html>' } },
  { name: 'the page of a firewall', instead: { status: 403, ...firewall } },
  { name: 'a redirect', instead: { status: 307, headers: { location: 'https://elsewhere.example' } } },
]

type Open = () => Promise<Readable>

/** A file that yields half of its content, and then what `next` returns. */
async function half(open: Open, next: (rest: Buffer) => Promise<Buffer>): Promise<Readable> {
  const content = Buffer.concat(await (await open()).toArray())
  const middle = content.length >> 1
  return Readable.from(
    (async function* () {
      yield content.subarray(0, middle)
      yield await next(content.subarray(middle))
    })(),
  )
}

const UNREADABLE = { code: 'media_unreadable', message: 'A file of the post could not be read' }

/** Files that are not as stored, and what the error has. */
export const SPOILED_FILES: {
  name: string
  error: { code: string; message?: string }
  open(open: Open, giveUp: AbortController): Promise<Readable>
}[] = [
  {
    name: 'a file that is gone',
    error: UNREADABLE,
    open: async () => {
      throw new Error('ENOENT /var/lib/postroom/media')
    },
  },
  {
    name: 'half of a file',
    error: UNREADABLE,
    open: (open) =>
      half(open, async () => {
        throw new Error('the storage is gone')
      }),
  },
  { name: 'a shorter file', error: UNREADABLE, open: (open) => half(open, async (rest) => rest.subarray(1)) },
  {
    name: 'a longer file',
    error: UNREADABLE,
    open: (open) => half(open, async (rest) => Buffer.concat([rest, Buffer.from('.')])),
  },
  {
    name: 'a signal that aborts during a file',
    error: { code: 'timeout' },
    open: (open, giveUp) =>
      half(open, async (rest) => {
        giveUp.abort()
        return rest
      }),
  },
  {
    name: 'a signal that aborts while a file is stuck',
    error: { code: 'timeout' },
    open: (open, giveUp) =>
      half(open, async () => {
        giveUp.abort()
        return new Promise(() => {})
      }),
  },
]
