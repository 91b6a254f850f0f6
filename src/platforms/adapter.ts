import type { Readable } from 'node:stream'
import type { Media } from '../../schemas/media.ts'

/**
 * What a network does about a call whose answer was lost.
 * exactly-once: the same call again changes nothing. reconcilable: the network can be asked whether it was carried out.
 * at-most-once: nobody can know, so it is never made again.
 */
export type Guarantee = 'exactly-once' | 'reconcilable' | 'at-most-once'

/** What a user gives to connect an account; each network names its own keys. Never logged, never answered. */
export type Credentials = Readonly<Record<string, string>>

/** A file of a post. Sizes in bytes and pixels, seconds. */
export interface PublishedFile extends Omit<Media, 'fps' | 'createdAt'> {
  /** The bytes, from the beginning each time. */
  open(): Promise<Readable>
}

/** What exists on the network since it was sent. */
export interface Sent {
  /** The network's own id. */
  id: string
  /** What it takes to answer to it, where that is more than the id. */
  ref?: string
  /** Where people see it; null where the network has no address for it. */
  url: string | null
}

/** One thing that becomes visible on a network by one call: a post, a part of a thread, a first comment. */
export interface Act {
  /** Postroom's own id of the account. */
  accountId: string
  kind: 'post' | 'comment'
  text: string
  /** In order; of a thread, the first part carries them. Always empty for a comment. */
  media: readonly PublishedFile[]
  /** The override's `fields`, which the network's own rules have let pass. */
  fields: Readonly<Record<string, unknown>>
  /** What it answers to: the part before it, or the post that is commented on. */
  parent: Sent | null
  /** The first post of the thread; null for that one. */
  root: Sent | null
  /** A UUID: the same for each attempt at this act, and of no other act. */
  token: string
  /** When the first attempt began. Deterministic names are made from it and the token. */
  startedAt: Date
}

export interface Io {
  /** For every call to a network: tests and operators decide where it leads. */
  fetch: typeof fetch
  /** Aborts when the delivery has to be given up. */
  signal: AbortSignal
  /**
   * To be awaited once, right before the call that makes the act visible. From then on, an error without a clear refusal
   * means that nobody knows. Whatever comes before (a session, uploads of media) must change nothing that people see, and
   * may be done again.
   */
  intend(): Promise<void>
}

/** An account as its network knows it. */
export interface Profile {
  /** Stays when the handle changes. No secret. */
  externalId: string
  username: string
  displayName: string | null
  /**
   * The most that the account's own server takes in a caption, a part of a thread or a first comment, in the unit of the
   * network's limits, from 1 on; null or absent where those hold.
   */
  textLengthMax?: number | null
}

/** How posts get onto a network. Every method throws a PublishError where the network, or the way to it, fails. */
export interface Publishing {
  guarantee: Guarantee
  /** How many deliveries one worker carries out at a time. */
  concurrency: number
  /** Whose credentials these are, asked of the network. */
  identify(credentials: Credentials, io: Pick<Io, 'fetch' | 'signal'>): Promise<Profile>
  /** Makes one act visible, once. */
  send(act: Act, credentials: Credentials, io: Io): Promise<Sent>
  /** Whether an act whose answer was lost is there. Absent where the guarantee is at-most-once. */
  reconcile?(act: Act, credentials: Credentials, io: Pick<Io, 'fetch' | 'signal'>): Promise<Sent | 'absent' | 'unknown'>
}

interface PublishErrorOptions {
  /** For programs, in snake_case: rate_limited, unauthorized, content_refused, unreachable, timeout, server_error … */
  code: string
  /** False: the network did certainly not carry the call out. */
  maybeSent: boolean
  /** Whether the same call may succeed later. */
  retryable: boolean
  /** How long the network wants to be left alone. */
  retryAfterMs?: number
  /** The credentials are no good any more: the account needs its owner. */
  needsAttention?: boolean
}

const MESSAGE_MAX = 600

/**
 * What a server says, which a user has named and which may say anything: without control characters and halves of pairs,
 * which a database refuses, and at most so many UTF-16 units long.
 */
export const storable = (text: string, lengthMax: number) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, lengthMax)
    .toWellFormed()

/** A call to a network failed. The message is told to the owner of the post: the network's own words where it has some, never credentials. */
export class PublishError extends Error {
  readonly code: string
  readonly maybeSent: boolean
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  readonly needsAttention: boolean

  constructor(
    message: string,
    { code, maybeSent, retryable, retryAfterMs, needsAttention = false }: PublishErrorOptions,
  ) {
    // A failure has to be kept.
    super(storable(message, MESSAGE_MAX))
    this.code = code
    this.maybeSent = maybeSent
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
    this.needsAttention = needsAttention
  }
}

/** Errors of a connection that was never made, so that nothing can have been sent. */
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

/** What a `fetch` that failed without an answer means. `host` is named to the owner of the post. */
export function unanswered(error: unknown, host: string): PublishError {
  if (error instanceof PublishError) return error
  const { name, cause } = error as { name?: string; cause?: { code?: string } }
  const code = cause?.code ?? ''
  if (NOT_CONNECTED.includes(code)) {
    return new PublishError(`${host} could not be reached (${code})`, {
      code: 'unreachable',
      maybeSent: false,
      retryable: true,
    })
  }
  const isTimeout = name === 'AbortError' || name === 'TimeoutError' || /TIMEOUT/.test(code)
  return new PublishError(`${host} did not answer${isTimeout ? ' in time' : ''}`, {
    code: isTimeout ? 'timeout' : 'disconnected',
    maybeSent: true,
    retryable: true,
  })
}

/** `Retry-After` in milliseconds, given in seconds or as a date (RFC 9110, 10.2.3); undefined where there is none. */
export function retryAfterMs(headers: Headers, now: Date = new Date()): number | undefined {
  const value = headers.get('retry-after')
  if (!value) return undefined
  const ms = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
