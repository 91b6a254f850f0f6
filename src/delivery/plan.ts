import type { PostType } from '../../schemas/platform.ts'
import type { Act } from '../platforms/adapter.ts'
import { isBlank } from '../platforms/rules/text-length.ts'

/** A part of a delivery that one call makes visible. */
export interface PlannedAct {
  /** Counted from 1. */
  number: number
  kind: Act['kind']
  text: string
}

/**
 * The acts of a delivery, in order: the post or the parts of its thread, then the first comment. A blank comment is left
 * out, as in the check of the post.
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
