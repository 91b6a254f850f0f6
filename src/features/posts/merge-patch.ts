import { type AccountOverride, ownFilesOf } from '../../../schemas/create-post.ts'
import type { Issue } from '../../../schemas/error.ts'
import type { OverridePatch, PatchPost } from '../../../schemas/patch-post.ts'
import type { PostType } from '../../../schemas/platform.ts'
import { invalidRequest } from '../../base/errors.ts'
import { mergeFields, mergeObject } from '../../base/http/merge-patch.ts'
import { findMetadataIssues, type Metadata } from '../../base/http/metadata.ts'
import { createIndex } from '../../platforms/rules/context.ts'
import { bothFiles, findStrayMedia, findStrayParts, findStrayTexts, givenTexts, NOT_TARGETED } from './body.ts'
import { type PostContent, requireAccountsToFit, type TargetContent } from './content.ts'
import { findQueueIssues } from './queue/request.ts'
import { mergeSchedule, type Schedule } from './schedule.ts'

/**
 * The content of a post after a patch. Throws 400 with details for overrides and thread parts of accounts, and texts of
 * files, that the post does not have then, for metadata over a limit, and for a local time that is no instant. Throws
 * 413 for more accounts than any post can have.
 */
export function mergePatch(post: PostContent, patch: PatchPost): PostContent {
  const accountIds = [...new Set(patch.accountIds ?? post.targets.map(({ accountId }) => accountId))]
  requireAccountsToFit(accountIds.length)
  const metadata = mergeMetadata(post, patch)
  // Slots take the place of all times.
  const schedule = mergeSchedule(post, patch.schedule ? {} : patch, accountIds)
  const issues = [
    ...findIssues(patch, new Set(accountIds)),
    ...(patch.schedule ? findQueueIssues(patch, new Set(accountIds)) : []),
    ...findMetadataIssues(metadata),
    ...('issues' in schedule ? schedule.issues : []),
  ]
  if (issues.length > 0) throw invalidRequest(issues)
  const known = new Map(post.targets.map((target) => [target.accountId, target]))
  const replaced = patch.accountOverrides && new Map(patch.accountOverrides.map((each) => [each.accountId, each]))
  const mediaIds = patch.mediaIds ?? post.mediaIds
  const targets = accountIds.map((accountId) =>
    mergeTarget(known.get(accountId) ?? { accountId, ...EMPTY }, patch, replaced),
  )
  const files = new Set([...mediaIds, ...targets.flatMap((target) => ownFilesOf(target)?.flat() ?? [])])
  const strayFiles = [
    ...findMediaIssues(patch, patch.postType ?? post.postType, targets),
    ...findStrayTexts(patch.altTexts, files),
  ]
  if (strayFiles.length > 0) throw invalidRequest(strayFiles)
  const altTexts = mergeAltTexts(post, patch, files)
  const { accountIds: _, accountOverrides, overrides, threadParts, timeZone, fold, schedule: __, ...replacing } = patch
  return { ...post, ...replacing, mediaIds, altTexts, ...(schedule as Schedule), metadata, targets }
}

const NO_OVERRIDE = {
  ...{ captionOverride: null, fields: null, mediaIds: null, threadMedia: null, mediaFit: null, padColor: null },
}
type Override = Pick<TargetContent, keyof typeof NO_OVERRIDE>
const EMPTY = { ...NO_OVERRIDE, threadParts: null }

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
function findMediaIssues({ accountOverrides, overrides }: PatchPost, postType: PostType, targets: TargetContent[]) {
  const findOverride = createIndex(() => accountOverrides?.map(({ accountId }) => accountId) ?? [])
  return targets.flatMap(({ accountId, ...target }): Issue[] => {
    const index = findOverride(accountId)
    const change = accountOverrides?.[index] ?? overrides?.[accountId] ?? {}
    const message =
      bothFiles(change) ??
      findStrayMedia({ postType, ...target, threadMedia: change.threadMedia ?? target.threadMedia })
    const path = accountOverrides ? ['accountOverrides', index] : ['overrides', accountId]
    return message ? [{ code: 'custom', path: [...path, 'threadMedia'], message }] : []
  })
}

/** The content for one account after a patch. `replaced` are the `accountOverrides` of the patch, by account. */
export function mergeTarget(
  target: TargetContent,
  patch: PatchPost,
  replaced?: ReadonlyMap<string, AccountOverride>,
): TargetContent {
  return { ...target, ...mergeOverride(target, patch, replaced), threadParts: mergeThreadParts(target, patch) }
}

function mergeOverride(
  { accountId, threadParts: _, ...before }: TargetContent,
  { overrides }: PatchPost,
  replaced: ReadonlyMap<string, AccountOverride> | undefined,
): Override {
  if (replaced) {
    const override = replaced.get(accountId)
    return {
      captionOverride: override?.captionOverride ?? null,
      fields: override?.fields ?? null,
      ...mergeFiles(NO_OVERRIDE, override ?? {}),
      mediaFit: override?.mediaFit ?? null,
      padColor: override?.padColor ?? null,
    }
  }
  const change: OverridePatch | null | undefined = overrides === null ? null : overrides?.[accountId]
  if (change === null) return NO_OVERRIDE
  return {
    captionOverride: change?.captionOverride === undefined ? before.captionOverride : change.captionOverride,
    fields: change?.fields === undefined ? before.fields : mergeFields(before.fields, change.fields),
    ...mergeFiles(before, change ?? {}),
    mediaFit: change?.mediaFit === undefined ? before.mediaFit : change.mediaFit,
    padColor: change?.padColor === undefined ? before.padColor : change.padColor,
  }
}

type OwnFiles = Pick<TargetContent, 'mediaIds' | 'threadMedia'>

/** Files of parts replace those of the first part, and the other way around. Empty lists are stored as no files. */
function mergeFiles(before: OwnFiles, { mediaIds, threadMedia }: Pick<OverridePatch, 'mediaIds' | 'threadMedia'>) {
  if (threadMedia?.every((files) => files.length === 0)) return { mediaIds: [], threadMedia: null }
  return {
    mediaIds: mediaIds === undefined ? (threadMedia ? null : before.mediaIds) : mediaIds,
    threadMedia: threadMedia === undefined ? (mediaIds ? null : before.threadMedia) : threadMedia,
  }
}

function mergeThreadParts({ accountId, threadParts }: TargetContent, patch: PatchPost): string[] | null {
  const parts = patch.threadParts === null ? null : patch.threadParts?.[accountId]
  return parts === undefined ? threadParts : parts
}

/** Texts of files that the post no longer has are removed. */
function mergeAltTexts({ altTexts }: PostContent, patch: PatchPost, files: ReadonlySet<string>) {
  const merged = patch.altTexts === null ? {} : { ...altTexts, ...patch.altTexts }
  return givenTexts(Object.fromEntries(Object.entries(merged).filter(([id]) => files.has(id))))
}

function mergeMetadata({ metadata }: PostContent, patch: PatchPost): Metadata | null {
  if (patch.metadata === undefined) return metadata
  return patch.metadata && (mergeObject(metadata, patch.metadata) as Metadata)
}
