import type { PostType } from '../../../schemas/platform.ts'
import type { GuaranteeRule } from '../../../src/platforms/contract/guarantee.ts'
import type { Credentials } from '../../../src/platforms/contract/io.ts'
import type { Json } from '../../faults/fuzz/values.ts'
import type { Teardown } from '../../helpers/database.ts'
import type { FakeNetwork, Reply } from './network.ts'

/** A fake network, and what tests of all networks know of it. */
export interface Scene<Fake extends FakeNetwork> {
  start(t: Teardown): Promise<Fake>
  /** The origins of the network that the fake stands for. */
  origins: readonly string[]
  /** The account that tests connect. */
  account(fake: Fake): { username?: string; credentials: Credentials; externalId?: string }
  /** Absent if accounts are connected by OAuth alone. */
  connectable?(fake: Fake): {
    /** The account as the service returns it. */
    account: { username: string; displayName: string; textLengthMax?: number }
    /** The part of the credentials that no response may contain. */
    secret: string
    /** The first call to the network, such as `GET /path`. */
    firstCall: string
    /** Calls of the delivery of a post with an image, or of a text if the fake takes none. */
    postCalls: readonly string[]
  }
  /** How many acts readers see. */
  countVisible(fake: Fake): number
  /** The keys of `fields` that every post needs. */
  fields?: object
  /** Values of `fields` that only the network knows; an empty list leaves a key out. */
  knownFields?: Partial<Record<string, readonly Json[]>>
  controls(fake: Fake, time: { now: Date }): NetworkControls
  /** Absent if the network lets nobody remove or edit posts. */
  published?(fake: Fake): Published
}

/** The published acts of a fake network, by the ids that the adapter returned. */
interface Published {
  /** The text that readers see; undefined if they do not see the act. */
  textOf(id: string): string | undefined
  /** How often the act was edited. */
  editsOf(id: string): number
  /** The owner removes the act on the network itself. */
  remove(id: string): void
}

/** A kind of post: its type, and what it consists of. */
export interface Kind {
  name: string
  postType: PostType
  /** The last of its acts. */
  act: NonNullable<GuaranteeRule['act']>
  files: ('image' | 'video')[]
  acts: number
  /** Further keys of `fields`. */
  fields?: object
}

/**
 * Switches of a fake network. Each returns a function that undoes it. A switch is absent if the network has no such
 * feature.
 */
export interface NetworkControls {
  /** The response to a call above a limit that ends after this many seconds. */
  limited?(seconds: number): Reply
  /** The limit of a network that ends by itself. */
  limitSeconds?: number
  /** The part of the credentials that no error may have. Absent: the network makes no calls. */
  secret?: string
  /** The statuses of refused credentials. Absent: 401 and 403. */
  unauthorized?: readonly number[]
  /** The status of a redirect that means something else to the network. */
  notRedirect?: number
  revokeToken?(): () => void
  expireToken?(): () => void
  /** Whether the call that publishes posts of this kind has the token. Absent: each call has. */
  needsToken?(kind: Kind): boolean
  /** New posts and comments are missing from lists for a while. */
  showLate?(): () => void
  /** Whether the network processes posts of this kind. */
  processes?(kind: Kind): boolean
  /** Processing takes this many looks, or fails. */
  process?(looks: number | 'fails'): () => void
  /** How often a post of a network that sets this itself is claimed. */
  looks?: number
  /** Nothing tells that processing has failed: the post never shows. */
  hidesFailures?: true
}

export const LATE_MS = 45_000
export const HOUR_MS = 3_600_000

/** Sets properties until they are set back. */
export function set<T extends object>(target: T, values: Partial<T>): () => void {
  const before = Object.fromEntries(Object.keys(values).map((key) => [key, target[key as keyof T]]))
  Object.assign(target, values)
  return () => void Object.assign(target, before)
}

export const has =
  (...files: Kind['files']) =>
  (kind: Kind) =>
    kind.files.some((file) => files.includes(file))
