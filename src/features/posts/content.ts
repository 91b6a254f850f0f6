import type { LocalSchedule } from '../../../db/queries/posts/columns.ts'
import { ownFilesOf } from '../../../schemas/create-post.ts'
import type { MediaFit } from '../../../schemas/media.ts'
import type { PostType } from '../../../schemas/platform.ts'
import type { PostDetail, PostTarget } from '../../../schemas/post.ts'
import { fail } from '../../base/errors.ts'
import type { Metadata } from '../../base/http/metadata.ts'
import { planTexts } from '../../engine/delivery/plan.ts'
import type { PostToCheck } from '../../platforms/rules/context.ts'
import type { Schedule } from './schedule.ts'

/** The content of a post for one account. */
export interface TargetContent {
  accountId: string
  captionOverride: string | null
  fields: Record<string, unknown> | null
  threadParts: string[] | null
  /** Null for the files of the post. */
  mediaIds: string[] | null
  /** The files of each part of the thread, in place of `mediaIds`. */
  threadMedia: string[][] | null
  /** Null for that of the post. */
  mediaFit: MediaFit | null
  padColor: string | null
}

/** All of a post that its owner decides. */
export interface PostContent extends Schedule {
  caption: string
  firstComment: string | null
  postType: PostType
  mediaIds: string[]
  /** By the ids of the files. */
  altTexts: Record<string, string> | null
  /** Null: files are sent as they are. */
  mediaFit: MediaFit | null
  padColor: string | null
  externalReference: string | null
  metadata: Metadata | null
  targets: TargetContent[]
}

/** A post as it is stored. A post that the API has returned has no slots. */
type StoredPost = Omit<PostDetail, 'targets'> & { targets: (PostTarget & { isInSlot?: boolean })[] }

/** The content of a stored post. */
export const contentOf = (post: StoredPost): PostContent => ({
  caption: post.caption,
  firstComment: post.firstComment,
  postType: post.postType,
  mediaIds: post.mediaIds,
  altTexts: post.altTexts ?? null,
  mediaFit: post.mediaFit ?? null,
  padColor: post.padColor ?? null,
  scheduledAt: post.scheduledAt === null ? null : new Date(post.scheduledAt),
  localSchedule: localScheduleOf(post),
  accountTimes: new Map(
    post.targets.flatMap(({ accountId, scheduledAt }) =>
      scheduledAt === null ? [] : [[accountId, new Date(scheduledAt)] as const],
    ),
  ),
  slotted: new Set(post.targets.filter(({ isInSlot }) => isInSlot).map(({ accountId }) => accountId)),
  externalReference: post.externalReference ?? null,
  metadata: post.metadata ?? null,
  targets: post.targets.map(
    ({ accountId, captionOverride, fields, threadParts, mediaIds, threadMedia, mediaFit, padColor }) => ({
      accountId,
      captionOverride,
      fields,
      threadParts,
      mediaIds,
      threadMedia: threadMedia ?? null,
      mediaFit: mediaFit ?? null,
      padColor: padColor ?? null,
    }),
  ),
})

const localScheduleOf = ({ scheduledAt, scheduledAtLocal, timeZone, fold }: StoredPost): LocalSchedule | null =>
  scheduledAt !== null && scheduledAtLocal !== undefined && timeZone !== undefined
    ? { scheduledAt, scheduledAtLocal, timeZone, ...(fold && { fold }) }
    : null

/** A post as `checkPost` gets it. */
export const toPostToCheck = ({
  scheduledAt,
  targets,
  ...post
}: PostContent): PostToCheck & { accountIds: string[] } => ({
  ...post,
  scheduled: scheduledAt !== null,
  accountIds: targets.map(({ accountId }) => accountId),
  overrides: new Map(
    targets.map(({ accountId, threadParts: _, fields, ...override }) => [
      accountId,
      { ...override, fields: fields ?? {} },
    ]),
  ),
  threadParts: new Map(targets.map(({ accountId, threadParts }) => [accountId, threadParts])),
})

/** The content that is sent to one account. */
export const sentContentOf = (
  post: PostContent,
  {
    captionOverride,
    fields,
    threadParts,
    ...own
  }: Pick<TargetContent, 'captionOverride' | 'fields' | 'threadParts' | 'mediaIds'> &
    Partial<Pick<TargetContent, 'threadMedia'>>,
) => ({
  acts: planTexts({ ...post, captionOverride, threadParts }),
  postType: post.postType,
  files: (ownFilesOf(own) ?? [post.mediaIds]).flatMap((ids, index) => ids.map((id) => ({ id, act: index + 1 }))),
  altTexts: post.altTexts,
  fields: fields ?? {},
})

/** The maximum length of the body that would create a post. Changes could add up to more. */
const BYTES_MAX = 1024 * 1024

/** Less than the bytes of one account in a post. */
const ACCOUNT_BYTES_MIN = 100

/** Throws the 413 of `requireSize` for more accounts than any post can have, before the post is put together. */
export function requireAccountsToFit(count: number): void {
  if (count * ACCOUNT_BYTES_MIN > BYTES_MAX) throw fail('body_too_large.post')
}

/** The length of the post in bytes. Throws a 413 for a post that no request could create. */
export function requireSize(post: PostContent): number {
  const bytes = Buffer.byteLength(JSON.stringify(post))
  if (bytes > BYTES_MAX) throw fail('body_too_large.post')
  return bytes
}
