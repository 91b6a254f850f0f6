import type { BodyPath } from '../../../schemas/warning.ts'
import type { EntityMaxima, Platform, TextRule, TextUnit } from '../contract/limits.ts'
import type { CheckContext } from './context.ts'
import { findLinks } from './entities.ts'
import { readStored } from './stored-text.ts'
import type { Entity } from './text-cache.ts'
import { isBlank } from './text-length.ts'
import { atMost } from './wording.ts'

/** How a unit counts characters that people count as one. Bytes are named as such. */
const COUNTING: Partial<Record<TextUnit, string>> = {
  x: 'CJK and emoji count 2, a URL 23',
  mastodon: 'a URL counts 23, a mention without its server, each consonant of a conjunct 1',
  threads: 'an emoji counts its bytes in UTF-8, 3 or more',
  'code points': 'each part of a combined emoji or letter counts 1',
  'UTF-16 units': 'an emoji counts 2 or more, so does a combined letter',
}

/** The name without its kind of account: "X (Twitter)" is X. */
const shortName = ({ name }: Platform) => name.replace(/ \(.*/, '')

interface CheckedText {
  /** In messages, such as "thread part 2". */
  name: string
  /** The prefix of the violated rule, such as thread_part. */
  ruleName: string
  findPath: () => BodyPath
  /** The length of other texts that count towards this one. */
  addedLength?: number
  /** The text that is sent, if it is not the one that is stored. Its bytes and characters are checked. */
  sent?: string
  /** The caption, or the first part of a thread: fields of the post count towards its entities. */
  isMain?: boolean
}

/** Checks the length of a text in its unit, its bytes, its forbidden characters, and whether it can be a reply. */
export function checkTextLimits(
  text: string,
  { name, ruleName, findPath, addedLength = 0, sent = text, isMain }: CheckedText,
  { unit, lengthMax, lengthSource, bytesMax, forbiddenCharacters, refusedReply, source }: TextRule,
  { platform, texts, addViolation, addCount }: CheckContext,
): void {
  const length = texts.countLength(text, unit) + addedLength
  addCount?.({ path: findPath(), actual: length, limit: lengthMax, unit })
  if (length > lengthMax) {
    const noun = unit === 'bytes' ? 'bytes' : 'characters'
    const found = lengthSource === undefined ? source : lengthSource
    const facts = { path: findPath(), limit: { max: lengthMax }, actual: length, unit, source: found }
    // People count graphemes.
    const isAsExpected = !COUNTING[unit] || texts.countLength(text, 'graphemes') + addedLength === length
    const problem = isAsExpected
      ? `${name} is ${length} ${noun} long, ${atMost(lengthMax)}`
      : `${name} counts as ${length} on ${shortName(platform)}: ${COUNTING[unit]}; ${atMost(lengthMax)}`
    addViolation(`${ruleName}_length`, facts, problem)
  }
  if (bytesMax !== undefined) {
    const bytes = texts.countLength(sent, 'bytes')
    addCount?.({ path: findPath(), actual: bytes, limit: bytesMax, unit: 'bytes' })
    if (bytes > bytesMax) {
      const facts = { path: findPath(), limit: { max: bytesMax }, actual: bytes, unit: 'bytes' as const, source }
      addViolation(`${ruleName}_bytes`, facts, `${name} is ${bytes} bytes long, ${atMost(bytesMax)}`)
    }
  }
  const forbidden = forbiddenCharacters?.filter((character) => sent.includes(character)) ?? []
  if (forbidden.length > 0) {
    const verb = forbidden.length === 1 ? 'is' : 'are'
    const facts = { path: findPath(), actual: forbidden.join(''), source }
    const problem = `${name} contains ${forbidden.map(nameCharacter).join(' and ')}, which ${verb} not allowed`
    addViolation(`${ruleName}_characters`, facts, problem)
  }
  if (refusedReply && !isMain && refusedReply.test(sent)) {
    addViolation(
      `${ruleName}_reply`,
      { path: findPath(), source: refusedReply.source },
      `${name} ${refusedReply.problem}`,
    )
  }
}

/** Shows an invisible character by its code point. */
const nameCharacter = (character: string) =>
  /\p{C}/u.test(character) ? `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}` : character

/** Checks the number of hashtags and the like. */
export function checkEntities(
  text: string,
  { name, findPath, isMain }: Pick<CheckedText, 'name' | 'findPath' | 'isMain'>,
  { hashtagsMax, mentionsMax, linksMax, cashtagsMax, source }: EntityMaxima & Pick<TextRule, 'source'>,
  context: CheckContext,
): void {
  const { texts, addViolation } = context
  const maxima = { hashtag: hashtagsMax, mention: mentionsMax, link: linksMax, cashtag: cashtagsMax }
  for (const [entity, max] of Object.entries(maxima) as [Entity, number | undefined][]) {
    if (max === undefined) continue
    const added = isMain && entity === 'link' ? findAddedLinks(text, context) : []
    const actual = texts.countEntities(text, entity) + added.length
    if (actual <= max) continue
    const facts = { path: findPath(), limit: { max }, actual, unit: 'items' as const, source }
    const fullName = [name, ...added.map((key) => `field ${key}`)].join(' with ')
    addViolation(`${entity}_count`, facts, `${fullName} has ${actual} ${entity}s, ${atMost(max)}`)
  }
}

/** The fields with a link that counts beside those of the text. */
const findAddedLinks = (text: string, { platform, fields, texts }: CheckContext): string[] =>
  Object.keys(platform.fields).filter((key) => {
    const link = platform.fields[key]!.countsAsLink && Object.hasOwn(fields, key) ? fields[key] : undefined
    return typeof link === 'string' && !isBlank(link) && !texts.read(text, findLinks)?.includes(link)
  })

/** The length of the fields that count towards a text, and the text's name with the keys of these fields. */
export function measureCountedFields(
  name: string,
  context: Pick<CheckContext, 'platform' | 'fields' | 'texts'>,
): { name: string; length: number } {
  const { platform, fields, texts } = context
  let fullName = name
  let length = 0
  for (const [key, { countsInText }] of Object.entries(platform.fields)) {
    const value = countsInText && Object.hasOwn(fields, key) ? fields[key] : undefined
    if (typeof value !== 'string' || countsInText === undefined) continue
    fullName = `${name} with field ${key}`
    length += texts.countLength(readStored(value, context), countsInText)
  }
  return { name: fullName, length }
}
