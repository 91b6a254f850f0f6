import { parseTime } from '../../../schemas/time.ts'
import { mayBePublic } from '../../base/outbound/addresses.ts'
import type { FieldTextRule, FieldValue, ObjectRule, Properties } from '../contract/limits.ts'
import type { CheckContext } from './context.ts'
import {
  duplicate,
  misplaced,
  missing,
  oneOf,
  outOfRange,
  type Problem,
  prefixItem,
  prefixProperty,
  tooLong,
  tooManyBytes,
  tooManyItems,
  wrongType,
  wrongValue,
} from './field-problem.ts'
import { isBlank } from './text-length.ts'
import { atLeast, formatCount } from './wording.ts'

type Context = Pick<CheckContext, 'post' | 'texts' | 'fields' | 'media' | 'target'>

/** The first problem of a value: of its type, then its size, then its content. */
export function findProblem(value: unknown, rule: FieldValue, context: Context): Problem | undefined {
  switch (rule.type) {
    case 'string':
      if (typeof value !== 'string') return wrongType(value, 'a string')
      return findTextProblem(value, isBlank(value) && !rule.notBlank ? withoutPattern(rule) : rule, context)
    case 'url':
      return findUrlProblem(value, rule, context)
    case 'datetime':
      if (typeof value !== 'string') return wrongType(value, TIME)
      return 'time' in parseTime(value) ? undefined : wrongValue(value, TIME)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : wrongType(value, 'true or false')
    case 'integer':
      if (typeof value !== 'number') return wrongType(value, 'a whole number')
      return Number.isInteger(value) ? outOfRange(value, rule) : wrongValue(value, 'a whole number')
    case 'number':
      return typeof value === 'number' ? outOfRange(value, rule) : wrongType(value, 'a number')
    case 'enum':
      if (typeof value !== 'string') return wrongType(value, oneOf(rule.values), rule.values)
      return rule.values.includes(value) ? undefined : wrongValue(value, oneOf(rule.values), rule.values)
    case 'string[]':
      if (!Array.isArray(value)) return wrongType(value, 'a list of strings')
      if (!isListOf(value, isString)) return wrongItem(value, isString, 'a string')
      return tooManyItems(value, rule.itemsMax) ?? findListProblem(value, rule, context)
    case 'object':
      return isObject(value) ? findObjectProblem(value, rule, context) : wrongType(value, 'an object')
    case 'object[]':
      if (!Array.isArray(value)) return wrongType(value, 'a list of objects')
      if (!isListOf(value, isObject)) return wrongItem(value, isObject, 'an object')
      return tooManyItems(value, rule.itemsMax) ?? findObjectListProblem(value, rule, context)
  }
}

/** A blank string and an empty list count as absent. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return isBlank(value)
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

const WEB_URL = 'an absolute http(s) URL'
const TIME = 'a time in RFC 3339 with Z or an offset'

/** The expression has no flags, because JSON Schema has none. */
export const WEB_URL_FORM = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/]\S*$/

/** `attachment://` names a file of the message. */
export const WEB_OR_ATTACHMENT_URL_FORM = /^(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/]\S*|attachment:\/\/\S+)$/

function findUrlProblem(value: unknown, rule: FieldValue & { type: 'url' }, context: Context): Problem | undefined {
  const [form, expected] = rule.attachments
    ? [WEB_OR_ATTACHMENT_URL_FORM, `${WEB_URL} or attachment://NAME`]
    : [WEB_URL_FORM, WEB_URL]
  if (typeof value !== 'string') return wrongType(value, expected)
  const problem = findTextProblem(value, rule, context)
  if (problem) return problem
  // URL.parse alone accepts what it repairs: "https:/example.com" and " https://example.com".
  const url = form.test(value) ? URL.parse(value) : null
  if (!url) return wrongValue(value, expected)
  if (!/^https?:$/.test(url.protocol)) return undefined
  if (url.username !== '' || url.password !== '') return wrongValue(value, 'a URL without user name and password')
  // Neither networks nor readers reach others, and Postroom loads images from public hosts.
  return mayBePublic(url) ? undefined : wrongValue(value, 'a URL of a host on the public internet')
}

/** A blank text counts as absent, but the network would get it. */
const withoutPattern = ({ pattern: _, form: __, ...rule }: FieldTextRule): FieldTextRule => rule

const isString = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isListOf = <T>(list: unknown[], isItem: (item: unknown) => item is T): list is T[] => list.every(isItem)

function wrongItem(list: unknown[], isItem: (item: unknown) => boolean, expected: string): Problem {
  const index = list.findIndex((item) => !isItem(item))
  return prefixItem(index, wrongType(list[index], expected))
}

