import { ownFilesOf } from '../../../schemas/create-post.ts'
import type { MediaFacts, MediaFit } from '../../../schemas/media.ts'
import type { PostType } from '../../../schemas/platform.ts'
import type { LimitCount } from '../../../schemas/validate-post.ts'
import type { BodyPath } from '../../../schemas/warning.ts'
import type { ConditionTarget, Platform, PostTypeRule } from '../contract/limits.ts'
import type { TextCache } from './text-cache.ts'
import type { ViolationFacts } from './violation.ts'

/** A post as the body of a create request describes it. */
export interface PostToCheck {
  postType: PostType
  caption: string
  firstComment?: string | null
  /** Required content is checked only in scheduled posts; a draft may be incomplete. */
  scheduled: boolean
  /** All ids of the request, in order and with duplicates. */
  mediaIds: readonly string[]
  /** Present in a post whose files are published, and not checked again: those that were deleted since. */
  deletedFiles?: readonly MediaFacts[]
  /** Alternative texts in place of those of the files, by the ids of the files. */
  altTexts?: Readonly<Record<string, string>> | null
  /** Absent and null: `exact`. */
  mediaFit?: MediaFit | null
  padColor?: string | null
  /**
   * By account id, in the order of the request. A `captionOverride` of null means no override, an empty one an empty
   * caption. So it is with `mediaIds`.
   */
  overrides: ReadonlyMap<string, PostOverride>
  /** The renditions for each account, by its id. Absent for accounts whose files are sent as they are. */
  fitted?: ReadonlyMap<string, FittedFiles>
  /** By account id. */
  threadParts: ReadonlyMap<string, readonly string[] | null>
}

/** The content of a post for one of its accounts alone. */
export interface PostOverride {
  captionOverride?: string | null
  fields?: Record<string, unknown>
  /** The keys of `fields` that the account has added. */
  defaultKeys?: ReadonlySet<string>
  mediaIds?: readonly string[] | null
  /** The files of each part of the thread, in place of `mediaIds`. */
  threadMedia?: readonly (readonly string[])[] | null
  mediaFit?: MediaFit | null
  padColor?: string | null
}

/** The files of a post for one account, by the ids of the files. */
interface FittedFiles {
  /** The facts of what is sent in place of a file. */
  renditions: ReadonlyMap<string, Partial<MediaFacts>>
  /** Why a file that breaks a limit is not changed. */
  unfit: ReadonlyMap<string, string>
}

type FilesOfPost = Pick<PostToCheck, 'mediaIds' | 'overrides' | 'altTexts' | 'fitted'>

/** The ids of all files of a post: its own, then those of its overrides. */
export const listMediaIds = ({ mediaIds, overrides }: Pick<PostToCheck, 'mediaIds' | 'overrides'>): string[] => [
  ...mediaIds,
  ...[...overrides.values()].flatMap((override) => ownFilesOf(override)?.flat() ?? []),
]

/** One post for one account, with the limits of the account's network. */
export interface CheckContext {
  post: PostToCheck
  accountId: string
  target: ConditionTarget
  platform: Platform
  /** Undefined if the network does not support the post type. */
  postTypeRule: PostTypeRule | undefined
  /** The account's own caption: its override, or else the post's caption. */
  caption: string
  /** The `fields` of the account's override. */
  fields: Record<string, unknown>
  /** A field as messages name it. */
  nameField: (key: string) => string
  /** The path of an account's override in the body. */
  findOverridePath: (accountId: string) => BodyPath
  media: PostMedia
  texts: TextCache
  /** `rule` is the stable name of the violated rule, `problem` completes the message after the account's name. */
  addViolation: (rule: string, facts: ViolationFacts, problem: string) => void
  /** Gets every counter, over its limit or not. Absent on a create. */
  addCount: ((count: LimitCount) => void) | undefined
}

export const targetOf = (
  { postType }: Pick<PostToCheck, 'postType'>,
  { externalId }: { externalId?: string | null },
  { findAccountKind }: Platform,
): ConditionTarget => ({
  postType,
  accountKind: typeof externalId === 'string' ? findAccountKind?.(externalId) : undefined,
})

/** The files of a post, or of one part of a thread. */
export interface PartMedia {
  /** The known files in the order of the request, with duplicates. */
  files: readonly MediaFacts[]
  /** The number of `files`. */
  count: number
  /** The number of ids in the request. Unknown files are rejected after these checks, but they are not missing. */
  requestedCount: number
  hasImage: boolean
  hasVideo: boolean
  hasDocument: boolean
  /** The duration of the first video; infinite if it is not known. */
  videoSeconds: number
  /** The path of the list of its ids in the request. */
  path: BodyPath
  /** The path of the first use of a file in the request. */
  findPath: (id: string) => BodyPath
  /** Why a file that breaks a limit is not made to fit. Absent if none is to be. */
  unfit?: ReadonlyMap<string, string>
}

