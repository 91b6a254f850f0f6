import type { PostType } from '../../../schemas/platform.ts'
import type { Content, ContentFile, ContentSource } from '../contract/content.ts'
import type { AltTextRule, Platform } from '../contract/limits.ts'
import { cutText } from './cut-text.ts'
import { isBlank } from './text-length.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The alternative text of a file: its own, or the one that the override's `fields` have for all. Undefined if blank.
 */
export function findAltText({ altText }: ContentFile, fields: Fields): string | undefined {
  const text = altText && !isBlank(altText) ? altText : fields.altText
  return typeof text === 'string' && !isBlank(text) ? text : undefined
}

/** The rule for the alternative text of a file. `lengthMax` is that of the account's own server, if it states one. */
export function findAltTextRule(
  { altTexts }: Pick<Platform, 'altTexts'>,
  { kind }: ContentFile,
  lengthMax?: number | null,
): AltTextRule | undefined {
  const rule = kind ? altTexts[kind] : undefined
  return rule && lengthMax ? { ...rule, lengthMax, lengthSource: null } : rule
}

/** The text that is sent as the alternative text of a file: a post is worth more than the end of a long description. */
function altTextOf(
  file: ContentFile,
  fields: Fields,
  platform: Pick<Platform, 'altTexts'>,
  lengthMax?: number | null,
): string | undefined {
  const rule = findAltTextRule(platform, file, lengthMax)
  const text = rule && findAltText(file, fields)
  return (text && cutText(text, rule)) || undefined
}

/** The alternative texts of the files of an act. */
export const altTextsOf = (
  {
    media,
    fields,
    postType,
    altTextLengthMax,
  }: Pick<ContentSource, 'media' | 'fields' | 'postType' | 'altTextLengthMax'>,
  platform: Platform,
): Content['altTexts'] =>
  media.map((file, index) =>
    takesAltText(platform, postType, file, index) ? altTextOf(file, fields, platform, altTextLengthMax) : undefined,
  )

/** Whether the network takes an alternative text for the file at this index of a post or of a part of a thread. */
export const takesAltText = (
  { altTexts, altTextFilesMax = Number.POSITIVE_INFINITY, postTypes }: Platform,
  postType: PostType,
  { kind }: ContentFile,
  index: number,
): boolean => Boolean(kind && altTexts[kind]) && index < altTextFilesMax && postTypes[postType]?.hasAltTexts !== false
