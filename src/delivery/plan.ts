import type { PostType } from '../../schemas/platform.ts'
import type { Act } from '../platforms/adapter.ts'
import { isBlank } from '../platforms/rules/text-length.ts'

/** What one delivery makes visible by one call. */
export interface PlannedAct {
  /** From 1. */
  number: number
  kind: Act['kind']
  text: string
}

/**
 * All that one delivery makes visible, one call after the other: the post or the parts of its thread, then the first
 * comment. A comment that is blank is none, as it was when the post was judged.
 */
export function planActs({
  postType,
  threadParts,
  captionOverride,
  caption,
  firstComment,
}: {
  postType: PostType
  threadParts: readonly string[] | null
  captionOverride: string | null
  caption: string
  firstComment: string | null
}): PlannedAct[] {
  const texts = postType === 'thread' && threadParts?.length ? threadParts : [captionOverride ?? caption]
  const posts = texts.map((text, index) => ({ number: index + 1, kind: 'post' as const, text }))
  if (!firstComment || isBlank(firstComment)) return posts
  return [...posts, { number: posts.length + 1, kind: 'comment', text: firstComment }]
}
