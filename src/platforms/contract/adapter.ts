import type { Readable } from 'node:stream'
import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { Focus, Media } from '../../../schemas/media.ts'
import type { PostType } from '../../../schemas/platform.ts'
import type { Guarantee } from './guarantee.ts'
import type { Credentials, Io, Json, Profile } from './io.ts'
import type { FieldAct } from './limits.ts'
import type { ReadMetrics } from './metrics.ts'
import type { OAuth } from './oauth.ts'

/** A part of a file: `bytes` of it after the first `from`. */
export interface ByteRange {
  from: number
  /** At least 1. */
  bytes: number
}

/** A file of a post. Sizes in bytes and pixels, duration in seconds. */
export interface PublishedFile
  extends Omit<
    Media,
    'fps' | 'tracks' | 'pages' | 'focus' | 'fileName' | 'externalReference' | 'metadata' | 'createdAt'
  > {
  /** Absent or null: the centre. */
  focus?: Focus | null
  /** Opens the content, or a part of it. */
  open(range?: ByteRange): Promise<Readable>
  /**
   * A new signed address under which anybody can read the content for a day, for networks that fetch files; null if the
   * service has no public address.
   */
  publicUrl(): URL | null
}

/** The result of an act on the network. */
export interface Sent {
  /** The network's own id. */
  id: string
  /** A second value that a reply or a removal needs, on networks where the id is not enough. */
  ref?: string
  /** Public address; null if the network has none for it. */
  url: string | null
}

/** An act that is on the network, and whose id nothing tells. Nothing can reply to it. */
export interface Unidentified {
  id: null
  url: null
}

/** An act that is certainly on the network. Its id was found by its content alone, and may be that of another act. */
interface Located extends Sent {
  isOut: true
}

/**
 * One thing that a single call makes visible: a post, a part of a thread, a first comment, or what the network does for
 * a key of `fields` once the post is out.
 */
export interface Act {
  /** Postroom's own id of the account. */
  accountId: string
  kind: 'post' | 'comment' | FieldAct
  /** The type of the post; of other acts, that of the post above them. */
  postType: PostType
  /** A thumbnail or a playlist has the value of its key here. */
  text: string
  /** In order. Each part of a thread has its own; a comment has none. */
  media: readonly PublishedFile[]
  /** The override's `fields`, already checked against the network's rules. */
  fields: Readonly<Record<string, unknown>>
  /** The parent of the act: the part before it, or the post of a comment, a thumbnail or a playlist. */
  parent: Sent | null
  /** The first post of the thread; null in that post's own act. */
  root: Sent | null
  /** `Profile.altTextLengthMax` of the account. */
  altTextLengthMax?: number | null
  /** `Profile.facts` of the account. Null or absent: they are not known. */
  facts?: AccountFacts | null
  /** A UUID: the same for every attempt at this act, and used by no other act. */
  token: string
  /** When the first attempt began. Deterministic names are made from it and the token. */
  startedAt: Date
}

/** An act of a delivery that is on its network. */
export interface OnNetwork extends Sent {
  /** Postroom's own id of the account. */
  accountId: string
  kind: Act['kind']
  /** The type of the post; of a comment, that of the post above it. */
  postType: PostType
  /** When it became visible. */
  publishedAt: Date
  /** How many files it was published with. */
  fileCount: number
  /** The override's `fields` with which it was published. */
  fields: Act['fields']
}

/** A value that a key of `fields` may have for an account. */
export interface FieldOption {
  value: string
  /** The value's name on the network, for people. */
  label: string
  /** Further facts of the network about the value. */
  details?: Readonly<Record<string, Json>>
}

/** The values that a key of `fields` may have for an account, such as its boards. */
export interface FieldOptions {
  /** The keys of `fields` that the values depend on: `read` gets them, and their texts are not empty. */
  needs?: readonly string[]
  /**
   * Reads the values from the network. `fields` has the keys of `needs` only. `facts`: what else the network says about
   * the account for this key.
   */
  read(
    io: Io,
    fields: Readonly<Record<string, string>>,
  ): Promise<{ options: FieldOption[]; facts?: Readonly<Record<string, Json>> }>
}

