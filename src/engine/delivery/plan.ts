import type { PlatformId, PostType } from '../../../schemas/platform.ts'
import type { PostLinks } from '../../../schemas/post-links.ts'
import type { Act } from '../../platforms/contract/adapter.ts'
import { platforms } from '../../platforms/limits.ts'
import { taggingOf, textsFor } from '../../platforms/rules/account-texts.ts'
import { isEmpty } from '../../platforms/rules/field-value.ts'
import { isBlank } from '../../platforms/rules/text-length.ts'

/** A part of a delivery that one call makes visible. */
export interface PlannedAct {
  /** Counted from 1. */
  number: number
  kind: Act['kind']
  text: string
}

interface Content {
  postType: PostType
  threadParts: readonly string[] | null
  captionOverride: string | null
  captionSuffix?: string | null | undefined
  caption: string
  firstComment: string | null
}

/** What is added to the addresses of a post on this network. */
interface Tagged {
  platform: PlatformId
  links?: PostLinks | null | undefined
}

/**
 * The acts of a delivery, in order: the post or the parts of its thread, the first comment, then those of `fields`. A
 * blank comment is left out, as in the check of the post. The comment comes before acts that may be repeated.
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
  const acts = links ? planTexts(content).map(tag) : planTexts(content)
  for (const [key, { act: kind }] of Object.entries(platforms[platform].fields)) {
    const text = fields?.[key]
    if (kind && typeof text === 'string' && !isBlank(text)) acts.push({ number: acts.length + 1, kind, text })
  }
  return acts
}

/** Those of them that have a text of the post, with its addresses as its author wrote them. */
export function planTexts({ postType, firstComment, ...content }: Content): PlannedAct[] {
  const { caption, parts } = textsFor(content, content)
  const texts = postType === 'thread' && parts?.length ? parts : [caption]
  const posts = texts.map((text, index): PlannedAct => ({ number: index + 1, kind: 'post', text }))
  if (!firstComment || isBlank(firstComment)) return posts
  return [...posts, { number: posts.length + 1, kind: 'comment', text: firstComment }]
}

/** The parts of an act that its content is made of, the same for each attempt. */
export const describeAct = <File>(
  { number, kind, text }: PlannedAct,
  delivery: Tagged & {
    postType: PostType
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
  fields: publishedFields(delivery),
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
