import type { OwnContent, Post } from '../contract/post.ts'
import { isBlank } from './text-length.ts'

interface AccountTexts {
  caption: string
  /** Null without parts. */
  parts: readonly string[] | null
}

interface OwnTexts extends Pick<OwnContent, 'captionOverride' | 'threadParts'> {
  captionSuffix?: string | null | undefined
}

/** The texts of a post as one of its accounts publishes them. A blank text gets no suffix: it may be left out. */
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
