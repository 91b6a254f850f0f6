import type { AccountOverride } from '../../../schemas/create-post.ts'
import type { Issue } from '../../../schemas/error.ts'
import type { OverridePatch, PatchPost } from '../../../schemas/patch-post.ts'
import type { PostType } from '../../../schemas/platform.ts'
import type { PostLinks } from '../../../schemas/post-links.ts'
import { invalidRequest } from '../../base/errors.ts'
import { mergeFields, mergeObject } from '../../base/http/merge-patch.ts'
import { findMetadataIssues, type Metadata } from '../../base/http/metadata.ts'
import { EMPTY_TARGET, type OwnContent, type Post, type Target, toOwnContent } from '../../platforms/contract/post.ts'
import { listMediaIds } from '../../platforms/rules/files.ts'
import {
  bothFiles,
  findCommentIssues,
  findLinkIssues,
  findStrayMedia,
  findStrayParts,
  findStrayTexts,
  givenLinks,
  givenTexts,
  NOT_TARGETED,
} from './body.ts'
import { requireAccountsToFit } from './content.ts'
import { findQueueIssues } from './queue/request.ts'
import { mergeTimes } from './schedule.ts'

/**
 * The post after a patch. Throws 400 with details for overrides and thread parts of accounts that it lacks then, and
 * for texts of files that it lacks. The same holds for metadata over a limit, and for a local time that is no instant.
 * Throws 413 for more accounts than any post can have.
 */
export function fromPatch(post: Post, patch: PatchPost): Post {
  const accountIds = [...new Set(patch.accountIds ?? post.targets.map(({ accountId }) => accountId))]
  requireAccountsToFit(accountIds.length)
  const metadata = mergeMetadata(post, patch)
  // Slots take the place of all times.
  const times = mergeTimes(post, patch.schedule ? {} : patch, accountIds)
  const issues = [
    ...findIssues(patch, new Set(accountIds)),
    ...(patch.schedule ? findQueueIssues(patch, new Set(accountIds)) : []),
    ...findCommentIssues(patch),
    ...findMetadataIssues(metadata),
    ...('issues' in times ? times.issues : []),
  ]
  if (issues.length > 0 || 'issues' in times) throw invalidRequest(issues)
  const postType = patch.postType ?? post.postType
  const mediaIds = patch.mediaIds ?? post.mediaIds
  const targets = mergeTargets(post, patch, accountIds).map((target, index) => ({
    ...target,
    ...times.targets[index]!,
  }))
  const files = new Set(listMediaIds({ mediaIds, targets }))
  const strayFiles = [...findMediaIssues(patch, postType, targets), ...findStrayTexts(patch.altTexts, files)]
  if (strayFiles.length > 0) throw invalidRequest(strayFiles)
  const { accountIds: _, accountOverrides, overrides, threadParts, timeZone, fold, schedule, ...replacing } = patch
  const merged = {
    ...post,
    ...replacing,
    mediaIds,
    // Each takes the place of the other.
    ...(patch.firstComment && { comments: null }),
    ...(patch.comments && { firstComment: null }),
    links: mergeLinks(post, patch),
    altTexts: mergeAltTexts(post, patch, files),
    metadata,
    isScheduled: times.scheduledAt !== null || schedule !== undefined,
    scheduledAt: times.scheduledAt,
    localSchedule: times.localSchedule,
    queue: schedule?.queue,
    targets,
  }
  const linkIssues = findLinkIssues(merged)
  if (linkIssues.length > 0) throw invalidRequest(linkIssues)
  return merged
}

/** Thread parts are no part of an override, and a suffix stays without one. */
type Override = Omit<OwnContent, 'threadParts' | 'captionSuffix'>

const overrideOf = (given: Partial<OwnContent>): Override => {
  const { threadParts: _, captionSuffix: __, ...override } = toOwnContent(given)
  return override
}

/** The targets after a patch, whose paths lead into it. */
function mergeTargets(post: Post, patch: PatchPost, accountIds: readonly string[]): Target[] {
  const known = new Map(post.targets.map((target) => [target.accountId, target]))
  const indexes = new Map((patch.accountIds ?? []).map((id, index) => [id, index] as const).reverse())
  const replaced =
    patch.accountOverrides && new Map(patch.accountOverrides.map((each, index) => [each.accountId, { each, index }]))
  return accountIds.map((accountId, position) => {
    const index = indexes.get(accountId) ?? position
    const path = replaced
      ? ['accountOverrides', replaced.get(accountId)?.index ?? replaced.size]
      : ['overrides', accountId]
    const target = { ...(known.get(accountId) ?? { ...EMPTY_TARGET, accountId }), path, index }
    return replaced ? replaceTarget(target, patch, replaced.get(accountId)?.each) : mergeTarget(target, patch)
  })
}

