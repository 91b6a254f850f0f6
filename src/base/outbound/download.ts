import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { TcpNetConnectOpts } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { LookupError, NotPublicError, type Reach } from './reach.ts'

export interface DownloadOptions {
  headers: Record<string, string>
  redirectsMax: number
  /** A response with a larger Content-Length is refused. Of other responses, the caller counts the bytes. */
  bytesMax: number
  /** From the end of name resolution to the end of the headers. Starts again with each redirect. */
  responseMaxMs: number
  /** In each interval of this length, at least 16 KiB have to arrive. */
  stallMaxMs: number
  /** From the first request to the last byte. */
  totalMaxMs: number
  /** Makes the error that is thrown, or that the stream is destroyed with. */
  toError(failure: DownloadFailure): Error
}

export interface DownloadFailure {
  reason:
    | 'not_public'
    | 'not_looked_up'
    | 'unreachable'
    | 'invalid_certificate'
    | 'invalid_response'
    | 'timeout'
    | 'status'
    | 'invalid_redirect'
    | 'too_many_redirects'
    | 'compressed'
    | 'too_large'
    | 'truncated'
  url: URL
  /** The status of the response, if the reason is about it. */
  status?: number
}

type RequestOptions = https.RequestOptions & Pick<TcpNetConnectOpts, 'autoSelectFamily'>

const REDIRECTS = [301, 302, 303, 307, 308]
const STALL_BYTES_MIN = 16 * 1024

/**
 * GETs a file. It uses `node:http`, because undici 7 rejects a response after an interim `100 Continue`. Undici also
 * takes a body without a length for complete when its connection is reset.
 */
export async function download(reach: Reach, start: URL, options: DownloadOptions): Promise<Readable> {
  const endsAt = performance.now() + options.totalMaxMs
  let url = start
  for (let hop = 0; hop <= options.redirectsMax; hop++) {
    const result = await get(reach, url, options, endsAt)
    if (!(result instanceof URL)) return result
    url = result
  }
  throw options.toError({ reason: 'too_many_redirects', url })
}

/** Sends one request. Returns the body, or the target of a redirect. */
async function get(reach: Reach, url: URL, options: DownloadOptions, endsAt: number): Promise<Readable | URL> {
  const fail = (reason: DownloadFailure['reason']) => options.toError({ reason, url })
  const addresses = await reach.addressesOf(url.hostname, portOf(url)).catch((error) => {
    if (error instanceof NotPublicError) throw fail('not_public')
    throw error instanceof LookupError ? fail('not_looked_up') : error
  })
  return new Promise((resolve, reject) => {
    const send: (url: URL, options: RequestOptions) => ClientRequest =
      url.protocol === 'https:' ? https.request : http.request
    const request = send(url, {
      ...reach.connectOptions,
      headers: options.headers,
      // A connection of its own: the shared agents keep connections, and use the proxies of the environment.
      agent: false,
      // The checked addresses are the ones connected to, even if the name has others by now.
      lookup: (_hostname, _options, callback) => callback(null, addresses),
    })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      request.destroy()
    }, options.responseMaxMs)
    request.on('response', (response) => {
      clearTimeout(timer)
      // Synchronously: an error of the response may follow before an `await` returns.
      try {
        resolve(redirectOf(url, response, options) ?? bodyOf(url, request, response, options, endsAt))
      } catch (error) {
        request.destroy()
        reject(error)
      }
    })
    // Node may emit several errors, and some after the response.
    request.on('error', (error) => reject(fail(isLate ? 'timeout' : reasonOf(request, error))))
    request.on('close', () => {
      clearTimeout(timer)
      reject(fail(isLate ? 'timeout' : 'invalid_response'))
    })
    request.end()
  })
}

/** The target of a redirect; undefined for other responses. It may be longer than a URL that users may send. */
function redirectOf(url: URL, response: IncomingMessage, { toError }: DownloadOptions): URL | undefined {
  const status = response.statusCode!
  if (!REDIRECTS.includes(status)) return undefined
  const { location } = response.headers
  // Node decodes headers as Latin-1, but servers send UTF-8.
  const target = location === undefined ? null : URL.parse(Buffer.from(location, 'latin1').toString(), url.href)
  if (!target || !isWebUrl(target) || hasCredentials(target)) throw toError({ reason: 'invalid_redirect', url, status })
  response.destroy()
  return target
}

function bodyOf(
  url: URL,
  request: ClientRequest,
  response: IncomingMessage,
  options: DownloadOptions,
  endsAt: number,
): Readable {
  const { toError } = options
  const { statusCode: status = 0, headers } = response
  if (status !== 200) throw toError({ reason: 'status', url, status })
  if (!/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) throw toError({ reason: 'compressed', url })
  if (Number(headers['content-length']) > options.bytesMax) throw toError({ reason: 'too_large', url })

  const body = new PassThrough()
  limitTime(body, response, options, endsAt, () => body.destroy(toError({ reason: 'timeout', url })))
  const failIfIncomplete = () => {
    if (!response.complete) body.destroy(toError({ reason: 'truncated', url }))
  }
  // After a reset, Node marks a body without a length as complete, but emits the error first.
  request.on('error', failIfIncomplete)
  response.on('error', failIfIncomplete)
  body.on('close', () => request.destroy())
  // An error may precede the caller's listeners. The stream keeps it for its reader.
  body.on('error', () => {})
  return response.pipe(body)
}

/** Calls `fail` when the body stalls, or takes too long in total. */
function limitTime(
  body: PassThrough,
  response: IncomingMessage,
  { stallMaxMs }: DownloadOptions,
  endsAt: number,
  fail: () => void,
): void {
  let bytes = 0
  // A reader that is slower than the server does not count as a stall.
  let isPaused = false
  const total = setTimeout(fail, endsAt - performance.now())
  const stall = setInterval(() => {
    if (bytes < STALL_BYTES_MIN && !isPaused) fail()
    bytes = 0
    isPaused = body.writableNeedDrain
  }, stallMaxMs)
  response.on('close', () => {
    clearTimeout(total)
    clearInterval(stall)
  })
  response.on('pause', () => {
    isPaused = true
  })
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
}

function reasonOf(request: ClientRequest, error: NodeJS.ErrnoException): DownloadFailure['reason'] {
  if ((request.socket as TLSSocket | null)?.authorizationError) return 'invalid_certificate'
  const hasResponded = /^(?:HPE_|ERR_SSL_|EPROTO$|EPIPE$|ECONNRESET$)/.test(error.code ?? '')
  return hasResponded ? 'invalid_response' : 'unreachable'
}

export const portOf = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>) =>
  Number(port) || (protocol === 'https:' ? 443 : 80)
export const isWebUrl = ({ protocol }: URL) => protocol === 'http:' || protocol === 'https:'
export const hasCredentials = ({ username, password }: URL) => username !== '' || password !== ''
