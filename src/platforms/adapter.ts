import type { Readable } from 'node:stream'
import type { Media } from '../../schemas/media.ts'

/**
 * What a network offers for a call whose response was lost.
 * exactly-once: repeating the call changes nothing. reconcilable: the network can be asked whether the act is there.
 * at-most-once: neither, so the call is never repeated.
 */
export type Guarantee = 'exactly-once' | 'reconcilable' | 'at-most-once'

/** What a user gives to connect an account. Each network names its own keys. Never logged, never returned. */
export type Credentials = Readonly<Record<string, string>>

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A file of a post. Sizes in bytes and pixels, duration in seconds. */
export interface PublishedFile extends Omit<Media, 'fps' | 'createdAt'> {
  /** Opens the content, each time from its first byte. */
  open(): Promise<Readable>
}

/** What exists on the network after an act. */
export interface Sent {
  /** The network's own id. */
  id: string
  /** What a reply needs beside the id, on networks that want more. */
  ref?: string
  /** Public address; null where the network has none for it. */
  url: string | null
}

/** One thing that a single call makes visible: a post, a part of a thread, a first comment. */
export interface Act {
  /** Postroom's own id of the account. */
  accountId: string
  kind: 'post' | 'comment'
  text: string
  /** In order. The first part of a thread carries them; a comment has none. */
  media: readonly PublishedFile[]
  /** The override's `fields`, already checked against the network's rules. */
  fields: Readonly<Record<string, unknown>>
  /** What the act replies to: the part before it, or the post under a comment. */
  parent: Sent | null
  /** The first post of the thread; null for that post itself. */
  root: Sent | null
  /** A UUID: the same for every attempt at this act, and used by no other act. */
  token: string
  /** When the first attempt began. Deterministic names are made from it and the token. */
  startedAt: Date
}

/** An adapter's way to the network, for one call of one method. */
export interface Io {
  credentials: Credentials
  /** For every call to a network. Tests and operators decide where it leads. */
  fetch: typeof fetch
  /** Aborts when the delivery has to be given up. */
  signal: AbortSignal
}

/** An account as its network knows it. */
export interface Profile {
  /** Stays the same when the handle changes. Not a secret. */
  externalId: string
  username: string
  displayName: string | null
  /**
   * The longest caption, thread part or first comment that the account's own server accepts, in the unit of the network's
   * limits; null or absent where the network's limits apply.
   */
  textLengthMax?: number | null
  /**
   * Names what the account shares a rate limit with, such as a bot that serves many channels; absent where each account
   * has its own. A PublishError with this `limitKey` rests every account that has it. Not a secret.
   */
  limitKey?: string
}

/** The network needs time. `state` is stored with the delivery and passed back. */
export interface Wait<Prepared> {
  state: Prepared
  afterMs: number
}

/**
 * How one network is published to. The engine calls `prepare`, commits the intent together with what `prepare` returned,
 * and then calls `publish`; see src/delivery/README.md. An adapter holds no state that matters, opens no timers, and calls
 * networks through call-network.ts alone. Every method throws a PublishError when the network, or the way to it, fails.
 */
export interface Adapter<Prepared extends Json = Json> {
  guarantee: Guarantee
  /** How many deliveries one worker carries out at a time. */
  concurrency: number
  /** Asks the network whose credentials these are. */
  identify(io: Io): Promise<Profile>
  /**
   * Does everything that readers cannot see yet: sessions, uploads, containers. May run again; `saved` is what the last
   * run returned. Gives what `publish` needs, or asks to be called again after `afterMs`.
   */
  prepare(act: Act, io: Io, saved: Prepared | null): Promise<{ ready: Prepared } | { later: Wait<Prepared> }>
  /** Makes the one call that makes the act visible. The network may accept it and need time to carry it out. */
  publish(act: Act, io: Io, ready: Prepared): Promise<Sent | { processing: Wait<Prepared> }>
  /**
   * Finds out whether an act is there whose response was lost, or which the network was still processing. Only reads, or
   * repeats calls that change nothing when repeated. `rejected` is the network's final refusal, in its own words. Absent
   * where the guarantee is at-most-once.
   */
  reconcile?(
    act: Act,
    io: Io,
    ready: Prepared,
  ): Promise<Sent | 'absent' | 'unknown' | { rejected: string } | { processing: Wait<Prepared> }>
}

/** For a network whose calls need nothing before the one that publishes. */
export const readyAtOnce = async (): Promise<{ ready: null }> => ({ ready: null })
