import { type ErrorKeys, type ErrorRow, findRow, MEANINGS, type Meaning } from '../contract/error-table.ts'
import type { Io, UnparsedResponse } from '../contract/io.ts'
import {
  Moved,
  type NewAddress,
  PublishError,
  unauthorized,
  unexpected,
  unreadable,
} from '../contract/publish-error.ts'
import { type Answer, isAnswer } from './answer.ts'
import { parseJson } from './json.ts'
import { StreamedBody } from './request-body.ts'

/** A response with an error status, or with a body that reports an error. */
export interface Refusal {
  status: number
  /** The parsed JSON of the body; undefined if it is not JSON. */
  body: unknown
  headers: Headers
}

/** How one network reports errors. */
export interface NetworkRules {
  /** Named in error messages, which the owner of the post reads. */
  host: string
  /** Masked in error messages, since a network may repeat them. */
  secrets: readonly string[]
  /** The network's own words in an error body. Undefined marks the body of a proxy in front of the network. */
  words(body: unknown): string | undefined
  /** The meanings of its refusals. Another 4xx refuses the content. */
  errors: readonly ErrorRow[]
  /** The parts that rows are compared with. Absent: the status alone. */
  keysOf?(refusal: Refusal): ErrorKeys
  /** The required pause, if the network gives it outside of `Retry-After`, or more precisely. */
  retryAfterMs?(refusal: Refusal): number | undefined
  /** The account with the id that a refusal names. */
  movedTo?(refusal: Refusal): NewAddress
  /** Names the accounts that share limits with this one, such as those of its app. */
  limitKey?: string | undefined
  /** Whether the body of a 2xx response reports an error all the same. It then has the meaning of an error status. */
  reportsError?(body: unknown): boolean
  /**
   * Advice for a 403 without the network's words that comes from the network itself. Ends the message of that error.
   */
  blockAdvice?: string
  /**
   * Whether the host is a storage that the network named for one upload. Its redirects say nothing about the account.
   */
  isStorage?: boolean
  /** A longer response is not the network's. The default is 1 MiB. */
  responseBytesMax?: number
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  /** URLSearchParams are sent as a form, streamed bodies as they are, other objects as JSON. */
  body?: object
  /** Whether readers see what this call does, so that a lost response leaves its outcome open. */
  visible?: boolean
  /** Error statuses that this call takes for a success. */
  accept?: readonly number[]
  /** The response to this read never changes. */
  isConstant?: boolean
  /** Another body with a 2xx status is no answer. */
  answer: Answer
}

export interface NetworkResponse {
  status: number
  headers: Headers
  /** The parsed JSON; undefined if the body is not JSON. */
  body: unknown
}

/** The network refused the content. */
export class Refused extends PublishError {
  readonly refusal: Refusal
  /** Whether the body has words of the network. A proxy in front of it may have sent another one. */
  readonly hasWords: boolean
  /** The network has the content already. */
  readonly isDuplicate: boolean

  constructor(message: string, refusal: Refusal, { hasWords = true, isDuplicate = false } = {}) {
    super(message, { code: 'content_refused', maybeSent: false, retryable: false })
    this.refusal = refusal
    this.hasWords = hasWords
    this.isDuplicate = isDuplicate
  }
}

const RESPONSE_BYTES_MAX = 1_048_576

/** Calls a network once. Returns a 2xx response, and throws a PublishError for everything else. */
export async function callNetwork(
  network: NetworkRules,
  io: Pick<Io, 'fetch' | 'signal' | 'reading'>,
  url: string | URL,
  options: CallOptions,
): Promise<NetworkResponse> {
  const { method = 'GET', isConstant = false } = options
  if (!io.reading) return parse(network, await callOnce(network, io, url, options), options)
  const call = async () => {
    const response = await callOnce(network, io, url, options)
    // A body that is no answer is not kept.
    parse(network, response, options)
    return response
  }
  return parse(network, await io.reading(method === 'GET' ? String(url) : null, isConstant, call), options)
}