/** All files that a post has for an account. */
export interface PostMedia extends PartMedia {
  /** Those of each part, as far as the parts have files: there is one in a post that is no thread. */
  parts: readonly PartMedia[]
}

/** A function that finds the files which a post has for an account: those of its override, or else its own. */
export function createMediaFinder(
  { mediaIds, overrides, altTexts, fitted }: FilesOfPost,
  knownFiles: readonly MediaFacts[],
  findOverridePath: CheckContext['findOverridePath'],
): (accountId: string) => PostMedia {
  const filesById = new Map(knownFiles.map((file) => [file.id, describe(file, altTexts)]))
  const shared = describeMedia(mediaIds, filesById, ['mediaIds'])
  const own = new Map<string, PostMedia>()
  for (const [accountId, { mediaIds, threadMedia }] of overrides) {
    const pathOf = (key: string) => [...findOverridePath(accountId), key]
    if (threadMedia) own.set(accountId, describeThreadMedia(threadMedia, filesById, pathOf('threadMedia')))
    else if (mediaIds) own.set(accountId, describeMedia(mediaIds, filesById, pathOf('mediaIds')))
  }
  const find = (accountId: string) => own.get(accountId) ?? shared
  if (!fitted) return find
  return (accountId) => {
    const [media, files] = [find(accountId), fitted.get(accountId)]
    return files ? fit(media, files) : media
  }
}

function fit(media: PostMedia, { renditions, unfit }: FittedFiles): PostMedia {
  // A file is copied once, however often it is attached.
  const sent = new Map<string, MediaFacts>()
  const send = (file: MediaFacts) => {
    if (!renditions.has(file.id)) return file
    const known = sent.get(file.id) ?? { ...file, ...renditions.get(file.id) }
    sent.set(file.id, known)
    return known
  }
  const fitPart = (part: PartMedia): PartMedia => ({ ...part, files: part.files.map(send), unfit })
  return { ...fitPart(media), parts: media.parts.map(fitPart) }
}

/** A file with the alternative text that the post has for it. */
function describe(file: MediaFacts, altTexts: PostToCheck['altTexts']): MediaFacts {
  const altText = altTexts && Object.hasOwn(altTexts, file.id) ? altTexts[file.id]! : undefined
  return altText === undefined ? file : { ...file, altText }
}

function describeMedia(mediaIds: readonly string[], filesById: Map<string, MediaFacts>, path: BodyPath): PostMedia {
  const media = describePart(mediaIds, filesById, path)
  return { ...media, parts: [media] }
}

function describeThreadMedia(
  threadMedia: readonly (readonly string[])[],
  filesById: Map<string, MediaFacts>,
  path: BodyPath,
): PostMedia {
  const parts = threadMedia.map((mediaIds, index) => describePart(mediaIds, filesById, [...path, index]))
  const findPath = (id: string) => parts[threadMedia.findIndex((mediaIds) => mediaIds.includes(id))]!.findPath(id)
  return { ...describePart(threadMedia.flat(), filesById, path), findPath, parts }
}

function describePart(mediaIds: readonly string[], filesById: Map<string, MediaFacts>, path: BodyPath): PartMedia {
  const findIndex = createIndex(() => mediaIds)
  const files = mediaIds.flatMap((id) => filesById.get(id) ?? [])
  return {
    files,
    count: files.length,
    requestedCount: mediaIds.length,
    hasImage: files.some(({ mimeType }) => mimeType.startsWith('image/')),
    hasVideo: files.some(({ mimeType }) => mimeType.startsWith('video/')),
    hasDocument: files.some(({ mimeType }) => mimeType === 'application/pdf'),
    videoSeconds: files.find(({ mimeType }) => mimeType.startsWith('video/'))?.durationSeconds ?? Infinity,
    path,
    findPath: (id) => [...path, findIndex(id)],
  }
}

/** A function that finds where the override of an account is in the body of a create request. */
export function createOverridePaths({ overrides }: Pick<PostToCheck, 'overrides'>): CheckContext['findOverridePath'] {
  const findIndex = createIndex(() => [...overrides.keys()])
  return (accountId) => ['accountOverrides', findIndex(accountId)]
}

/** A function that finds the first index of an id. The index is built only when it is used. */
export function createIndex(readIds: () => readonly string[]): (id: string) => number {
  let indexes: Map<string, number> | undefined
  return (id) => {
    // A later entry of a map replaces an earlier one.
    indexes ??= new Map(
      readIds()
        .map((id, index) => [id, index] as const)
        .reverse(),
    )
    return indexes.get(id) ?? indexes.size
  }
}
