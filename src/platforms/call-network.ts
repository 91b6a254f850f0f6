import { randomUUID } from 'node:crypto'
import { FILE_EXTENSIONS, type MediaType } from '../../schemas/media.ts'
import { type Io, PublishError, type PublishedFile, retryAfterMs, unanswered } from './adapter.ts'

/** An answer that refuses: what a network's own rules make an error of. */
export interface Refusal {
  status: number
  /** The parsed JSON of its body; undefined where it is none. */
  body: unknown
  headers: Headers
}

/** How one network is spoken to. */
export interface Network {
  /** Named to the owner of the post. */
  host: string
  /** What must never be told, even where the network repeats it. */
  secrets: readonly string[]
  /** The network's own words about a refusal. A body without them is not the network's, but of something in front of it. */
  words(body: unknown): string | undefined
  /** Whether a refusal of the network's own means that the credentials are no good any more. */
  isUnauthorized(refusal: Refusal): boolean
  /** What another 4xx means, where it is more than that the content is refused. */
  meaning?(refusal: Refusal): 'may be sent' | 'again later' | undefined
  /** How long the network wants to be left alone, where it says it elsewhere, or better, than in `Retry-After`. */
  retryAfterMs?(refusal: Refusal): number | undefined
}

interface CallOptions {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  /** Sent as JSON, unless it is a form. */
  body?: object
  /** Whether people see what this call does, so that a lost answer leaves it open. */
  visible?: boolean
}

export interface Answer {
  status: number
  /** The parsed JSON; undefined where it is none. */
  body: unknown
}

/** Answers are a few KB; a server that sends more is not the network. */
const ANSWER_BYTES_MAX = 1_048_576

/** Calls a network once. Gives a 2xx, and throws a PublishError for everything else. */
export async function call(
  network: Network,
  io: Pick<Io, 'fetch' | 'signal'>,
  url: string,
  { method = 'GET', headers, body, visible = false }: CallOptions = {},
): Promise<Answer> {
  const form = body instanceof Form ? body : undefined
  // Nothing is handed over once the delivery has ended.
  const way = { form, isOpen: visible && !io.signal.aborted }
  let response: Response
  try {
    response = await io.fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(form ? form.headers : body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(form ? { body: form.stream(), duplex: 'half' } : body && { body: JSON.stringify(body) }),
      signal: io.signal,
      // A redirected POST would become a GET, and carry the credentials to another host.
      redirect: 'manual',
    })
  } catch (error) {
    throw lost(error, network.host, way)
  }
  const { status, ok } = response
  let text: string | undefined
  try {
    text = await readText(response, ANSWER_BYTES_MAX)
  } catch (error) {
    // A refusal is one without its body, too.
    if (ok || status >= 500) throw lost(error, network.host, way)
  }
  const parsed = parse(text)
  if (!ok) throw refused(network, { status, body: parsed, headers: response.headers }, visible)
  return { status, body: parsed }
}

/** A 2xx that does not say what it has to. */
export function unexpected(host: string, visible: boolean): PublishError {
  return new PublishError(`${host} answered something that is not understood`, {
    code: 'unexpected_answer',
    maybeSent: visible,
    retryable: true,
  })
}

/** The content, or the way it is to be published, is not possible: found out before anything was sent. */
export function impossible(message: string): PublishError {
  return new PublishError(message, { code: 'content_refused', maybeSent: false, retryable: false })
}

/** The credentials are no good, or not of the shape that the network gives out. */
export function unauthorized(message: string): PublishError {
  return new PublishError(message, {
    code: 'unauthorized',
    maybeSent: false,
    retryable: false,
    needsAttention: true,
  })
}

/** Something on the way, in front of the network, did not let the call through. */
const notLetThrough = (message: string) =>
  new PublishError(message, { code: 'unreachable', maybeSent: false, retryable: true })

/** Where a server that redirects its callers wants them to go. */
const elsewhere = (host: string, location: string | null) => {
  const target = URL.parse(location ?? '', `https://${host}`)?.host
  return target && target !== host ? target : 'another address'
}

/**
 * What an answer means that any server on the way may give, whatever the network; undefined where it is for the network
 * to say. A 301 and a 308 are for good, and other redirections for a time (RFC 9110, 15.4). 408, 421 and 425 are of a call
 * that was not carried out, and may be made again (RFC 9110, 15.5.9 and 15.5.20; RFC 8470, 5.2). `words` are the network's
 * own.
 */
export function passing(
  host: string,
  { status, headers }: Pick<Refusal, 'status' | 'headers'>,
  words: string | undefined,
): PublishError | undefined {
  if (status < 400) {
    const target = elsewhere(host, headers.get('location'))
    // Credentials go to the address that they were given for, and to no other: only the account's owner can change it.
    if (status === 301 || status === 308) {
      return unauthorized(`${host} has moved to ${target}: connect the account again, with its new address`)
    }
    return notLetThrough(`${host} sends its callers to ${target} for now`)
  }
  if ([408, 421, 425].includes(status)) return notLetThrough(`${host}: ${words ?? `it answered ${status}`}`)
  // The page of a firewall, such as Cloudflare's, which lets through what it wants to, and says nothing about the account.
  if ((status === 401 || status === 403) && words === undefined) {
    return notLetThrough(`${host}: something in front of it answered ${status}`)
  }
  return undefined
}

/** The bytes of a file could not be had, or were not as many as promised: nothing was sent that a server would take. */
export const unreadable = () =>
  new PublishError('A file of the post could not be read', {
    code: 'media_unreadable',
    maybeSent: false,
    retryable: true,
  })