function findIssues(patch: PatchPost, accountIds: Set<string>): Issue[] {
  const { accountOverrides = [], overrides, threadParts = null } = patch
  const issues = findStrayParts({ accountOverrides, threadParts }, accountIds)
  for (const accountId of Object.keys(overrides ?? {})) {
    if (!accountIds.has(accountId)) {
      issues.push({ code: 'custom', path: ['overrides', accountId], message: NOT_TARGETED })
    }
  }
  if (overrides !== undefined && patch.accountOverrides) {
    issues.push({ code: 'custom', path: ['overrides'], message: 'Must be absent together with accountOverrides' })
  }
  return issues
}

/** Finds the files that do not belong to the parts of a thread after a patch. */
function findMediaIssues({ accountOverrides, overrides }: PatchPost, postType: PostType, targets: Target[]): Issue[] {
  const replaced = new Map(accountOverrides?.map((override) => [override.accountId, override]))
  return targets.flatMap(({ path, accountId, threadParts, threadMedia }): Issue[] => {
    const change = replaced.get(accountId) ?? overrides?.[accountId] ?? {}
    const message =
      bothFiles(change) ?? findStrayMedia({ postType, threadParts, threadMedia: change.threadMedia ?? threadMedia })
    return message ? [{ code: 'custom', path: [...path, 'threadMedia'], message }] : []
  })
}

/** A target after a patch that merges overrides. */
export const mergeTarget = (target: Target, patch: PatchPost): Target => ({
  ...target,
  ...mergeOverride(target, patch),
  captionSuffix: mergeSuffix(target, patch.overrides?.[target.accountId]),
  threadParts: mergeThreadParts(target, patch),
})

/** A target after a patch that replaces all overrides, and has this one for it. */
const replaceTarget = (target: Target, patch: PatchPost, override: Partial<AccountOverride> = {}): Target => ({
  ...target,
  ...overrideOf(override),
  ...mergeFiles({ mediaIds: null, threadMedia: null }, override),
  captionSuffix: mergeSuffix(target, override),
  threadParts: mergeThreadParts(target, patch),
})

/** An empty suffix of a new target keeps the one of its account out. */
function mergeSuffix({ captionSuffix, isNew }: Target, override: OverridePatch | null | undefined): string | null {
  const merged = override?.captionSuffix ?? captionSuffix
  return merged === '' && !isNew ? null : merged
}

function mergeOverride(before: Target, { overrides }: PatchPost): Override {
  const change: OverridePatch | null | undefined = overrides === null ? null : overrides?.[before.accountId]
  if (change === null) return overrideOf({})
  const { scheduledAt: _, ...own } = change ?? {}
  return {
    ...overrideOf({ ...before, ...own }),
    fields: change?.fields === undefined ? before.fields : mergeFields(before.fields, change.fields),
    ...mergeFiles(before, change ?? {}),
  }
}

type OwnFiles = Pick<OwnContent, 'mediaIds' | 'threadMedia'>

/** Files of parts replace those of the first part, and the other way around. Empty lists are stored as no files. */
function mergeFiles(before: OwnFiles, { mediaIds, threadMedia }: Pick<OverridePatch, 'mediaIds' | 'threadMedia'>) {
  if (threadMedia?.every((files) => files.length === 0)) return { mediaIds: [], threadMedia: null }
  return {
    mediaIds: mediaIds === undefined ? (threadMedia ? null : before.mediaIds) : mediaIds,
    threadMedia: threadMedia === undefined ? (mediaIds ? null : before.threadMedia) : threadMedia,
  }
}

function mergeThreadParts({ accountId, threadParts }: Target, patch: PatchPost) {
  const parts = patch.threadParts === null ? null : patch.threadParts?.[accountId]
  return parts === undefined ? threadParts : parts
}

/** Texts of files that the post no longer has are removed. */
function mergeAltTexts({ altTexts }: Post, patch: PatchPost, files: ReadonlySet<string>) {
  const merged = patch.altTexts === null ? {} : { ...altTexts, ...patch.altTexts }
  return givenTexts(Object.fromEntries(Object.entries(merged).filter(([id]) => files.has(id))))
}

function mergeLinks({ links }: Post, patch: PatchPost): PostLinks | null {
  return patch.links === undefined ? links : givenLinks(patch.links && (mergeObject(links, patch.links) as PostLinks))
}

function mergeMetadata({ metadata }: Post, patch: PatchPost): Metadata | null {
  if (patch.metadata === undefined) return metadata
  return patch.metadata && (mergeObject(metadata, patch.metadata) as Metadata)
}
