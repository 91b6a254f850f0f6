import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { LimitCount } from '../../../schemas/validate-post.ts'
import type { ConditionTarget, Platform, PostTypeRule } from '../contract/limits.ts'
import type { Post, Target } from '../contract/post.ts'
import type { PostMedia } from './files.ts'
import type { TextCache } from './text-cache.ts'
import type { ViolationFacts } from './violation.ts'

/** The limits that an account has instead of its network's. */
export interface OwnLimits {
  /** For caption, thread parts and first comment. */
  textLengthMax?: number | null
  /** The longest alternative text that the server keeps. */
  altTextLengthMax?: number | null
  facts?: AccountFacts | null
}

export interface TargetAccount extends OwnLimits {
  id: string
  platform: PlatformId
  username: string
  /** The id of the account on its network; null if it was never connected. */
  externalId?: string | null
}

/** A target with the facts that the limits of its network are about. */
export interface LoadedTarget extends Target, ConditionTarget {
  account: TargetAccount
  /** Those of the network, with those of the account in their place. */
  limits: Platform
  /** Its own, or that of the post, as it is published: with its suffix, and with tagged links. */
  caption: string
  /** `threadParts` in the same form. */
  parts: readonly string[] | null
  /** The texts of the comments in the same form. */
  commentTexts: readonly string[]
  /** `fields` with tagged links, and with the poll of the post. */
  sentFields: Record<string, unknown>
  /** The keys of `fields` that the account has added. */
  defaultKeys?: ReadonlySet<string>
  /** The files as they are attached. */
  attached: PostMedia
  /** The files as they are sent. */
  media: PostMedia
}

/** One target of a post, and where its violations go. */
export interface CheckContext {
  post: Omit<Post, 'targets'>
  target: LoadedTarget
  platform: Platform
  /** Undefined if the network does not support the post type. */
  postTypeRule: PostTypeRule | undefined
  fields: Record<string, unknown>
  media: PostMedia
  texts: TextCache
  /** `rule` is the stable name of the violated rule, `problem` completes the message after the account's name. */
  addViolation: (rule: string, facts: ViolationFacts, problem: string) => void
  /** Gets every counter, over its limit or not. Absent on a create. */
  addCount: ((count: LimitCount) => void) | undefined
}
