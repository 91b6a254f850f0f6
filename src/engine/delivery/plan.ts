import type { PlatformId, PostType } from '../../../schemas/platform.ts'
import { type PostComment, pauseMsOf } from '../../../schemas/post-comment.ts'
import type { PostLinks } from '../../../schemas/post-links.ts'
import type { PostPoll } from '../../../schemas/post-poll.ts'
import type { Act } from '../../platforms/contract/adapter.ts'
import { platforms } from '../../platforms/limits.ts'
import { commentsOf, taggingOf, textsFor } from '../../platforms/rules/account-texts.ts'
import { isEmpty } from '../../platforms/rules/field-value.ts'
import { withPoll } from '../../platforms/rules/poll.ts'
import { isBlank } from '../../platforms/rules/text-length.ts'

/** A part of a delivery that one call makes visible. */
export interface PlannedAct {
  /** Counted from 1. */
  number: number
  kind: Act['kind']
  text: string
  /** The number of the act that a comment belongs to: the last part of the post. */
  parent?: number
  /** The pause before a comment. */
  pauseMs?: number
}

interface Content {
  postType: PostType
  threadParts: readonly string[] | null
  captionOverride: string | null
  captionSuffix?: string | null | undefined
  caption: string
  firstComment: string | null
  comments?: readonly PostComment[] | null | undefined
}

/** The parameters that the addresses of a post get on this network. */
interface Tagged {
  platform: PlatformId
  links?: PostLinks | null | undefined
}

/**
 * The acts of a delivery, in order: the post or the parts of its thread, the comments, then those of `fields`. Comments
 * come before acts that may be repeated, unless they follow after a pause.
 */
export function planActs({
  platform,
  fields,
  links,
  ...content
}: Content & Tagged & { fields: Readonly<Record<string, unknown>> | null }): PlannedAct[] {
  const tagging = taggingOf(links, platform, platforms[platform], fields)
  const tag = (act: PlannedAct) => ({
    ...act,
    text: (act.kind === 'comment' ? tagging.comment : tagging.caption)(act.text),
  })
  const texts = links ? planTexts(content).map(tag) : planTexts(content)
  // A thumbnail does not wait for comments after a pause.
  const paused = texts.findIndex(({ pauseMs }) => pauseMs)
  const acts = paused < 0 ? texts : texts.slice(0, paused)
  for (const [key, { act: kind }] of Object.entries(platforms[platform].fields)) {
    const text = fields?.[key]
    if (kind && typeof text === 'string' && !isBlank(text)) acts.push({ number: acts.length + 1, kind, text })
  }
  if (paused >= 0) for (const act of texts.slice(paused)) acts.push({ ...act, number: acts.length + 1 })
  return acts
}

/** Those of them that have a text of the post, with its addresses as its author wrote them. */
export function planTexts({ postType, ...given }: Content): PlannedAct[] {
  const { caption, parts } = textsFor(given, given)
  const texts = postType === 'thread' && parts?.length ? parts : [caption]
  const posts = texts.map((text, index): PlannedAct => ({ number: index + 1, kind: 'post', text }))
  const comments = commentsOf(given)
  if (comments.length === 0) return posts
  const toAct = (comment: PostComment, index: number): PlannedAct => {
    const pauseMs = pauseMsOf(comment)
    const act = { kind: 'comment' as const, text: comment.text, parent: posts.length }
    return { number: posts.length + index + 1, ...act, ...(pauseMs > 0 && { pauseMs }) }
  }
  return [...posts, ...comments.map(toAct)]
}

/** The parts of an act that its content is made of, the same for each attempt. */
export const describeAct = <File>(
  { number, kind, text }: PlannedAct,
  delivery: Tagged & {
    postType: PostType
    poll?: PostPoll | null | undefined
    /** The files of the first acts, each its own. */
    media: readonly (readonly File[])[]
    fields: Readonly<Record<string, unknown>> | null
    altTextLengthMax?: number | null
  },
) => ({
  kind,
  postType: delivery.postType,
  text,
  media: delivery.media[number - 1] ?? [],
  // The post, or the first part of its thread, has the poll.
  fields: withPoll(publishedFields(delivery), number === 1 ? delivery.poll : null, platforms[delivery.platform], text),
  altTextLengthMax: delivery.altTextLengthMax ?? null,
})

/** Acts share the copy of their fields: a request may have thousands of parts, and thousands of fields. */
const copies = new WeakMap<object, Record<string, unknown>>()

/** A blank text and an empty list count as absent in the checks of a post. */
function publishedFields({
  fields,
  links,
  platform,
}: Tagged & { fields: Readonly<Record<string, unknown>> | null }): Record<string, unknown> {
  if (!fields) return {}
  const known = copies.get(fields)
  if (known) return known
  const copy = Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))
  const published = taggingOf(links, platform, platforms[platform], fields).fields(copy)
  copies.set(fields, published)
  return published
}
