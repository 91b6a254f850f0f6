import { type AccountOverride, type CreatePost, ownFilesOf } from '../../../schemas/create-post.ts'
import type { Issue } from '../../../schemas/error.ts'
import type { PatchPost } from '../../../schemas/patch-post.ts'
import type { PostType } from '../../../schemas/platform.ts'
import { COMMENT_PAUSE_DAYS_MAX, COMMENT_PAUSE_MAX_MS, pauseMsOf } from '../../../schemas/post-comment.ts'
import type { PostLinks } from '../../../schemas/post-links.ts'
import { invalidRequest } from '../../base/errors.ts'
import { findLongNames } from '../../base/http/metadata.ts'
import { EMPTY_TARGET, type Post, type Target, toOwnContent, toSharedContent } from '../../platforms/contract/post.ts'
import { commentsOf } from '../../platforms/rules/account-texts.ts'
import { formatCount } from '../../platforms/rules/wording.ts'
import { findQueueIssues } from './queue/request.ts'
import { readTimes } from './schedule.ts'
import { isScheduling } from './scope.ts'

/**
 * The post of a create request. Throws 400 with details for overrides and thread parts of accounts that the post lacks,
 * for too long names of metadata, and for a local time that is no instant.
 */
export function fromBody(body: CreatePost): Post {
  const read = readBody(body)
  if ('issues' in read) throw invalidRequest(read.issues)
  return read
}

/** The same, or the mistakes for which `fromBody` throws. */
export function readBody(body: CreatePost): Post | { issues: Issue[] } {
  const times = readTimes(body)
  const accountIds = new Set(body.accountIds)
  const issues = findContentIssues(body, accountIds)
  if ('issues' in times) return { issues: [...issues, ...times.issues] }
  if (issues.length > 0) return { issues }
  const post = {
    ...toSharedContent({ ...body, links: givenLinks(body.links), altTexts: givenTexts(body.altTexts) }),
    isScheduled: isScheduling(body),
    scheduledAt: times.scheduledAt,
    localSchedule: times.localSchedule,
    queue: body.schedule?.queue,
    targets: readTargets(body, accountIds, times.accountTimes),
  }
  const linkIssues = findLinkIssues(post)
  return linkIssues.length > 0 ? { issues: linkIssues } : post
}

/** Targets without content are copies of one, which is cheap: a body may have a hundred thousand ids. */
function readTargets(body: CreatePost, ids: ReadonlySet<string>, times: ReadonlyMap<string, Date>): Target[] {
  const { accountIds, accountOverrides } = body
  const threadParts = body.threadParts ?? {}
  const overrides = new Map(accountOverrides.map((override, index) => [override.accountId, { override, index }]))
  const firstIndexes =
    ids.size < accountIds.length ? new Map(accountIds.map((id, index) => [id, index] as const).reverse()) : undefined
  // That of an override which the request lacks.
  const nextPath = ['accountOverrides', accountOverrides.length]
  const targets: Target[] = []
  for (const accountId of ids) {
    const index = firstIndexes?.get(accountId) ?? targets.length
    const own = overrides.get(accountId)
    const parts = Object.hasOwn(threadParts, accountId) ? threadParts[accountId]! : null
    if (!own && !parts) targets.push({ ...EMPTY_TARGET, accountId, path: nextPath, index })
    else {
      targets.push({
        ...EMPTY_TARGET,
        ...toOwnContent(own?.override ?? {}),
        accountId,
        threadParts: parts,
        scheduledAt: times.get(accountId) ?? null,
        path: own ? ['accountOverrides', own.index] : nextPath,
        index,
      })
    }
  }
  return targets
}

const findContentIssues = (body: CreatePost, accountIds: Set<string>): Issue[] => [
  ...findStrayParts(body, accountIds),
  ...findMediaIssues(body),
  ...(body.altTexts ? findStrayTexts(body.altTexts, listMediaIdsOf(body)) : []),
  ...findLongNames(body.metadata),
  ...findCommentIssues(body),
  ...(body.schedule ? findQueueIssues(body, accountIds) : []),
]

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
  const lists = formatCount(threadMedia.length, 'list')
  return `Has ${lists}, but the account has ${formatCount(count, 'part')} in threadParts: give one list for each part, empty for none`
}

/** The alternative texts that are not null. Null without any. */
export function givenTexts(altTexts: CreatePost['altTexts']): Record<string, string> | null {
  const given = Object.entries(altTexts ?? {}).filter((entry): entry is [string, string] => entry[1] !== null)
  return given.length > 0 ? Object.fromEntries(given) : null
}

/** The parameters that addresses get. Null without any. */
export const givenLinks = (links: PostLinks | null | undefined): PostLinks | null =>
  links && Object.keys(links.utm).length > 0 ? links : null

/** Finds a first comment beside comments, pauses over the maximum, and repeated texts, which no query tells apart. */
export function findCommentIssues({ firstComment, comments }: Pick<PatchPost, 'firstComment' | 'comments'>): Issue[] {
  if (!comments) return []
  const issues: Issue[] = firstComment
    ? [{ code: 'custom', path: ['firstComment'], message: 'Must be absent together with comments, which has it first' }]
    : []
  const known = new Set<string>()
  for (const [index, comment] of comments.entries()) {
    const add = (key: string, message: string) =>
      issues.push({ code: 'custom', path: ['comments', index, key], message })
    const text = comment.text.normalize().replace(/\s+/gu, ' ').trim()
    if (known.has(text)) add('text', 'Repeats an earlier comment: use other words')
    known.add(text)
    if (pauseMsOf(comment) > COMMENT_PAUSE_MAX_MS) add('after', `Must be at most ${COMMENT_PAUSE_DAYS_MAX} days`)
  }
  return issues
}

/** Each address becomes longer, by some hundred characters on each network. */
const TAGGED_MAX = 1_000

/** Finds more addresses than a post may tag. */
export function findLinkIssues({ links, caption, targets, ...post }: Post): Issue[] {
  if (!links) return []
  const own = targets.flatMap(({ captionOverride, threadParts }) => [captionOverride ?? '', ...(threadParts ?? [])])
  const count = [caption, ...commentsOf(post).map(({ text }) => text), ...own].reduce(
    (sum, text) => sum + text.split('://').length - 1,
    0,
  )
  if (count <= TAGGED_MAX) return []
  const message = `The texts have ${count} addresses: at most ${TAGGED_MAX} are allowed with links`
  return [{ code: 'custom', path: ['links'], message }]
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