function parse(
  { host }: NetworkRules,
  { status, headers, text }: UnparsedResponse,
  { answer, visible = false }: CallOptions,
): NetworkResponse {
  const body = parseJson(text)
  if (status < 300 && !isAnswer(answer, body, text)) throw unexpected(host, visible)
  return { status, headers, body }
}

async function callOnce(
  network: NetworkRules,
  io: Pick<Io, 'fetch' | 'signal'>,
  url: string | URL,
  { method = 'GET', headers, body, visible = false, accept = [] }: CallOptions,
): Promise<UnparsedResponse> {
  const streamed = body instanceof StreamedBody ? body : undefined
  // fetch sends nothing once the signal has aborted.
  const maybeSent = visible && !io.signal.aborted
  let response: Response
  try {
    response = await io.fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...typeOf(body),
        ...headers,
      },
      ...(streamed ? { body: streamed.stream(), duplex: 'half' } : body && { body: textOf(body) }),
      signal: io.signal,
      // Following a redirect would turn a POST into a GET, and carry the credentials to another host.
      redirect: 'manual',
    })
  } catch (error) {
    throw lostResponse(error, network.host, streamed, maybeSent)
  }
  const { status, ok } = response
  let text: string | undefined
  try {
    text = await readText(response, network.responseBytesMax ?? RESPONSE_BYTES_MAX)
  } catch (error) {
    // A 4xx is a refusal even when its body is cut off.
    if (ok || status >= 500) throw lostResponse(error, network.host, streamed, maybeSent)
  }
  const isSuccess = ok ? !network.reportsError?.(parseJson(text)) : accept.includes(status)
  if (isSuccess) return { status, headers: response.headers, text: text ?? '' }
  throw refusalError(network, { status, body: parseJson(text), headers: response.headers }, visible)
}

const typeOf = (body: object | undefined): Record<string, string> => {
  if (!body) return {}
  if (body instanceof StreamedBody) return body.headers
  return { 'content-type': body instanceof URLSearchParams ? 'application/x-www-form-urlencoded' : 'application/json' }
}

const textOf = (body: object) => (body instanceof URLSearchParams ? body.toString() : JSON.stringify(body))

/** `maybeSent` says whether a call without a response may have been carried out. */
function lostResponse(error: unknown, host: string, body: StreamedBody | undefined, maybeSent: boolean) {
  if (error instanceof PublishError) return error
  if (body?.failure) return unreadable(body.failure)
  const { message, code, retryable, maybeSent: mayArrive } = connectionError(error, host)
  // No server carries out a request whose body it never received whole.
  return new PublishError(message, { code, retryable, maybeSent: mayArrive && maybeSent && (body?.isRead ?? true) })
}

function refusalError(network: NetworkRules, refusal: Refusal, visible: boolean): PublishError {
  const { status, body, headers } = refusal
  const words = network.words(body)
  // An empty password would match between all characters.
  const secrets = network.secrets.filter((secret) => secret !== '')
  const shown = secrets.reduce((text, secret) => text?.replaceAll(secret, '…'), words)
  const message = messageOf(network.host, status, shown)
  const row = findRow(network.errors, status, network.keysOf?.(refusal) ?? {})
  const means = row?.means ?? (status === 429 ? 'rate limited' : 'content refused')
  const { code, pauseMs, outcome: _, ...meaning }: Meaning = MEANINGS[means]
  const retryAfter = network.retryAfterMs?.(refusal) ?? retryAfterMs(headers) ?? row?.pauseMs ?? pauseMs
  const later = retryAfter === undefined ? {} : { retryAfterMs: retryAfter }
  const isOfAll = row?.isShared || means === 'app restricted'
  const shared = isOfAll && network.limitKey !== undefined ? { limitKey: network.limitKey } : {}
  const options = { code, maybeSent: false, retryable: false, ...meaning, ...later, ...shared }
  if (means === 'rate limited') return new PublishError(message, options)
  // No other 5xx counts as a refusal, not even a documented one: the proxies in front of every network send 502, 503
  // and 504 of their own, also when the call went through. A row that names the status knows the network's words.
  if (status >= 500 && row?.status !== status) {
    return new PublishError(message, { code: 'server_error', maybeSent: visible, retryable: true, ...later })
  }
  const fromProxy = status < 300 ? undefined : intermediaryError(network, refusal, shown)
  if (fromProxy) return fromProxy
  // A body without words of the network says nothing about the account.
  const isOfContent = code === 'content_refused' || (words === undefined && meaning.needsAttention)
  if (means === 'moved' && network.movedTo) return new Moved(message, options, network.movedTo(refusal))
  if (!isOfContent) return new PublishError(message, options)
  return new Refused(message, refusal, { hasWords: words !== undefined, isDuplicate: means === 'duplicate' })
}

