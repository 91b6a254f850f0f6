import type { PlatformId } from '../../../schemas/platform.ts'
import type { PostComment } from '../../../schemas/post-comment.ts'
import type { PostLinks } from '../../../schemas/post-links.ts'
import type { Platform } from '../contract/limits.ts'
import type { OwnContent, Post } from '../contract/post.ts'
import { findMarkup } from './stored-text.ts'
import { tagAddress, tagLinks } from './tag-links.ts'
import { isBlank } from './text-length.ts'

interface OwnTexts extends Pick<OwnContent, 'captionOverride' | 'threadParts'> {
  captionSuffix?: string | null | undefined
}

interface AccountTexts {
  caption: string
  /** Null without parts. */
  parts: readonly string[] | null
}

/** The caption and parts of a post with the suffix of an account. A blank text gets none: it may be left out. */
export function textsFor(
  { caption }: Pick<Post, 'caption'>,
  { captionOverride, threadParts, captionSuffix }: OwnTexts,
): AccountTexts {
  const own = captionOverride ?? caption
  if (!captionSuffix) return { caption: own, parts: threadParts }
  const withSuffix = (text: string) => (isBlank(text) ? text : text + captionSuffix)
  const parts = threadParts?.map((part, index) => (index === threadParts.length - 1 ? withSuffix(part) : part)) ?? null
  return { caption: withSuffix(own), parts }
}

interface Comments {
  firstComment: string | null
  comments?: readonly PostComment[] | null | undefined
}

const NO_COMMENTS: readonly PostComment[] = []

/** The comments of a post. A blank first comment counts as absent. */
export const commentsOf = ({ firstComment, comments }: Comments): readonly PostComment[] =>
  comments ?? (firstComment && !isBlank(firstComment) ? [{ text: firstComment }] : NO_COMMENTS)

type Fields = Readonly<Record<string, unknown>>

/** How the addresses in a post for an account are published: each function returns what it gets without `links`. */
export interface LinkTagging {
  caption: (text: string) => string
  comment: (text: string) => string
  fields: <T extends Fields | null>(fields: T) => T
}

const unchanged = <T>(value: T): T => value
const NO_TAGGING: LinkTagging = { caption: unchanged, comment: unchanged, fields: unchanged }

export function taggingOf(
  links: PostLinks | null | undefined,
  id: PlatformId,
  platform: Platform,
  fields: Fields | null,
): LinkTagging {
  if (!links) return NO_TAGGING
  const isMarkdown = findMarkup({ platform, fields: fields ?? {} })?.name.startsWith('Markdown') ?? false
  return {
    caption: (text) => tagLinks(text, links, id, isMarkdown),
    comment: (text) => tagLinks(text, links, id),
    fields: (fields) => fields && tagFields(fields, links, id, platform),
  }
}

function tagFields<T extends Fields>(fields: T, links: PostLinks, id: PlatformId, platform: Platform): T {
  const tagged = Object.entries(platform.fields).flatMap(([key, { isLink }]) => {
    const value = isLink && Object.hasOwn(fields, key) ? fields[key] : undefined
    return typeof value === 'string' ? [[key, tagAddress(value.trim(), links, id)] as const] : []
  })
  return tagged.length > 0 ? { ...fields, ...Object.fromEntries(tagged) } : fields
}
