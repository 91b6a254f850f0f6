import { type AccountOverride, type CreatePost, ownFilesOf } from '../../../schemas/create-post.ts'
import type { Issue } from '../../../schemas/error.ts'
import type { PostType } from '../../../schemas/platform.ts'
import type { QueueOrder } from '../../../schemas/queue.ts'
import { invalidRequest } from '../../base/errors.ts'
import { findLongNames } from '../../base/http/metadata.ts'
import { createIndex, type PostToCheck } from '../../platforms/rules/context.ts'
import { formatCount } from '../../platforms/rules/wording.ts'
import type { PostToComplete } from './default-fields.ts'
import { findQueueIssues } from './queue/request.ts'
import { readSchedule, type Schedule } from './schedule.ts'
import { isScheduling } from './scope.ts'

/** Properties of a body that are read. The others are stored as they were sent. */
type Read = keyof PostToCheck | keyof Schedule | 'accountIds' | 'accountOverrides' | 'timeZone' | 'fold' | 'schedule'

/** A post as the body of a request describes it. */
export interface RequestedPost
  extends Omit<CreatePost, Read>,
    PostToCheck,
    Schedule,
    Required<Pick<PostToComplete, 'isNewAccount'>> {
  /** Each once, in the order of the request. */
  accountIds: string[]
  /** The first index of an account in the request. */
  findAccountIndex: (id: string) => number
  mediaIds: string[]
  /** How the post takes slots of its accounts. It has no time before. */
  queue: QueueOrder | undefined
}

/**
 * Reads the body of a create request. Throws 400 with details for overrides and thread parts of accounts that the post
 * lacks, for too long names of metadata, and for a local time that is no instant.
 */
export function readBody(body: CreatePost): RequestedPost {
  const schedule = readSchedule(body)
  const accountIds = new Set(body.accountIds)
  const issues = [...findContentIssues(body, accountIds), ...issuesOf(schedule)]
  if (issues.length > 0) throw invalidRequest(issues)
  const { accountOverrides, timeZone: _, fold: __, schedule: queued, ...content } = body
  const { scheduledAt, ...times } = schedule as Schedule
  return {
    ...content,
    firstComment: body.firstComment ?? null,
    accountIds: [...accountIds],
    findAccountIndex: createIndex(() => body.accountIds),
    isNewAccount: () => true,
    scheduledAt,
    ...times,
    queue: queued?.queue,
    scheduled: isScheduling(body),
    altTexts: givenTexts(body.altTexts),
    overrides: new Map(accountOverrides.map((override) => [override.accountId, override])),
    threadParts: new Map(Object.entries(body.threadParts ?? {})),
  }
}

/** The mistakes in a body for which `readBody` throws. */
export const findIssues = (body: CreatePost): Issue[] => [
  ...findContentIssues(body, new Set(body.accountIds)),
  ...issuesOf(readSchedule(body)),
]

const findContentIssues = (body: CreatePost, accountIds: Set<string>): Issue[] => [
  ...findStrayParts(body, accountIds),
  ...findMediaIssues(body),
  ...(body.altTexts ? findStrayTexts(body.altTexts, listMediaIdsOf(body)) : []),
  ...findLongNames(body.metadata),
  ...(body.schedule ? findQueueIssues(body, accountIds) : []),
]

const issuesOf = (schedule: ReturnType<typeof readSchedule>): Issue[] => ('issues' in schedule ? schedule.issues : [])

/** The ids of all files in a body: those of the post, and of its overrides. */
const listMediaIdsOf = ({ mediaIds, accountOverrides }: CreatePost): Set<string> =>
  new Set([...mediaIds, ...accountOverrides.flatMap((override) => ownFilesOf(override)?.flat() ?? [])])

/** Finds the files of overrides that do not belong to the parts of a thread. */
const findMediaIssues = ({ postType, accountOverrides, threadParts }: CreatePost): Issue[] =>
  accountOverrides.flatMap((override, index) => {
    const content = { postType, threadParts: threadParts?.[override.accountId] ?? null }
    const message = bothFiles(override) ?? findStrayMedia({ ...content, threadMedia: override.threadMedia })
    return message ? [{ code: 'custom' as const, path: ['accountOverrides', index, 'threadMedia'], message }] : []
  })

/** The problem of a change that has two kinds of files. */
export const bothFiles = ({ mediaIds, threadMedia }: Pick<AccountOverride, 'mediaIds' | 'threadMedia'>) =>
  mediaIds && threadMedia
    ? 'Must be absent together with mediaIds: the first list has the files of the first part'
    : undefined

interface ThreadContent {
  postType: PostType
  threadParts: readonly string[] | null
  threadMedia?: readonly (readonly string[])[] | null | undefined
}

/** The problem of files that do not belong to the parts of a thread; undefined without one. */
export function findStrayMedia({ postType, threadParts, threadMedia }: ThreadContent): string | undefined {
  if (!threadMedia) return undefined
  if (postType !== 'thread') return `Needs postType thread: a ${postType} has mediaIds`
  // The caption is the only part of an account that has no parts.
  const count = Math.max(threadParts?.length ?? 0, 1)
  if (threadMedia.length === count) return undefined
  const [lists, parts] = [formatCount(threadMedia.length, 'list'), formatCount(count, 'part')]
  return `Has ${lists}, but the account has ${parts} in threadParts: give one list for each part, empty for none`
}

/** The alternative texts that are not null. Null without any. */
export function givenTexts(altTexts: CreatePost['altTexts']): Record<string, string> | null {
  const given = Object.entries(altTexts ?? {}).filter((entry): entry is [string, string] => entry[1] !== null)
  return given.length > 0 ? Object.fromEntries(given) : null
}

/** Finds alternative texts for files that the post does not have. */
export const findStrayTexts = (altTexts: CreatePost['altTexts'], mediaIds: ReadonlySet<string>): Issue[] =>
  Object.keys(altTexts ?? {})
    .filter((id) => !mediaIds.has(id))
    .map((id) => ({ code: 'custom', path: ['altTexts', id], message: 'Not one of the mediaIds of this post' }))

export const NOT_TARGETED = 'Not one of the accountIds of this post'

/** Finds overrides and thread parts for accounts that the post does not have, and repeated overrides. */
export function findStrayParts(
  body: Pick<CreatePost, 'accountOverrides' | 'threadParts'>,
  accountIds: Set<string>,
): Issue[] {
  const issues: Issue[] = []
  const overridden = new Set<string>()
  for (const [index, { accountId }] of body.accountOverrides.entries()) {
    const path = ['accountOverrides', index, 'accountId']
    if (!accountIds.has(accountId)) issues.push({ code: 'custom', path, message: NOT_TARGETED })
    else if (overridden.has(accountId)) {
      issues.push({ code: 'custom', path, message: 'Only one override for each account is allowed' })
    }
    overridden.add(accountId)
  }
  for (const accountId of Object.keys(body.threadParts ?? {})) {
    if (!accountIds.has(accountId)) {
      issues.push({ code: 'custom', path: ['threadParts', accountId], message: NOT_TARGETED })
    }
  }
  return issues
}
