import type { AccountFacts } from '../../../schemas/account-facts.ts'

/**
 * The values that a user gives to connect an account. Each network names its own keys. Never logged, never returned.
 */
export type Credentials = Readonly<Record<string, string>>

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A response whose body is not parsed: parsed JSON can take 20 times the memory of its text. */
export interface UnparsedResponse {
  status: number
  headers: Headers
  text: string
}

/**
 * Makes a read, or returns its response from before: what deliveries of one account read to find their acts is read
 * once. `isConstant`: the response never changes. Null stands for a call that is not a read.
 */
export type Reading = (
  url: string | null,
  isConstant: boolean,
  call: () => Promise<UnparsedResponse>,
) => Promise<UnparsedResponse>

/** The arguments of an adapter's method for one call. */
export interface Io {
  credentials: Credentials
  /** The HTTP client for every call to a network. */
  fetch: typeof fetch
  /** Only for `reconcile`, and used by call-network.ts. */
  reading?: Reading
  /** Aborts when the time of the call, or the lease of the delivery, is over. */
  signal: AbortSignal
}

/** An account as its network knows it. */
export interface Profile {
  /** Stays the same when the handle changes. Not a secret. */
  externalId: string
  username: string
  displayName: string | null
  /** The address of its picture, as the call for the profile gives it; null or absent if it does not. */
  avatarUrl?: string | null | undefined
  /**
   * The longest caption, thread part or first comment that the account's own server accepts, in the unit of the
   * network's limits; null or absent if the network's limits apply.
   */
  textLengthMax?: number | null
  /**
   * The longest alternative text that the account's own server keeps; null or absent if the network's limit applies.
   */
  altTextLengthMax?: number | null
  /** The other limits that the account has instead of those of its network. Absent: they are not known. */
  facts?: AccountFacts
  /**
   * Names what the account shares a rate limit with, such as a bot that serves many channels; absent if each account
   * has its own. A PublishError with this `limitKey` rests every account that has it. Not a secret.
   */
  limitKey?: string
}
