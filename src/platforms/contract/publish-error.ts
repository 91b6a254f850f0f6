import type { Sent } from './adapter.ts'
import type { Credentials } from './io.ts'

interface PublishErrorOptions {
  /** For programs, in snake_case: rate_limited, unauthorized, content_refused, unreachable, timeout, server_error … */
  code: string
  /** False: the network certainly did not carry out the call. */
  maybeSent: boolean
  /** Whether the same call may succeed later. */
  retryable: boolean
  /** How long the network requires a pause. */
  retryAfterMs?: number
  /** `Profile.limitKey` of the accounts that have to pause; absent if only this account has to. */
  limitKey?: string
  /** The credentials no longer work: the owner of the account has to act. */
  needsAttention?: boolean
  /** The network no longer has what was prepared, such as an uploaded file. The next attempt prepares the act again. */
  discardsPrepared?: boolean
}

const MESSAGE_MAX = 600

/**
 * Text from a server that a user named, made safe to store: no control characters, no lone surrogates, at most
 * `lengthMax` UTF-16 units.
 */
export const storable = (text: string, lengthMax: number) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, lengthMax)
    .toWellFormed()

/**
 * A call to a network failed. The owner of the post reads the message: the network's own words if it has some, never
 * credentials.
 */
export class PublishError extends Error {
  readonly code: string
  readonly maybeSent: boolean
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  readonly limitKey: string | undefined
  readonly needsAttention: boolean
  readonly discardsPrepared: boolean

  constructor(
    message: string,
    {
      code,
      maybeSent,
      retryable,
      retryAfterMs,
      limitKey,
      needsAttention = false,
      discardsPrepared = false,
    }: PublishErrorOptions,
  ) {
    super(storable(message, MESSAGE_MAX))
    this.code = code
    this.maybeSent = maybeSent
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
    this.limitKey = limitKey
    this.needsAttention = needsAttention
    this.discardsPrepared = discardsPrepared
  }
}

/** An account whose network gave it another id, as it is stored from now on. */
export interface NewAddress {
  credentials: Credentials
  externalId: string
}

/** The network has given the account another id, and certainly did not carry out the call. */
export class Moved extends PublishError {
  readonly to: NewAddress

  constructor(message: string, options: PublishErrorOptions, to: NewAddress) {
    super(message, options)
    this.to = to
  }
}

/** The network refused the act as a copy of one that it made since the first attempt. */
export class Duplicate extends PublishError {
  readonly earlier: Sent

  constructor(message: string, earlier: Sent) {
    super(message, { code: 'content_refused', maybeSent: false, retryable: false })
    this.earlier = earlier
  }
}

/** The content cannot be published as it is. Found before anything was sent. */
export const impossible = (message: string) =>
  new PublishError(message, { code: 'content_refused', maybeSent: false, retryable: false })

/** The network no longer has the act that was to be changed. */
export const postGone = (host: string) =>
  new PublishError(`${host} no longer has this post`, { code: 'post_gone', maybeSent: false, retryable: false })

/** The credentials are not those of the account that the act belongs to. */
export const ofAnotherAccount = (host: string) => impossible(`${host}: this post belongs to another account`)

/** The credentials do not work, or do not have the form that the network gives out. */
export const unauthorized = (message: string) =>
  new PublishError(message, { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true })

/** The user consented to another account than the flow began with. */
export const otherAccount = (message: string) =>
  new PublishError(message, { code: 'other_account', maybeSent: false, retryable: false })

/** The user did not allow what publishing needs. */
export const scopesMissing = (message: string) =>
  new PublishError(message, { code: 'scopes_missing', maybeSent: false, retryable: false })

/** The user can publish to no account of the network. */
export const nothingToChoose = (message: string) =>
  new PublishError(message, { code: 'nothing_to_choose', maybeSent: false, retryable: false })

/**
 * The content of a file could not be read, or had another length than stored: no server accepts such a request. A cause
 * that is a PublishError stays as it is: the storage itself failed.
 */
export const unreadable = (cause?: unknown) =>
  cause instanceof PublishError
    ? cause
    : Object.assign(
        new PublishError('A file of the post could not be read', {
          code: 'media_unreadable',
          maybeSent: false,
          retryable: true,
        }),
        { cause },
      )

/** The network took too long for something that readers cannot see yet. */
export const notFinishedInTime = (message: string) =>
  new PublishError(message, { code: 'timeout', maybeSent: false, retryable: true })

/** A 2xx response without the expected content. */
export const unexpected = (host: string, visible: boolean) =>
  new PublishError(`${host} sent a response that Postroom does not understand`, {
    code: 'unexpected_answer',
    maybeSent: visible,
    retryable: true,
  })

/** The same failure after the visible call. */
export function withMaybeSent(error: PublishError, maybeSent: boolean): PublishError {
  const { message, code, retryable, needsAttention, retryAfterMs, limitKey } = error
  return new PublishError(message, {
    code,
    maybeSent,
    retryable,
    needsAttention,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(limitKey !== undefined && { limitKey }),
  })
}
