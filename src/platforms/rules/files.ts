import { ownFilesOf } from '../../../schemas/create-post.ts'
import type { MediaFacts } from '../../../schemas/media.ts'
import type { BodyPath } from '../../../schemas/warning.ts'
import type { Post, Target } from '../contract/post.ts'

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

/** The ids of all files of a post: its own, then those of its targets. */
export function listMediaIds({ mediaIds, targets }: Pick<Post, 'mediaIds' | 'targets'>): string[] {
  const ids = [...mediaIds]
  for (const target of targets) {
    // A list may be too long for the arguments of one call.
    for (const list of ownFilesOf(target) ?? NO_LISTS) for (const id of list) ids.push(id)
  }
  return ids
}

const NO_LISTS: readonly (readonly string[])[] = []

/** A function that finds the files of a target among those of its post. Targets share the files of the post. */
export function createFileReader(
  { mediaIds, altTexts }: Pick<Post, 'mediaIds' | 'altTexts'>,
  known: readonly MediaFacts[],
): (target: Target) => PostMedia {
  const files = new Map(known.map((file) => [file.id, describe(file, altTexts)]))
  const shared = mediaIds.length > 0 ? describeMedia(mediaIds, files, ['mediaIds']) : NO_FILES
  return ({ mediaIds, threadMedia, path }) => {
    if (threadMedia) return describeThreadMedia(threadMedia, files, [...path, 'threadMedia'])
    return mediaIds ? describeMedia(mediaIds, files, [...path, 'mediaIds']) : shared
  }
}

/** The files as they are sent: those of `renditions` have these facts. */
export function withRenditionsOf(
  media: PostMedia,
  renditions: ReadonlyMap<string, Partial<MediaFacts>>,
  unfit: ReadonlyMap<string, string>,
): PostMedia {
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
function describe(file: MediaFacts, altTexts: Post['altTexts']): MediaFacts {
  const altText = altTexts && Object.hasOwn(altTexts, file.id) ? altTexts[file.id]! : undefined
  return altText === undefined ? file : { ...file, altText }
}

function describeMedia(ids: readonly string[], known: ReadonlyMap<string, MediaFacts>, path: BodyPath): PostMedia {
  const media = describePart(ids, known, path)
  return { ...media, parts: [media] }
}

function describeThreadMedia(
  lists: readonly (readonly string[])[],
  known: ReadonlyMap<string, MediaFacts>,
  path: BodyPath,
): PostMedia {
  const parts = lists.map((ids, index) => describePart(ids, known, [...path, index]))
  const findPath = (id: string) => parts[lists.findIndex((ids) => ids.includes(id))]!.findPath(id)
  return { ...describePart(lists.flat(), known, path), findPath, parts }
}

function describePart(ids: readonly string[], known: ReadonlyMap<string, MediaFacts>, path: BodyPath): PartMedia {
  const files = ids.flatMap((id) => known.get(id) ?? [])
  // The index is built only for a message. A later entry of a map replaces an earlier one.
  let indexes: Map<string, number> | undefined
  return {
    files,
    count: files.length,
    requestedCount: ids.length,
    hasImage: files.some(({ mimeType }) => mimeType.startsWith('image/')),
    hasVideo: files.some(({ mimeType }) => mimeType.startsWith('video/')),
    hasDocument: files.some(({ mimeType }) => mimeType === 'application/pdf'),
    videoSeconds: files.find(({ mimeType }) => mimeType.startsWith('video/'))?.durationSeconds ?? Infinity,
    path,
    findPath: (id) => {
      indexes ??= new Map(ids.map((id, index) => [id, index] as const).reverse())
      return [...path, indexes.get(id)!]
    },
  }
}

/** Those of a post without files. */
export const NO_FILES = describeMedia([], new Map(), ['mediaIds'])
