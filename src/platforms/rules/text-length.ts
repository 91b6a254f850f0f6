import type { TextUnit } from '../contract/limits.ts'
import { normalizeText } from './normal-form.ts'
import { findUrls } from './urls.ts'

/** The length of `text` as a network counts it. Takes linear time, also for hostile texts. */
export function countLength(text: string, unit: TextUnit): number {
  switch (unit) {
    case 'x':
      return countForX(text)
    case 'mastodon':
      return countForMastodon(text)
    case 'threads':
      return countForThreads(text)
    case 'graphemes':
      return countGraphemes(text)
    case 'clusters':
      return countGraphemes(text, conjunct)
    case 'code points':
      return countCodePoints(text)
    case 'UTF-16 units':
      return text.length
    case 'bytes':
      return Buffer.byteLength(text)
  }
}

/** Networks treat a text that consists of white space as empty. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** X and Mastodon count every URL as this many characters. */
const URL_LENGTH = 23

/**
 * The weights of https://github.com/twitter/twitter-text/blob/master/config/v3.json. Emoji are those of Node's Unicode
 * data: the table of twitter-text ends in 2019, and splits newer emoji into their parts.
 */
function countForX(text: string): number {
  const normalized = normalizeText(text, 'NFC')
  let length = 0
  let from = 0
  for (const { start, end } of findUrls(normalized, 'x')) {
    length += weighText(normalized.slice(from, start)) + URL_LENGTH
    from = end
  }
  return length + weighText(normalized.slice(from))
}

