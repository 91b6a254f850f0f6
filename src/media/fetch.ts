import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type TcpNetConnectOpts } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import manifest from '../../package.json' with { type: 'json' }
import { NOT_PUBLIC } from '../../schemas/messages.ts'
import { AppError, fileTooLarge, invalidRequest } from '../errors.ts'
import { isPublicAddress } from '../outbound/addresses.ts'
import { type Resolve, resolveName } from '../outbound/names.ts'

/**
 * Gets the file that a user's `url` leads to. Gives its bytes as a stream, which the caller reads or destroys. Throws
 * an AppError, and destroys the stream with one, in words that tell nothing about the network that this service is in.
 * A file that says to be larger than `bytesMax` is refused at once; of others, the caller counts the bytes.
 */
export type FetchFile = (url: string, options: { bytesMax: number }) => Promise<Readable>

/** What may be reached, and how long it may take. */
export interface Reach {
  resolve: Resolve
  mayConnect(address: string): boolean
  /** The authorities (PEM) to trust for https; those that Node knows where undefined. */
  ca: string | undefined
  /** For the addresses of one name. */
  resolveMaxMs: number
  /** From there to the end of the headers, of each redirect anew. */
  answerMaxMs: number
  /** In each such time, some bytes of the file have to come. */
  stallMaxMs: number
  /** From first to last. */
  totalMaxMs: number
}

const PRODUCTION: Reach = {
  resolve: resolveName,
  mayConnect: isPublicAddress,
  ca: undefined,
  resolveMaxMs: 5_000,
  answerMaxMs: 10_000,
  stallMaxMs: 15_000,
  totalMaxMs: 600_000,
}

type SendOptions = https.RequestOptions & Pick<TcpNetConnectOpts, 'autoSelectFamily'>

const REDIRECTS = [301, 302, 303, 307, 308]
const REDIRECTS_MAX = 5
const STALL_BYTES_MIN = 16 * 1024

const HEADERS = {
  'user-agent': `Postroom/${manifest.version}`,
  accept: 'image/*, video/*, */*;q=0.1',
  'accept-encoding': 'identity',
}

