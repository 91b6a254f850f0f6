import type { MediaFacts, MediaFit } from '../../../schemas/media.ts'
import type { PostType } from '../../../schemas/platform.ts'
import type { LocalSchedule } from '../../../schemas/post.ts'
import type { PostComment } from '../../../schemas/post-comment.ts'
import type { PostLinks } from '../../../schemas/post-links.ts'
import type { PostPoll } from '../../../schemas/post-poll.ts'
import type { QueueOrder } from '../../../schemas/queue.ts'
import type { BodyPath } from '../../../schemas/warning.ts'

/** The content of a post for one of its accounts alone. Null: that of the post. */
export interface OwnContent {
  /** An empty one is an empty caption. */
  captionOverride: string | null
  fields: Record<string, unknown> | null
  threadParts: readonly string[] | null
  mediaIds: readonly string[] | null
  /** The files of each part of the thread, in place of `mediaIds`. */
  threadMedia: readonly (readonly string[])[] | null
  mediaFit: MediaFit | null
  padColor: string | null
  /**
   * Follows the caption, or the last part of a thread. In a new target, null stands for that of its account, and an
   * empty one for none.
   */
  captionSuffix: string | null
}

/** A post on one of its accounts. */
export interface Target extends OwnContent {
  accountId: string
  /** Its own time. Null for that of the post. */
  scheduledAt: Date | null
  /** Whether its time is a slot that the queue has chosen. */
  isInSlot: boolean
  /** Whether the request adds the account. Its default fields are added then. */
  isNew: boolean
  /** The path of its override in the body of the request, for messages. */
  path: BodyPath
  /** The index of its account in the request, for messages. */
  index: number
}

/** The content that the accounts of a post share. */
interface SharedContent {
  postType: PostType
  caption: string
  firstComment: string | null
  /** In place of `firstComment`. */
  comments: readonly PostComment[] | null
  poll: PostPoll | null
  /** Parameters that addresses get. Null: none. */
  links: PostLinks | null
  /** In the order of the request, and with duplicates. */
  mediaIds: readonly string[]
  /** Alternative texts in place of those of the files, by the ids of the files. */
  altTexts: Readonly<Record<string, string>> | null
  /** Null: files are sent as they are. */
  mediaFit: MediaFit | null
  padColor: string | null
  externalReference: string | null
  metadata: Readonly<Record<string, string>> | null
}

/** A post, made once from the body of a request or from its row: all that its owner decides. */
export interface Post<T extends Target = Target> extends SharedContent {
  /** Present in a post whose files are published, and not checked again: those that were deleted since. */
  deletedFiles?: readonly MediaFacts[] | undefined
  /** Whether it has a time, or gets slots. Required content is checked only then; a draft may be incomplete. */
  isScheduled: boolean
  /** Null for a draft, and until the slots are taken. */
  scheduledAt: Date | null
  /** The local time of the request. Null if it gave an instant. */
  localSchedule: LocalSchedule | null
  /** How the post takes slots of its accounts. */
  queue?: QueueOrder | undefined
  /** Each account once, in the order of the request. */
  targets: readonly T[]
}

type Given<T> = { [K in keyof T]?: T[K] | undefined }

/** The own content that is given. Null for the rest. */
export const toOwnContent = (given: Given<OwnContent>): OwnContent => ({
  captionOverride: given.captionOverride ?? null,
  fields: given.fields ?? null,
  threadParts: given.threadParts ?? null,
  mediaIds: given.mediaIds ?? null,
  threadMedia: given.threadMedia ?? null,
  mediaFit: given.mediaFit ?? null,
  padColor: given.padColor ?? null,
  captionSuffix: given.captionSuffix ?? null,
})

/** The shared content that is given. Null for the rest. */
export const toSharedContent = (
  given: Given<SharedContent> & Pick<SharedContent, 'caption' | 'postType' | 'mediaIds'>,
): SharedContent => ({
  caption: given.caption,
  firstComment: given.firstComment ?? null,
  comments: given.comments ?? null,
  poll: given.poll ?? null,
  links: given.links ?? null,
  postType: given.postType,
  mediaIds: given.mediaIds,
  altTexts: given.altTexts ?? null,
  mediaFit: given.mediaFit ?? null,
  padColor: given.padColor ?? null,
  externalReference: given.externalReference ?? null,
  metadata: given.metadata ?? null,
})

/** A target that follows its post in everything. */
export const EMPTY_TARGET = { ...toOwnContent({}), scheduledAt: null, isInSlot: false, isNew: true }

/** A draft without content. */
export const EMPTY_DRAFT: Omit<Post, 'targets'> = {
  ...toSharedContent({ caption: '', postType: 'post', mediaIds: [] }),
  isScheduled: false,
  scheduledAt: null,
  localSchedule: null,
}