const messageOf = (host: string, status: number, words: string | undefined) =>
  words === undefined ? `${host} responded with status ${status}` : `${host}: ${words}`

const unreachable = (message: string) =>
  new PublishError(message, { code: 'unreachable', maybeSent: false, retryable: true })

/**
 * The meaning of a response that any server between us and the network may send; undefined if the network itself sent
 * it. 301 and 308 are permanent, other redirections temporary (RFC 9110, 15.4). 408, 421 and 425 say that the call was
 * not carried out and may be repeated (RFC 9110, 15.5.9 and 15.5.20; RFC 8470, 5.2). `words` are the network's own.
 */
function intermediaryError(
  { host, isStorage, blockAdvice }: NetworkRules,
  { status, headers }: Refusal,
  words: string | undefined,
): PublishError | undefined {
  if (status < 400) {
    const target = redirectTarget(host, headers.get('location'))
    // Credentials go only to the address they were given for, which the account's owner alone can change.
    if (!isStorage && (status === 301 || status === 308)) {
      return unauthorized(`${host} has moved to ${target}: connect the account again, with its new address`)
    }
    return unreachable(`${host} redirects temporarily to ${target}, where nothing is sent`)
  }
  if ([408, 421, 425].includes(status)) return unreachable(messageOf(host, status, words))
  // A firewall such as Cloudflare's sends a page. It says nothing about the account.
  if ((status === 401 || status === 403) && words === undefined) {
    const advice = status === 403 && blockAdvice ? `. ${blockAdvice}` : ''
    return unreachable(`A proxy in front of ${host} responded with status ${status}${advice}`)
  }
  return undefined
}

const redirectTarget = (host: string, location: string | null) => {
  const target = URL.parse(location ?? '', `https://${host}`)?.host
  return target && target !== host ? target : 'another address'
}

/** Error codes of connections that were never made, so that nothing can have been sent. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]

/** The meaning of a `fetch` that failed without a response. The message names `host`. */
export function connectionError(error: unknown, host: string): PublishError {
  if (error instanceof PublishError) return error
  const { name, cause } = error as { name?: string; cause?: { code?: string } }
  const code = cause?.code ?? ''
  if (code === 'ENOTFOUND') {
    return unreachable(`${host} does not resolve to a public address: check its spelling (${code})`)
  }
  if (NOT_CONNECTED.includes(code)) return unreachable(`${host} could not be reached (${code})`)
  const isTimeout = name === 'AbortError' || name === 'TimeoutError' || /TIMEOUT/.test(code)
  return new PublishError(`${host} did not respond${isTimeout ? ' in time' : ': the connection was lost'}`, {
    code: isTimeout ? 'timeout' : 'disconnected',
    maybeSent: true,
    retryable: true,
  })
}

/** `Retry-After` in milliseconds, given in seconds or as a date (RFC 9110, 10.2.3); undefined if it is absent. */
export function retryAfterMs(headers: Headers, now: Date = new Date()): number | undefined {
  const value = headers.get('retry-after')
  if (!value) return undefined
  const ms = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

/** The body of a response; empty if it is longer than `bytesMax`. */
async function readText(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the stream.
    if (bytes > bytesMax) return ''
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
