import type { TextUnit } from '../contract/limits.ts'
import { findCashtags, findHashtags, findLinks, findMentions } from './entities.ts'
import { countLength } from './text-length.ts'

const finders = { hashtag: findHashtags, mention: findMentions, link: findLinks, cashtag: findCashtags }
export type Entity = keyof typeof finders

/** Lengths, entity counts and stored texts. Each is computed once per text, however many accounts share the text. */
export interface TextCache {
  countLength(text: string, unit: TextUnit): number
  countEntities(text: string, entity: Entity): number
  /** The result of `read`; undefined for a text that is too long to be analyzed. */
  read<T>(text: string, read: (text: string) => T): T | undefined
}

/**
 * UTF-16 units. No network accepts a longer text, even one that consists of URLs that count as 23. Finding URLs and
 * graphemes in a megabyte would block the event loop for a second. Longer texts are therefore counted in code points,
 * and their entities and markup are not looked for. This holds for accounts with a greater `textLengthMax`, too.
 */
const ANALYZED_LENGTH_MAX = 100_000
/** The same for X, which counts more slowly than the others. */
const ANALYZED_BY_X_MAX = 50_000

/** A cache for one request. */
export function createTextCache(): TextCache {
  const numbers = createMemo<number>()
  const results = createMemo<unknown>()
  return {
    countLength: (text, unit) =>
      numbers(text, unit, () => countLength(text, isTooLong(text, unit) ? simpleUnit(unit) : unit)),
    countEntities: (text, entity) => (isTooLong(text) ? 0 : numbers(text, entity, () => finders[entity](text).length)),
    read: <T>(text: string, read: (text: string) => T) =>
      isTooLong(text) ? undefined : (results(text, read, () => read(text)) as T),
  }
}

/** Computes a value once for each key and text. */
export function createMemo<T>() {
  const valuesByKey = new Map<unknown, Map<string, T>>()
  return (text: string, key: unknown, compute: () => T): T => {
    const values = valuesByKey.get(key) ?? new Map<string, T>()
    const value = values.get(text) ?? compute()
    valuesByKey.set(key, values.set(text, value))
    return value
  }
}

/** Whether a text is not analyzed. */
export const isTooLong = (text: string, unit?: TextUnit) =>
  text.length > (unit === 'x' ? ANALYZED_BY_X_MAX : ANALYZED_LENGTH_MAX)

const simpleUnit = (unit: TextUnit): TextUnit => (unit === 'bytes' || unit === 'UTF-16 units' ? unit : 'code points')
