import type { TextRule } from '../limits.ts'
import type { CheckContext } from './context.ts'
import { atMost } from './wording.ts'

interface CheckedText {
  /** In messages, such as "thread part 2". */
  name: string
  /** The prefix of the violated rule, such as thread_part. */
  ruleName: string
  /** The length of other texts that count towards this one. */
  addedLength?: number
}

/** Checks the length of a text in its unit, its bytes and its forbidden characters. */
export function checkTextLimits(
  text: string,
  { name, ruleName, addedLength = 0 }: CheckedText,
  { unit, lengthMax, bytesMax, forbiddenCharacters }: TextRule,
  { texts, addViolation }: CheckContext,
): void {
  const length = texts.countLength(text, unit) + addedLength
  if (length > lengthMax) {
    const noun = unit === 'bytes' ? 'bytes' : 'characters'
    addViolation(`${ruleName}_length`, `${name} is ${length} ${noun} long, ${atMost(lengthMax)}`)
  }
  if (bytesMax !== undefined && texts.countLength(text, 'bytes') > bytesMax) {
    addViolation(`${ruleName}_bytes`, `${name} is ${texts.countLength(text, 'bytes')} bytes long, ${atMost(bytesMax)}`)
  }
  const forbidden = forbiddenCharacters?.filter((character) => text.includes(character)) ?? []
  if (forbidden.length > 0) {
    const verb = forbidden.length === 1 ? 'is' : 'are'
    addViolation(`${ruleName}_characters`, `${name} contains ${forbidden.join(' and ')}, which ${verb} not allowed`)
  }
}

/** The length of the fields that count towards a text, and the text's name with the keys of these fields. */
export function measureCountedFields(
  name: string,
  { platform, fields, texts }: CheckContext,
): { name: string; length: number } {
  let fullName = name
  let length = 0
  for (const [key, { countsInText }] of Object.entries(platform.fields)) {
    const value = countsInText && Object.hasOwn(fields, key) ? fields[key] : undefined
    if (typeof value !== 'string') continue
    fullName = `${name} with field ${key}`
    length += texts.countLength(value, 'graphemes')
  }
  return { name: fullName, length }
}