/** By default, resolves as the system does and connects to the public internet only. */
export function createFetch(reach: Partial<Reach> = {}): FetchFile {
  const { resolve, mayConnect, ca, resolveMaxMs, answerMaxMs, stallMaxMs, totalMaxMs } = { ...PRODUCTION, ...reach }

  /** The addresses to connect to. Names that do not exist, and those that may not be reached, are not told apart. */
  async function addressesOf({ hostname }: URL) {
    const literal = hostname.replace(/^\[|\]$/g, '')
    const family = isIP(literal)
    const addresses = family
      ? [{ address: literal, family }]
      : await within(resolveMaxMs, resolve(hostname)).catch(() => [])
    if (addresses.length === 0 || !addresses.every(({ address }) => mayConnect(address))) {
      throw new AppError(400, 'url_not_public', NOT_PUBLIC)
    }
    return addresses
  }

  /** Asks once. Gives the body of the file, or where the server says that it is. */
  async function ask(url: URL, bytesMax: number, endsAt: number): Promise<Readable | URL> {
    const addresses = await addressesOf(url)
    return new Promise((resolve, reject) => {
      const send: (url: URL, options: SendOptions) => ClientRequest =
        url.protocol === 'https:' ? https.request : http.request
      const request = send(url, {
        headers: HEADERS,
        // A connection of its own: the shared agents keep theirs, and follow the proxies of the environment.
        agent: false,
        // The addresses that were checked are the ones connected to, whatever the name leads to by now. Without
        // autoSelectFamily Node asks for one address only, and tries no other. A literal address is not looked up.
        lookup: (_hostname, _options, callback) => callback(null, addresses),
        autoSelectFamily: true,
        ca,
        // Or the environment could turn it off.
        rejectUnauthorized: true,
      })
      const timer = setTimeout(() => request.destroy(failure(url, 'took too long')), answerMaxMs)
      request.on('response', (response) => {
        clearTimeout(timer)
        // At once, not after an `await`: the answer may end in an error before that comes back.
        try {
          resolve(redirectOf(url, response) ?? bodyOf(url, request, response, bytesMax, endsAt))
        } catch (error) {
          request.destroy()
          reject(error)
        }
      })
      // There may be several, and some after the answer.
      request.on('error', (error) => reject(toPublic(url, request, error)))
      request.on('close', () => {
        clearTimeout(timer)
        reject(failure(url, 'gave no valid answer'))
      })
      request.end()
    })
  }

  function bodyOf(url: URL, request: ClientRequest, response: IncomingMessage, bytesMax: number, endsAt: number) {
    const { statusCode, headers } = response
    if (statusCode !== 200) throw failure(url, `answered ${statusCode}`)
    if (!/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) throw failure(url, 'compressed the file')
    if (Number(headers['content-length']) > bytesMax) throw fileTooLarge(bytesMax)

    const body = new PassThrough()
    let bytes = 0
    // A reader that is slower than the server is not held against the server.
    let heldBack = false
    const fail = (what: string) => body.destroy(failure(url, what))
    const total = setTimeout(() => fail('took too long'), endsAt - performance.now())
    const stall = setInterval(() => {
      if (bytes < STALL_BYTES_MIN && !heldBack) fail('took too long')
      bytes = 0
      heldBack = body.writableNeedDrain
    }, stallMaxMs)
    const failIfIncomplete = () => {
      if (!response.complete) fail('cut off the file')
    }
    // After a reset, Node takes a body without a length for complete, but not before it has told of the error.
    request.on('error', failIfIncomplete)
    response.on('error', failIfIncomplete)
    response.on('close', () => {
      clearTimeout(total)
      clearInterval(stall)
    })
    response.on('pause', () => {
      heldBack = true
    })
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    body.on('close', () => request.destroy())
    // An error may come before the caller listens. It is kept, and whoever reads the stream meets it.
    body.on('error', () => {})
    return response.pipe(body)
  }

  return async (text, { bytesMax }) => {
    const endsAt = performance.now() + totalMaxMs
    let url = parse(text)
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const answer = await ask(url, bytesMax, endsAt)
      if (!(answer instanceof URL)) return answer
      url = answer
    }
    throw new AppError(400, 'url_not_fetched', `url is redirected more than ${REDIRECTS_MAX} times`)
  }
}

function parse(text: string): URL {
  const issue = (message: string) => invalidRequest([{ code: 'custom', path: ['url'], message }])
  const url = URL.parse(text)
  if (!url) {
    throw invalidRequest([{ code: 'invalid_string', validation: 'url', path: ['url'], message: 'Invalid url' }])
  }
  if (!isWeb(url)) throw issue('Must be an http or https address')
  if (hasCredentials(url)) throw issue('Must not hold a user name or password')
  return url
}

/** Where a redirect leads; undefined of any other answer. Signed addresses of files may well exceed what users may send. */
function redirectOf(url: URL, response: IncomingMessage): URL | undefined {
  if (!REDIRECTS.includes(response.statusCode!)) return undefined
  const { location } = response.headers
  // Node reads headers as Latin-1, servers write UTF-8.
  const target = location === undefined ? null : URL.parse(Buffer.from(location, 'latin1').toString(), url.href)
  if (!target || !isWeb(target) || hasCredentials(target)) {
    throw failure(url, `answered ${response.statusCode} without a Location that can be followed`)
  }
  response.destroy()
  return target
}

const isWeb = ({ protocol }: URL) => protocol === 'http:' || protocol === 'https:'
const hasCredentials = ({ username, password }: URL) => username !== '' || password !== ''

const failure = (url: URL, what: string) => new AppError(400, 'url_not_fetched', `the server at ${url.host} ${what}`)

/** What may be told of an error of Node's. */
function toPublic(url: URL, request: ClientRequest, error: NodeJS.ErrnoException): AppError {
  if (error instanceof AppError) return error
  if ((request.socket as TLSSocket | null)?.authorizationError) return failure(url, 'has no valid certificate')
  const isAnswered = /^(?:HPE_|ERR_SSL_|EPROTO$|EPIPE$|ECONNRESET$)/.test(error.code ?? '')
  return failure(url, isAnswered ? 'gave no valid answer' : 'could not be reached')
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('took too long')), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
