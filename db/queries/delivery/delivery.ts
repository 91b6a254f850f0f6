import { type Expression, type Selectable, sql } from 'kysely'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { PostType } from '../../../schemas/platform.ts'
import type { PostComment } from '../../../schemas/post-comment.ts'
import type { PostLinks } from '../../../schemas/post-links.ts'
import type { PostPoll } from '../../../schemas/post-poll.ts'
import type { PostTargets } from '../../types.ts'

/** The table has the name of version 1.0: processes of the previous version read it while a newer one migrates. */
export type DeliveryRow = Selectable<PostTargets>

/** When no call of a delivery that lost its response can arrive any more; null if none was lost. */
export const endOfFlight = (delivery: string, inFlightMs: Expression<number> | number) =>
  sql<Date | null>`${sql.ref(`${delivery}.lost_call_at`)} + ${inFlightMs}::float8 * interval '1 ms'`

/** Identifies a delivery: a post on one of its accounts. */
export interface DeliveryKey {
  userId: string
  postId: string
  accountId: string
}

/** A delivery that a worker holds. */
export interface HeldDelivery extends DeliveryKey {
  leaseToken: string
}

/** The content of a delivery, apart from its files: that of its post, and its own. */
export interface PlannedContent {
  postType: PostType
  caption: string
  firstComment: string | null
  comments: PostComment[] | null
  poll: PostPoll | null
  links: PostLinks | null
  captionOverride: string | null
  captionSuffix: string | null
  threadParts: string[] | null
  fields: Record<string, unknown> | null
}

/** The columns of `PlannedContent`, from `posts` and a row of `post_targets`. */
export const contentColumns = (delivery: string) =>
  sql.join([
    ...['post_type', 'caption', 'first_comment', 'comments', 'poll', 'links'].map((column) =>
      sql.ref(`posts.${column}`),
    ),
    ...['caption_override', 'caption_suffix', 'thread_parts', 'fields'].map((column) =>
      sql.ref(`${delivery}.${column}`),
    ),
  ])

/** The objects on the network after an act. An `id` of null is unknown: the owner reported the post as published. */
export interface SentAct {
  id: string | null
  url: string | null
  ref?: string
  /** Why this act, which is not the post, was left out. Its id and url are null. */
  error?: DeliveryError
  /** When the act was removed from the network. */
  removedAt?: string
  /** How often it was edited, and the id of the last `StoredEdit`. Absent: never. */
  edits?: number
  editId?: string
}

/** The content of a delivery that an edit changes. */
export interface EditContent {
  captionOverride: string | null
  fields: Record<string, unknown> | null
  textDigest: string | null
}

/** An edit of a published delivery. It is stored while it is under way, and after it has failed. */
export interface StoredEdit {
  /** Tells edits of one delivery apart. */
  id: string
  state: 'pending' | 'failed'
  /** Absent if the edit was made after the backup from which the database was restored. */
  content?: EditContent
  error: DeliveryError | null
}

/** The state that the adapter last returned to be kept for the act with this number, as JSON. */
export interface PreparedAct {
  act: number
  state: unknown
  /**
   * The failures in a row when the delivery began to wait for its network. Absent before that, and if an older version
   * wrote it.
   */
  failuresBefore?: number
}