/** The network needs time. `state` is stored with the delivery and passed back. */
export interface Wait<Prepared> {
  state: Prepared
  afterMs: number
}

/**
 * How one network is published to. The engine calls `prepare`, commits the intent together with what `prepare`
 * returned, and then calls `publish`; see src/engine/delivery/README.md. An adapter caches only what it can read
 * again, opens no timers, and calls networks through call-network.ts alone. Every method throws a PublishError when the
 * network or the connection fails.
 */
export interface Adapter<Prepared extends Json = Json> {
  /** A function if it depends on the act or the account. `reconcile` is not called for an act that is at-most-once. */
  guarantee: Guarantee | ((act: Pick<Act, 'kind' | 'postType'>, credentials: Credentials) => Guarantee)
  /** How long a post may take to show where `reconcile` looks, if longer than 30 seconds. */
  showsWithinMs?: number
  /** The version of the network's API that is called, and when it ends; absent if it has no known end. */
  apiVersion?: { name: string; endsAt: Date }
  /** How many deliveries one worker carries out at a time. */
  concurrency: number
  /** How accounts are connected by OAuth; absent if they are not. */
  oauth?: OAuth
  /** By key of `fields`: the values that depend on the account. */
  options?: Readonly<Record<string, FieldOptions>>
  /**
   * The time after which workers call `identify` again for `Profile.facts`. Absent: they hold until the account is
   * connected again.
   */
  factsLastMs?: number
  /** Absent if nothing of published posts is read. */
  readMetrics?: ReadMetrics
  /** Finds out to whom the credentials belong. Throws if they are refused. */
  identify(io: Io): Promise<Profile>
  /**
   * Does everything that readers cannot see yet: sessions, uploads, containers. May run again; `saved` is what the last
   * run returned, as JSON. Returns what `publish` needs (`ready`), or a request to be called again (`later`).
   */
  prepare(act: Act, io: Io, saved: Prepared | null): Promise<{ ready: Prepared } | { later: Wait<Prepared> }>
  /**
   * Makes the act visible. Further calls that readers see have to be repeatable. `processing`: the network has accepted
   * the act and needs time; it has to be one that `reconcile` can query. Throws a Duplicate if the network refuses the
   * act because an earlier call already made it. Throws an error with `discardsPrepared` if the network no longer has
   * what was prepared.
   */
  publish(act: Act, io: Io, ready: Prepared): Promise<Sent | { processing: Wait<Prepared> }>
  /**
   * Finds out whether an act is there, after its response was lost or while the network was processing it. Makes only
   * calls that may be repeated. `ready` is null if an older version committed the intent. `rejected` is the network's
   * final refusal, in its own words. Absent if the guarantee is at-most-once.
   */
  reconcile?(
    act: Act,
    io: Io,
    ready: Prepared | null,
  ): Promise<
    Sent | Located | Unidentified | 'absent' | 'unknown' | { rejected: string } | { processing: Wait<Prepared> }
  >
  /**
   * Removes an act from the network. Returns once the network has confirmed that it is gone, as `RemovalRule` says. May
   * run again: an act that is already gone is removed. Absent if `ChangeRules` say that the network offers no way.
   */
  remove?(published: OnNetwork, io: Io): Promise<void>
  /**
   * Gives an act on the network the text, and the `fields` of `EditRule.what`, that `act` has. `act` is the act as it
   * would be published now. Files stay as they are. May run again: an act that already has them stays as it is. Returns
   * the act as it is addressed from now on. Absent if `ChangeRules` say that the network offers no way.
   */
  edit?(act: Act, published: OnNetwork, io: Io): Promise<Sent>
}

/** An adapter whose prepared state only itself can read. */
// biome-ignore lint/suspicious/noExplicitAny: each adapter gets back its own state, which the engine stores as JSON
export type AnyAdapter = Adapter<any>
