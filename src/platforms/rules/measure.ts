import type { TextUnit } from '../limits.ts'
import { findUrls } from './urls.ts'

/** The length of `text` as a network counts it. Linear in time, whatever the text. */
export function textLength(text: string, unit: TextUnit): number {
  switch (unit) {
    case 'x':
      return xLength(text)
    case 'mastodon':
      return mastodonLength(text)
    case 'threads':
      return threadsLength(text)
    case 'graphemes':
      return graphemes(text)
    case 'code points':
      return codePoints(text)
    case 'UTF-16 units':
      return text.length
    case 'bytes':
      return Buffer.byteLength(text)
  }
}

/** Nothing visible: what a network would call empty. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** The title of a caption: its first line that is not blank, cut to `lengthMax` code points. */
export function titleFrom(caption: string, lengthMax: number): string {
  const line = /\S.*/.exec(caption)?.[0] ?? ''
  return Array.from(line.slice(0, 2 * lengthMax))
    .slice(0, lengthMax)
    .join('')
    .trimEnd()
}

/** Hashtags as written, # included. Tags that are glued together are as many tags; digits alone make none. */
export function findHashtags(text: string): string[] {
  const runs =
    text.match(/(?<![\p{L}\p{M}\p{N}_&/])(?:[#＃][\p{L}\p{M}\p{N}_\p{Extended_Pictographic}\u200D]+)+/gu) ?? []
  return runs
    .flatMap((run) => run.match(/[#＃][^#＃]+/gu) ?? [])
    .filter((tag) => /[\p{L}_\p{Extended_Pictographic}]/u.test(tag))
}

/** @mentions as written. An e-mail address is none. */
export function findMentions(text: string): string[] {
  return text.match(/(?<![\p{L}\p{M}\p{N}_.@/])@[a-z0-9_][a-z0-9_.]*/giu) ?? []
}

/** $TICKERs by the rules of https://github.com/twitter/twitter-text, version 3.1.0. */
export function findCashtags(text: string): string[] {
  return (
    text.match(/(?<=^|[\s\x85\u180E])\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|[\s!'#%&()*+,\\\-./:;<=>?@[\]^_{|}~$])/gi) ??
    []
  )
}

/** The different links with http:// or https://. */
export function findLinks(text: string): string[] {
  const links = findUrls(text, 'x').filter((url) => url.hasProtocol)
  return [...new Set(links.map((url) => text.slice(url.start, url.end)))]
}

/** Both X and Mastodon count every URL as this many characters, long or short. */
const URL_LENGTH = 23

/**
 * twitter-text's weights (https://github.com/twitter/twitter-text/blob/master/config/v3.json). Emoji are those of
 * Node's own Unicode data: twitter-text's table ends in 2019, and counts newer ones by their parts.
 */
function xLength(text: string): number {
  const normalized = text.normalize('NFC')
  let length = 0
  let from = 0
  for (const { start, end } of findUrls(normalized, 'x')) {
    length += xWeight(normalized.slice(from, start)) + URL_LENGTH
    from = end
  }
  return length + xWeight(normalized.slice(from))
}

/** Anything that has the shape of an emoji; no emoji joins more than four. */
const emojiShape =
  /\p{RI}{2}|[0-9#*]\uFE0F?\u20E3|[\p{Emoji}--[0-9#*]](?:\p{EMod}|\uFE0F|[\u{E0020}-\u{E007E}]{1,6}\u{E007F})?(?:\u200D\p{Emoji}(?:\p{EMod}|\uFE0F)?){0,3}/gv

function xWeight(text: string): number {
  // The expression of all emoji is slow at people (12 µs each), so every shape is looked up once.
  const emojiLengths = new Map<string, number>()
  let weight = 0
  let from = 0
  emojiShape.lastIndex = 0
  for (let match = emojiShape.exec(text); match; match = emojiShape.exec(text)) {
    const [shape] = match
    const length = emojiLengths.get(shape) ?? emojiLength(shape)
    emojiLengths.set(shape, length)
    if (length > 0) {
      weight += codePointWeights(text, from, match.index) + 2
      from = match.index + length
    }
    emojiShape.lastIndex = match.index + (length || String.fromCodePoint(shape.codePointAt(0)!).length)
  }
  return weight + codePointWeights(text, from, text.length)
}

/** How much of `shape`, from its start, is one emoji. */
function emojiLength(shape: string): number {
  const emoji = /^\p{RGI_Emoji}/v.exec(shape)?.[0].length ?? 0
  if (emoji === shape.length || [...shape].length === 1) return emoji
  // Keyboards leave out the variation selector that Unicode's list has, or put it where the list has none.
  const qualified = shape.replace(/(\p{Emoji})(\p{EMod}|\uFE0F)?/gu, (_, base: string, after: string | undefined) =>
    /\p{EMod}/u.test(after ?? '') ? base + after : /\p{Emoji_Presentation}/u.test(base) ? base : `${base}\uFE0F`,
  )
  return /^\p{RGI_Emoji}$/v.test(qualified) ? shape.length : emoji
}

function codePointWeights(text: string, start: number, end: number): number {
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

/** @user@domain, which Mastodon counts as @user. */
const remoteMention =
  /(?<![=/\p{L}\p{M}\p{N}\p{Pc}])(@[a-z0-9_]+(?:[.-]+[a-z0-9_]+)*)@[\p{L}\p{M}\p{N}\p{Pc}]+(?:[.-]+[\p{L}\p{M}\p{N}\p{Pc}]+)*/giu

/** As https://github.com/mastodon/mastodon/blob/main/app/validators/status_length_validator.rb does it. */
function mastodonLength(text: string): number {
  const shorten = (part: string) =>
    part.replace(remoteMention, (mention: string, user: string, offset: number) =>
      /^(?:[@＠]|:\/\/)/.test(part.slice(offset + mention.length, offset + mention.length + 3)) ? mention : user,
    )
  let shortened = ''
  let from = 0
  for (const { start, end } of findUrls(text, 'mastodon')) {
    shortened += shorten(text.slice(from, start)) + 'x'.repeat(URL_LENGTH)
    from = end
  }
  return graphemes(shortened + shorten(text.slice(from)))
}

/** What is shown as an emoji, which need not be one of Unicode's list. */
const emojiGrapheme = /^(?:\p{Emoji_Presentation}|\p{Emoji}(?:\uFE0F|\p{EMod}|\u200D\p{Emoji}))/u

/** Code points, except that an emoji counts as its UTF-8 bytes. */
function threadsLength(text: string): number {
  if (isAscii(text)) return text.length
  let length = 0
  for (const { segment } of segmenter.segment(text)) {
    length += emojiGrapheme.test(segment) ? Buffer.byteLength(segment) : codePoints(segment)
  }
  return length
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

function graphemes(text: string): number {
  // Segmenting takes 150 ns a character; in ASCII only a line break of two characters is one grapheme.
  if (isAscii(text)) return text.length - (text.match(/\r\n/g)?.length ?? 0)
  let count = 0
  for (const _ of segmenter.segment(text)) count++
  return count
}

function codePoints(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index++) {
    if (text.codePointAt(index)! > 0xffff) index++
    count++
  }
  return count
}

/** A byte for each UTF-16 unit. */
const isAscii = (text: string) => Buffer.byteLength(text) === text.length