/** What stands at a path in JSON that need not have it. */
export function at(json: unknown, ...path: (string | number)[]): unknown {
  let value = json
  for (const key of path) value = (value as Record<string | number, unknown> | null | undefined)?.[key]
  return value
}

/** The text or number at a path, as text: ids are strings at Mastodon and Discord, and numbers at Telegram. */
export function textAt(json: unknown, ...path: (string | number)[]): string | undefined {
  const value = at(json, ...path)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** An alternative text, cut to what the network takes: a post is worth more than the end of its description. */
export function cut(text: string, lengthMax: number): string {
  return [...text].slice(0, lengthMax).join('')
}

/** `isOpen` says whether a call without an answer may have been carried out. */
function lost(error: unknown, host: string, { form, isOpen }: { form: Form | undefined; isOpen: boolean }) {
  if (error instanceof PublishError) return error
  if (form?.isUnreadable) {
    return unreadable()
  }
  const { message, code, retryable, maybeSent } = unanswered(error, host)
  // A form of which a part was never handed over is not carried out by any server.
  return new PublishError(message, { code, retryable, maybeSent: maybeSent && isOpen && (form?.isRead ?? true) })
}

function refused(network: Network, refusal: Refusal, visible: boolean): PublishError {
  const { status, body, headers } = refusal
  const words = network.words(body)
  const said = network.secrets.reduce((text, secret) => text?.replaceAll(secret, '…'), words)
  const message = `${network.host}: ${said ?? `it answered ${status}`}`
  const wait = network.retryAfterMs?.(refusal) ?? retryAfterMs(headers)
  const later = wait === undefined ? {} : { retryAfterMs: wait }
  if (status === 429) {
    return new PublishError(message, { code: 'rate_limited', maybeSent: false, retryable: true, ...later })
  }
  // No 5xx is taken for a refusal, not even the documented ones: the proxies in front of every network answer 502, 503
  // and 504 of their own, also when the call went through.
  if (status >= 500) {
    return new PublishError(message, { code: 'server_error', maybeSent: visible, retryable: true, ...later })
  }
  const onTheWay = passing(network.host, refusal, said)
  if (onTheWay) return onTheWay
  if (words !== undefined && network.isUnauthorized(refusal)) return unauthorized(message)
  const meaning = network.meaning?.(refusal)
  if (meaning === undefined) return impossible(message)
  return new PublishError(message, { code: 'server_error', maybeSent: meaning === 'may be sent', retryable: true })
}

/** The body of an answer; nothing of one that is longer. */
export async function readText(response: Response, bytesMax: number): Promise<string> {
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

/** What JSON says; undefined where it is none. */
export function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

/** The name of a post's file on a network, by place and kind, since networks go by the extension. */
export function nameOf({ kind, mimeType }: PublishedFile, place: number): string {
  return `${kind}-${place + 1}.${FILE_EXTENSIONS[mimeType as MediaType]}`
}

export interface Upload {
  field: string
  /** Without quotes and line breaks, as `field` is. */
  name: string
  file: PublishedFile
}

/**
 * A multipart/form-data of texts and then files (RFC 7578), streamed with its length known, so that a video is never in
 * memory. Not a FormData: that takes blobs, and of a blob whose bytes fail, or of a call that is given up, Node 24 leaves
 * an unhandled rejection behind.
 */
export class Form {
  readonly headers: Record<string, string>
  /** Whether every byte has been handed over. */
  isRead = false
  /** Whether the bytes of a file could not be had, or were not as many as promised. */
  isUnreadable = false
  readonly #parts: (Buffer | PublishedFile)[] = []

  constructor(fields: Record<string, string>, uploads: readonly Upload[]) {
    const boundary = `postroom-${randomUUID()}`
    const add = (text: string) => this.#parts.push(Buffer.from(text))
    for (const [field, value] of Object.entries(fields)) {
      add(`--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`)
    }
    for (const { field, name, file } of uploads) {
      const disposition = `content-disposition: form-data; name="${field}"; filename="${name}"`
      add(`--${boundary}\r\n${disposition}\r\ncontent-type: ${file.mimeType}\r\n\r\n`)
      this.#parts.push(file)
      add('\r\n')
    }
    add(`--${boundary}--\r\n`)
    const bytes = this.#parts.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part.length : part.bytes), 0)
    this.headers = { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(bytes) }
  }

  stream(): ReadableStream<Uint8Array> {
    const bytes = this.#read()
    let isOver = false
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { value, done } = await bytes.next()
          if (isOver) return
          if (value) controller.enqueue(value)
          if (done) controller.close()
        } catch (error) {
          if (isOver) return
          this.isUnreadable = true
          controller.error(error)
        }
      },
      cancel: () => {
        isOver = true
        // Not awaited: a file that gives nothing any more would hold up the end of the call.
        bytes.return(undefined).catch(() => {})
      },
    })
  }

  async *#read(): AsyncGenerator<Uint8Array, undefined> {
    for (const part of this.#parts) {
      if (Buffer.isBuffer(part)) yield part
      else yield* exactly(part)
    }
    this.isRead = true
  }
}

/** The bytes of a file, which have to be as many as it is said to have. */
export async function* exactly(file: PublishedFile): AsyncGenerator<Uint8Array> {
  let left = file.bytes
  for await (const chunk of await file.open()) {
    left -= chunk.length
    if (left < 0) break
    yield chunk
  }
  if (left !== 0) throw new Error('a file is not as long as it was')
}
