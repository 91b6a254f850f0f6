import type { EntityFinder } from '../contract/content.ts'
import { combine } from '../rules/entities.ts'
import { findUrls } from '../rules/urls.ts'

/**
 * LinkedIn's "little text", the format of a post's commentary: a reserved character that is not escaped ends the text
 * or makes the post invalid.
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format names the Posts
 * API alone: comments have plain text, with mentions beside it in `attributes`.
 */

const RESERVED = /[\\|{}@[\]()<>#*_~]/g

const escaped = (text: string) => text.replace(RESERVED, '\\$&')

/** LinkedIn's own notation. */
export const MENTION = /@\[(?<name>[^[\]\n]{1,200})\](?<urn>\(urn:li:(?:person|organization):[\w-]{1,64}\))/u

/**
 * A mention; the # of a hashtag, which does not follow a letter, a digit or a part of an
 * address; any reserved character.
 */
const ELEMENT = new RegExp(
  `${MENTION.source}|(?<hashtag>(?<![\\p{L}\\p{N}\\p{M}_&/#])#(?=[\\p{L}\\p{N}]))|${RESERVED.source}`,
  'gu',
)

/** Links and hashtags, and the mentions in LinkedIn's own notation. */
export const findCommentaryEntities: EntityFinder = (text) => {
  const mentions = Array.from(text.matchAll(ELEMENT)).flatMap(({ 0: { length }, index: start, groups }) =>
    groups?.urn === undefined ? [] : { start, end: start + length },
  )
  return combine(findUrls(text, 'x'), text, mentions)
}

/** A text as commentary. Hashtags and mentions such as `@[Acme](urn:li:organization:1)` become links. */
export const littleText = (text: string): string =>
  text.replace(ELEMENT, (match, name?: string, urn?: string, hashtag?: string) =>
    name === undefined ? (hashtag ?? `\\${match}`) : `@[${escaped(name)}]${urn}`,
  )

/** The text of a commentary, as it is compared: without escapes, and with hashtags that LinkedIn wrote as templates. */
export const plainText = (commentary: string): string =>
  commentary
    .replace(
      /\{hashtag\|\\?([#＃])\|((?:\\.|[^\\|{}])*)\}|\\([\\|{}@[\]()<>#*_~])/g,
      (_, sign: string | undefined, tag: string, character: string) =>
        sign === undefined ? character : sign + plainText(tag),
    )
    .trim()
