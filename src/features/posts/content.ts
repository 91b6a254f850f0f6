import { ownFilesOf } from '../../../schemas/create-post.ts'
import type { LocalSchedule, PostDetail, PostTarget } from '../../../schemas/post.ts'
import { fail } from '../../base/errors.ts'
import { planTexts } from '../../engine/delivery/plan.ts'
import {
  type OwnContent,
  type Post,
  type Target,
  toOwnContent,
  toSharedContent,
} from '../../platforms/contract/post.ts'

/** A post as it is stored. A post that the API has returned has no slots. */
type StoredPost = Omit<PostDetail, 'targets'> & { targets: (PostTarget & { isInSlot?: boolean })[] }

/** The post of a row. Its paths lead into a patch that merges overrides. */
export const fromRow = (row: StoredPost): Post => ({
  ...toSharedContent(row),
  isScheduled: row.scheduledAt !== null,
  scheduledAt: row.scheduledAt === null ? null : new Date(row.scheduledAt),
  localSchedule: localScheduleOf(row),
  targets: row.targets.map(
    (target, index): Target => ({
      ...toOwnContent(target),
      accountId: target.accountId,
      scheduledAt: target.scheduledAt === null ? null : new Date(target.scheduledAt),
      isInSlot: target.isInSlot ?? false,
      isNew: false,
      path: ['overrides', target.accountId],
      index,
    }),
  ),
})

const localScheduleOf = ({ scheduledAt, scheduledAtLocal, timeZone, fold }: StoredPost): LocalSchedule | null =>
  scheduledAt !== null && scheduledAtLocal !== undefined && timeZone !== undefined
    ? { scheduledAt, scheduledAtLocal, timeZone, ...(fold && { fold }) }
    : null

/** The stored part of a post. */
export const contentOf = ({ scheduledAt, localSchedule, targets, ...post }: Post) => ({
  ...toSharedContent(post),
  scheduledAt,
  localSchedule,
  targets: targets.map((target) => ({
    ...toOwnContent(target),
    accountId: target.accountId,
    scheduledAt: target.scheduledAt,
    isInSlot: target.isInSlot,
  })),
})

/** The content that is sent to one account. */
export const sentContentOf = (
  post: Pick<Post, 'caption' | 'firstComment' | 'comments' | 'links' | 'poll' | 'postType' | 'mediaIds' | 'altTexts'>,
  target: Pick<OwnContent, 'captionOverride' | 'captionSuffix' | 'fields' | 'threadParts' | 'mediaIds' | 'threadMedia'>,
) => ({
  acts: planTexts({ ...post, ...target }),
  links: post.links,
  poll: post.poll,
  postType: post.postType,
  files: (ownFilesOf(target) ?? [post.mediaIds]).flatMap((ids, index) => ids.map((id) => ({ id, act: index + 1 }))),
  altTexts: post.altTexts,
  fields: target.fields ?? {},
})

/** The maximum length of the body that would create a post. Changes could add up to more. */
const BYTES_MAX = 1024 * 1024

/** Less than the bytes of one account in a post. */
const ACCOUNT_BYTES_MIN = 100

/** Throws the 413 of `requireSize` for more accounts than any post can have, before the post is put together. */
export function requireAccountsToFit(count: number): void {
  if (count * ACCOUNT_BYTES_MIN > BYTES_MAX) throw fail('body_too_large.post')
}

/**
 * The length of the post in bytes. Throws a 413 for a post that no request could create. `edits`: those of deliveries
 * that are under way or have failed, which are stored with the post.
 */
export function requireSize(post: Post, edits?: unknown[]): number {
  const bytes = Buffer.byteLength(JSON.stringify({ ...contentOf(post), edits }))
  if (bytes > BYTES_MAX) throw fail('body_too_large.post')
  return bytes
}