/** The shape of an emoji: at most four joined parts. Not every text of this shape is an emoji. */
const emojiShape =
  /\p{RI}{2}|[0-9#*]\uFE0F?\u20E3|[\p{Emoji}--[0-9#*]](?:\uFE0F?\p{EMod}|\uFE0F|[\u{E0020}-\u{E007E}]{1,6}\u{E007F})?(?:\u200D\p{Emoji}(?:\p{EMod}|\uFE0F)?){0,3}/gv

function weighText(text: string): number {
  // Testing for an emoji takes up to 2 µs (for people), so each shape is tested once.
  const emojiLengths = new Map<string, number>()
  let weight = 0
  let from = 0
  emojiShape.lastIndex = 0
  for (let match = emojiShape.exec(text); match; match = emojiShape.exec(text)) {
    const [shape] = match
    const length = emojiLengths.get(shape) ?? measureEmoji(shape)
    emojiLengths.set(shape, length)
    if (length > 0) {
      weight += weighCodePoints(text, from, match.index) + 2
      from = match.index + length
    }
    emojiShape.lastIndex = match.index + (length || String.fromCodePoint(shape.codePointAt(0)!).length)
  }
  return weight + weighCodePoints(text, from, text.length)
}

/** Forms that twitter-text takes for one emoji, although Unicode's list of emoji lacks them. */
const toleratedEmoji = [
  '\\u{1F441}\\u200D\\u{1F5E8}',
  '[☝⛷⛹✌✍🏋🏌🕴🕵🖐]\\uFE0F?\\p{EMod}',
  '[⌚⌛◽◾☔☕♈-♓♿⚓⚡⚪⚫⚽⚾⛄⛅⛔⛪⛲⛳⛵⛺⛽❗⬛⬜⭐⭕🀄🈚🈯]\\uFE0F',
  '[0-9#*]\\u20E3',
].join('|')

/** \p{RGI_Emoji}, longest first. V8 takes 8 times as long for that property as for its parts. */
const leadingEmoji = new RegExp(
  `^(?:\\p{RGI_Emoji_ZWJ_Sequence}|\\p{RGI_Emoji_Tag_Sequence}|${toleratedEmoji}|\\p{Emoji_Keycap_Sequence}|\\p{RGI_Emoji_Modifier_Sequence}|\\p{RGI_Emoji_Flag_Sequence}|\\p{Basic_Emoji})`,
  'v',
)

/** The length of the emoji at the start of `shape`; 0 if it starts with other text. */
const measureEmoji = (shape: string): number => leadingEmoji.exec(shape)?.[0].length ?? 0

function weighCodePoints(text: string, start: number, end: number): number {
  let weight = 0
  for (let index = start; index < end; index++) {
    const code = text.codePointAt(index)!
    const isLight =
      code <= 0x10ff ||
      (code >= 0x2000 && code <= 0x200d) ||
      (code >= 0x2010 && code <= 0x201f) ||
      (code >= 0x2032 && code <= 0x2037)
    weight += isLight ? 1 : 2
    if (code > 0xffff) index++
  }
  return weight
}

/** @user@domain; Mastodon counts only @user. */
const remoteMention =
  /(?<![=/\p{L}\p{M}\p{N}\p{Pc}])(@[a-z0-9_]+(?:[.-]+[a-z0-9_]+)*)@([\p{L}\p{M}\p{N}\p{Pc}]+(?:[.-]+[\p{L}\p{M}\p{N}\p{Pc}]+)*)/giu

/** The rules of https://github.com/mastodon/mastodon/blob/main/app/validators/status_length_validator.rb. */
function countForMastodon(text: string): number {
  const urls = findUrls(text, 'mastodon').map(({ start, end }) => ({ start, end, counted: 'x'.repeat(URL_LENGTH) }))
  const mentions = findRemoteMentions(text)
  let shortened = ''
  let from = 0
  // The first of two that overlap counts.
  for (const { start, end, counted } of [...urls, ...mentions].sort((a, b) => a.start - b.start)) {
    if (start < from) continue
    shortened += text.slice(from, start) + counted
    from = end
  }
  return countGraphemes(shortened + text.slice(from), conjunct)
}

/** https://github.com/mastodon/mastodon/blob/main/app/lib/extractor.rb */
const MENTIONED_DOMAIN_MAX = 253

export function findRemoteMentions(text: string) {
  return Array.from(text.matchAll(remoteMention)).flatMap(
    ({ 0: mention, 1: user = '', 2: domain = '', index: start }) => {
      const end = start + mention.length
      const isOther =
        /^(?:[@＠]|:\/\/)/.test(text.slice(end, end + 3)) || countCodePoints(domain) > MENTIONED_DOMAIN_MAX
      return isOther ? [] : { start, end, counted: user }
    },
  )
}

/**
 * An Indic letter that is joined to the letter before it: rule GB9c of https://www.unicode.org/reports/tr29/. Ruby
 * follows it since 4.0 (https://github.com/ruby/ruby/pull/12798), and most instances run an older version.
 */
const conjunct = /(?<=[\p{M}\u200D])[\p{Lo}--\p{Script=Hangul}--[\u0E33\u0EB3]]/gv

/** A grapheme that is displayed as an emoji, in Unicode's list or not. */
const emojiGrapheme = /^(?:\p{Emoji_Presentation}|\p{Emoji}(?:\uFE0F|\p{EMod}|\u200D\p{Emoji}))/u

/** Code points, but an emoji counts its UTF-8 bytes. */
function countForThreads(text: string): number {
  if (isAscii(text)) return text.length
  let length = 0
  for (const { segment } of segmenter.segment(text)) {
    length += emojiGrapheme.test(segment) ? Buffer.byteLength(segment) : countCodePoints(segment)
  }
  return length
}

export const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** `parts`: what counts although it is inside of a grapheme. */
function countGraphemes(text: string, parts?: RegExp): number {
  // Segmenting takes 150 ns per character. In ASCII, CR LF is the only grapheme of two characters.
  if (isAscii(text)) return text.length - (text.match(/\r\n/g)?.length ?? 0)
  let count = 0
  for (const { segment } of segmenter.segment(text)) {
    count++
    if (parts && segment.length > 1) count += segment.match(parts)?.length ?? 0
  }
  return count
}

function countCodePoints(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index++) {
    if (text.codePointAt(index)! > 0xffff) index++
    count++
  }
  return count
}

/** Only ASCII has one UTF-8 byte for each UTF-16 unit. */
const isAscii = (text: string) => Buffer.byteLength(text) === text.length