function findTextProblem(text: string, rule: FieldTextRule, { post, texts }: Context): Problem | undefined {
  const { lengthMax, unit = 'code points', bytesMax, pattern, form } = rule
  if (rule.notBlank && isBlank(text)) return post.isScheduled ? missing('is blank') : undefined
  const measured = rule.trimmed ? text.trim() : text
  // A text has at least as many UTF-16 units as code points or graphemes, so most texts need no counting.
  if (lengthMax !== undefined && measured.length > lengthMax) {
    const length = texts.countLength(measured, unit)
    if (length > lengthMax) return tooLong(length, lengthMax, unit)
  }
  if (bytesMax !== undefined) {
    const bytes = texts.countLength(measured, 'bytes')
    if (bytes > bytesMax) return tooManyBytes(bytes, bytesMax)
  }
  if (pattern && !pattern.regex.test(text)) return wrongValue(text, pattern.expected)
  return form && !form.test(text) ? wrongValue(text, form.expected) : undefined
}

function findListProblem(
  items: string[],
  { values, item: rule = {}, itemsMin = 0, uniqueItems, joinedLengthMax }: FieldValue & { type: 'string[]' },
  context: Context,
): Problem | undefined {
  const earlier = new Set<string>()
  for (const [index, item] of items.entries()) {
    const problem =
      values && !values.includes(item) ? wrongValue(item, oneOf(values), values) : findTextProblem(item, rule, context)
    if (problem) return prefixItem(index, problem)
    if (!uniqueItems || isBlank(item)) continue
    if (earlier.has(item.trim())) return prefixItem(index, duplicate(item))
    earlier.add(item.trim())
  }
  if (items.length < itemsMin && context.post.isScheduled) {
    const facts = { limit: { min: itemsMin }, actual: items.length, unit: 'items' as const }
    return missing(`has ${formatCount(items.length, 'item')}, ${atLeast(itemsMin)}`, facts)
  }
  if (joinedLengthMax === undefined) return undefined
  const joined = items.map((item) => (item.includes(' ') ? `"${item}"` : item)).join(',')
  const length = context.texts.countLength(joined, 'code points')
  return length > joinedLengthMax ? tooLong(length, joinedLengthMax, 'code points', ' in total') : undefined
}

function findObjectProblem(
  object: object,
  { properties, needsOneOf, excluded = [] }: ObjectRule,
  context: Context,
): Problem | undefined {
  for (const [key, rule] of Object.entries(properties)) {
    const value = readProperty(object, key)
    const problem = value === undefined ? undefined : findProblem(value, rule, context)
    if (problem) return prefixProperty(key, problem)
    if (!rule.required || !context.post.isScheduled || !isEmpty(value)) continue
    if (rule.required === true) return prefixProperty(key, missing('is required'))
    const { when, test } = rule.required
    if (test(context.fields, context.media, context.target)) {
      return prefixProperty(key, missing(`is required when ${when}`))
    }
  }
  for (const { key, when, test } of excluded) {
    if (isEmpty(readProperty(object, key)) || !test(object as Record<string, unknown>)) continue
    return prefixProperty(key, misplaced('field_refused', `is not allowed when ${when}`))
  }
  if (!needsOneOf || !context.post.isScheduled) return undefined
  if (needsOneOf.some((key) => hasContent(readProperty(object, key)))) return undefined
  return missing(`has none of ${needsOneOf.join(', ')}, at least 1 is required`)
}

/** False for blank texts, and for lists and objects that contain nothing else. */
export function hasContent(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasContent)
  return typeof value === 'string' ? !isBlank(value) : value !== undefined && value !== null
}

function findObjectListProblem(
  items: object[],
  rule: FieldValue & { type: 'object[]' },
  context: Context,
): Problem | undefined {
  const { properties, totalLengthMax } = rule
  for (const [index, item] of items.entries()) {
    const problem = findObjectProblem(item, rule, context)
    if (problem) return prefixItem(index, problem)
  }
  if (totalLengthMax === undefined) return undefined
  const length = items.reduce((sum, item) => sum + sumLengths(item, properties, context), 0)
  return length > totalLengthMax ? tooLong(length, totalLengthMax, 'code points', ' in total') : undefined
}

/** The length of all texts with a `lengthMax` in an object that has no problem. */
function sumLengths(object: object, properties: Properties, context: Context): number {
  let sum = 0
  for (const [key, rule] of Object.entries(properties)) {
    const value = readProperty(object, key)
    if (value === undefined) continue
    if (rule.type === 'string' && rule.lengthMax !== undefined) {
      const text = value as string
      sum += context.texts.countLength(rule.trimmed ? text.trim() : text, rule.unit ?? 'code points')
    }
    if (rule.type === 'object') sum += sumLengths(value as object, rule.properties, context)
    if (rule.type === 'object[]') {
      for (const item of value as object[]) sum += sumLengths(item, rule.properties, context)
    }
  }
  return sum
}

/** Null counts as absent. */
const readProperty = (object: object, key: string): unknown =>
  (Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined) ?? undefined
