import type { TextEntity } from '../../../schemas/post-part.ts'
import { type FoundUrl, findUrls } from './urls.ts'

type Span = Pick<TextEntity, 'start' | 'end'>

const textsOf = (text: string, spans: readonly Span[]) => spans.map(({ start, end }) => text.slice(start, end))

const spansOf = (text: string, expression: RegExp): Span[] =>
  Array.from(text.matchAll(expression), ({ 0: { length }, index: start }) => ({ start, end: start + length }))

const HASHTAG_RUN = /(?<![\p{L}\p{M}\p{N}_&/])(?:[#＃][\p{L}\p{M}\p{N}_\p{Extended_Pictographic}\u200D]+)+/gu

function locateHashtags(text: string): Span[] {
  return spansOf(text, HASHTAG_RUN)
    .flatMap(({ start, end }) =>
      spansOf(text.slice(start, end), /[#＃][^#＃]+/gu).map((tag) => ({
        start: start + tag.start,
        end: start + tag.end,
      })),
    )
    .filter(({ start, end }) => /[\p{L}_\p{Extended_Pictographic}]/u.test(text.slice(start, end)))
}

const MENTION = /(?<![\p{L}\p{M}\p{N}_.@/])@[a-z0-9_][a-z0-9_.]*/giu

/** The rules of https://github.com/twitter/twitter-text, version 3.1.0. */
const CASHTAG = /(?<=^|[\s\x85\u180E])\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|[\s!'#%&()*+,\\\-./:;<=>?@[\]^_{|}~$])/gi

export const locateMentions = (text: string): Span[] => spansOf(text, MENTION)

/** Hashtags with their #. Each of several joined tags counts; a tag of digits only is not a hashtag. */
export const findHashtags = (text: string): string[] => textsOf(text, locateHashtags(text))

/** Mentions with their @. An e-mail address is not a mention. */
export const findMentions = (text: string): string[] => textsOf(text, locateMentions(text))

/** Cashtags with their $. */
export const findCashtags = (text: string): string[] => textsOf(text, spansOf(text, CASHTAG))

/** The different links that start with http://, https:// or www. */
export function findLinks(text: string): string[] {
  const links = textsOf(text, findUrls(text, 'x'))
  return [...new Set(links.filter((link) => /^(?:https?:\/\/|www\.)/i.test(link)))]
}

/** Links, mentions and tags in their order. A part of a link is not a tag. */
export const findEntities = (text: string): TextEntity[] => combine(findUrls(text, 'x'), text, locateMentions(text))

/** The same with the links and mentions of a network's own rules. */
export function combine(links: readonly FoundUrl[], text: string, mentions: readonly Span[]): TextEntity[] {
  const typed = (type: TextEntity['type'], spans: readonly Span[]) =>
    spans.map(({ start, end }): TextEntity => ({ type, start, end }))
  const others = [
    ...typed('mention', mentions),
    ...typed('hashtag', locateHashtags(text)),
    ...typed('cashtag', spansOf(text, CASHTAG)),
  ]
  return withoutOverlaps([...typed('link', links), ...others])
}

/** Keeps the first of those that overlap: the one that begins first, or else the first in the list. */
function withoutOverlaps(entities: TextEntity[]): TextEntity[] {
  let end = 0
  return entities
    .sort((a, b) => a.start - b.start)
    .filter((entity) => {
      const isFree = entity.start >= end
      if (isFree) end = entity.end
      return isFree
    })
}
