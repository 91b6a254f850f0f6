// A module of its own, which is loaded on first use: the library takes 60 MB.
import {
  AppBskyRichtextFacet,
  CASHTAG_REGEX,
  MENTION_REGEX,
  TAG_REGEX,
  TRAILING_PUNCTUATION_REGEX,
  UnicodeString,
  URL_REGEX,
} from '@atproto/api'
import type { TextEntity } from '../../../schemas/post-part.ts'
import { knownTlds } from '../rules/domains.ts'
import { findEntities } from '../rules/entities.ts'
import { bluesky } from './limits.ts'

type Facet = AppBskyRichtextFacet.Main

/** A facet, with its place in UTF-16 units; `end` is exclusive. */
interface FoundFacet {
  start: number
  end: number
  facet: Facet
}

/** The facets of a text. The `did` of a mention holds the handle, which may not exist. */
export const detectFacets = (text: string): Facet[] => findFacets(text).map(({ facet }) => facet)

export const { isMention } = AppBskyRichtextFacet

/** A longer text is no post on Bluesky, and is read by the rules of X. */
export function findBlueskyEntities(text: string): TextEntity[] {
  if (Buffer.byteLength(text) > bluesky.caption.bytesMax!) return findEntities(text)
  return findFacets(text).map(({ start, end, facet }) => ({ type: typeOf(facet), start, end }))
}

function typeOf({ features: [feature] }: Facet): TextEntity['type'] {
  if (isMention(feature)) return 'mention'
  if (!AppBskyRichtextFacet.isTag(feature)) return 'link'
  return feature.tag.startsWith('$') ? 'cashtag' : 'hashtag'
}

/**
 * The facets that the library detects, by its expressions. The library itself compares each word with 1,400 top-level
 * domains, and counts the bytes before each facet from the beginning:
 * https://github.com/bluesky-social/atproto/blob/main/packages/api/src/rich-text/detection.ts
 */
function findFacets(text: string): FoundFacet[] {
  const bytesBefore = countBytes(text)
  const found = [...findMentions(text), ...findLinks(text), ...findTags(text), ...findCashtags(text)].map(
    ({ start, end, feature }): FoundFacet => ({
      start,
      end,
      facet: {
        ...(feature.$type === MENTION && { $type: 'app.bsky.richtext.facet' }),
        index: { byteStart: bytesBefore[start]!, byteEnd: bytesBefore[end]! },
        features: [feature],
      },
    }),
  )
  // The network would refuse the post for the link found in `https:///a`.
  const isValid = ({ facet }: FoundFacet) =>
    isMention(facet.features[0]) || AppBskyRichtextFacet.validateMain(facet).success
  return found.sort((a, b) => a.start - b.start).filter(isValid)
}

const [MENTION, LINK, TAG] = [
  'app.bsky.richtext.facet#mention',
  'app.bsky.richtext.facet#link',
  'app.bsky.richtext.facet#tag',
] as const

type Feature =
  | { $type: typeof MENTION; did: `did:${string}:${string}` }
  | { $type: typeof LINK; uri: `${string}:${string}` }
  | { $type: typeof TAG; tag: string }

interface FoundFeature {
  start: number
  end: number
  feature: Feature
}

const hasKnownTld = (domain: string) => domain.includes('.') && knownTlds.has(domain.slice(domain.lastIndexOf('.') + 1))

function* findMentions(text: string): Generator<FoundFeature> {
  for (const { index, 1: leading = '', 3: handle = '' } of text.matchAll(MENTION_REGEX)) {
    if (!hasKnownTld(handle) && !handle.endsWith('.test')) continue
    const start = index + leading.length
    yield { start, end: start + 1 + handle.length, feature: { $type: MENTION, did: handle as `did:${string}:` } }
  }
}

function* findLinks(text: string): Generator<FoundFeature> {
  for (const { index, 1: leading = '', 2: link = '', groups } of text.matchAll(URL_REGEX)) {
    const isComplete = link.startsWith('http')
    if (!isComplete && !hasKnownTld(groups?.domain ?? '')) continue
    const start = index + leading.length
    let end = start + link.length
    let uri = isComplete ? link : `https://${link}`
    const shorten = () => {
      uri = uri.slice(0, -1)
      end--
    }
    if (/[.,;:!?]$/.test(uri)) shorten()
    if (uri.endsWith(')') && !uri.includes('(')) shorten()
    yield { start, end, feature: { $type: LINK, uri: uri as `${string}:` } }
  }
}

/** In graphemes. */
const TAG_MAX = 64

function* findTags(text: string): Generator<FoundFeature> {
  for (const { index, 1: leading = '', 2: word = '' } of text.matchAll(TAG_REGEX)) {
    const tag = dropPunctuation(word.trim())
    if (tag === '' || (tag.length > TAG_MAX && new UnicodeString(tag).graphemeLength > TAG_MAX)) continue
    const start = index + leading.length
    yield { start, end: start + 1 + tag.length, feature: { $type: TAG, tag } }
  }
}

/** Drops punctuation at the end. The expression alone would start again at each sign within the word. */
function dropPunctuation(word: string): string {
  const characters = [...word]
  while (characters.at(-1)?.search(TRAILING_PUNCTUATION_REGEX) === 0) characters.pop()
  return characters.join('')
}

function* findCashtags(text: string): Generator<FoundFeature> {
  for (const { index, 1: leading = '', 2: ticker = '' } of text.matchAll(CASHTAG_REGEX)) {
    const start = index + leading.length
    yield { start, end: start + 1 + ticker.length, feature: { $type: TAG, tag: `$${ticker.toUpperCase()}` } }
  }
}

/** The bytes in UTF-8 before each UTF-16 unit of a text, and those of all of it. */
function countBytes(text: string): Uint32Array {
  const bytes = new Uint32Array(text.length + 1)
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    const isSurrogate = unit >= 0xd800 && unit <= 0xdfff
    bytes[index + 1] = bytes[index]! + (unit < 0x80 ? 1 : unit < 0x800 || isSurrogate ? 2 : 3)
  }
  return bytes
}
