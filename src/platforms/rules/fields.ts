import { parseTime } from '../../../schemas/time.ts'
import type { FieldTextRule, FieldValue, Properties } from '../limits.ts'
import type { Submission } from './check-post.ts'
import { isBlank } from './measure.ts'
import { atLeast, atMost, counted } from './wording.ts'

/** The fields that the network knows: their values, their conditions, and which are missing. Others are kept as sent. */
export function judgeFields(submission: Submission): void {
  const { post, platform, fields, media, report } = submission
  for (const [key, rule] of Object.entries(platform.fields)) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined
    const problem = value === undefined ? undefined : problemOf(value, rule, submission)
    if (problem) report(problem.rule, `field ${key} ${problem.says}`)

    const isMissing = isEmpty(value)
    if (isMissing && post.scheduled && rule.required) {
      if (rule.required === true) report('field_required', `field ${key} is required`)
      else if (rule.required.test(fields, media)) {
        report('field_required', `field ${key} is required when ${rule.required.when}`)
      }
    }
    if (isMissing || problem) continue
    if (rule.withoutMedia && media.count > 0) report('field_with_media', `field ${key} may not be combined with media`)
    if (rule.refused?.test(fields, media)) report('field_refused', `field ${key} is refused when ${rule.refused.when}`)
  }
}

interface Problem {
  rule: string
  says: string
}

type Judged = Pick<Submission, 'post' | 'measure'>

/** The first thing wrong with `value`: its type, then its size, then what it says. */
function problemOf(value: unknown, rule: FieldValue, judged: Judged): Problem | undefined {
  switch (rule.type) {
    case 'string':
      if (typeof value !== 'string') return wrongType(value, 'a string')
      return isBlank(value) && !rule.notBlank ? undefined : problemOfText(value, rule, judged)
    case 'url':
      if (typeof value !== 'string') return wrongType(value, 'an absolute http(s) URL')
      return (
        problemOfText(value, rule, judged) ??
        (isWebUrl(value) ? undefined : wrongValue(value, 'an absolute http(s) URL'))
      )
    case 'datetime': {
      const expected = 'a time in RFC 3339 with Z or an offset'
      if (typeof value !== 'string') return wrongType(value, expected)
      return 'time' in parseTime(value) ? undefined : wrongValue(value, expected)
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : wrongType(value, 'true or false')
    case 'integer':
      if (typeof value !== 'number') return wrongType(value, 'a whole number')
      return Number.isInteger(value) ? outOfRange(value, rule) : wrongValue(value, 'a whole number')
    case 'number':
      return typeof value === 'number' ? outOfRange(value, rule) : wrongType(value, 'a number')
    case 'enum':
      if (typeof value !== 'string') return wrongType(value, oneOf(rule.values))
      return rule.values.includes(value) ? undefined : wrongValue(value, oneOf(rule.values))
    case 'string[]':
      if (!Array.isArray(value)) return wrongType(value, 'a list of strings')
      if (!isListOf(value, isString)) return wrongItem(value, isString, 'a string')
      return tooMany(value, rule.itemsMax) ?? problemOfItems(value, rule, judged)
    case 'object':
      return isObject(value) ? problemOfObject(value, rule.properties, judged) : wrongType(value, 'an object')
    case 'object[]':
      if (!Array.isArray(value)) return wrongType(value, 'a list of objects')
      if (!isListOf(value, isObject)) return wrongItem(value, isObject, 'an object')
      return tooMany(value, rule.itemsMax) ?? problemOfObjects(value, rule, judged)
  }
}

function problemOfText(text: string, rule: FieldTextRule, { post, measure }: Judged): Problem | undefined {
  const { lengthMax, unit = 'code points', bytesMax, pattern } = rule
  if (rule.notBlank && isBlank(text)) return post.scheduled ? missing('is blank') : undefined
  const measured = rule.trimmed ? text.trim() : text
  // Neither unit counts more than there are UTF-16 units.
  if (lengthMax !== undefined && measured.length > lengthMax) {
    const length = measure.length(measured, unit)
    if (length > lengthMax) return tooLong(length, lengthMax)
  }
  if (bytesMax !== undefined) {
    const bytes = measure.length(measured, 'bytes')
    if (bytes > bytesMax) return { rule: 'field_bytes', says: `is ${bytes} bytes long, ${atMost(bytesMax)}` }
  }
  return pattern && !pattern.regex.test(text) ? wrongValue(text, pattern.says) : undefined
}

function problemOfItems(
  items: string[],
  { values, item: rule = {}, itemsMin = 0, distinct, joinedLengthMax }: FieldValue & { type: 'string[]' },
  judged: Judged,
): Problem | undefined {
  const known = new Set<string>()
  for (const [index, item] of items.entries()) {
    const problem =
      values && !values.includes(item) ? wrongValue(item, oneOf(values)) : problemOfText(item, rule, judged)
    if (problem) return within(`item ${index + 1}`, problem)
    if (!distinct || isBlank(item)) continue
    if (known.has(item.trim())) return within(`item ${index + 1}`, repeated(item))
    known.add(item.trim())
  }
  if (items.length < itemsMin && judged.post.scheduled) {
    return missing(`has ${counted(items.length, 'item')}, ${atLeast(itemsMin)}`)
  }
  if (joinedLengthMax === undefined) return undefined
  const joined = items.map((item) => (item.includes(' ') ? `"${item}"` : item)).join(',')
  const length = judged.measure.length(joined, 'code points')
  return length > joinedLengthMax ? tooLong(length, joinedLengthMax, ' in all') : undefined
}

function problemOfObject(object: object, properties: Properties, judged: Judged): Problem | undefined {
  for (const [key, rule] of Object.entries(properties)) {
    const value = propertyOf(object, key)
    const problem = value === undefined ? undefined : problemOf(value, rule, judged)
    if (problem) return within(key, problem)
    if (rule.required && judged.post.scheduled && isEmpty(value)) return within(key, missing('is required'))
  }
  return undefined
}

function problemOfObjects(
  items: object[],
  { properties, textsLengthMax }: FieldValue & { type: 'object[]' },
  judged: Judged,
): Problem | undefined {
  for (const [index, item] of items.entries()) {
    const problem = problemOfObject(item, properties, judged)
    if (problem) return within(`item ${index + 1}`, problem)
  }
  if (textsLengthMax === undefined) return undefined
  const length = items.reduce((sum, item) => sum + textsLength(item, properties, judged), 0)
  return length > textsLengthMax ? tooLong(length, textsLengthMax, ' in all') : undefined
}

/** The length of all texts that have a maximum, in an object that is as it should be. */
function textsLength(object: object, properties: Properties, judged: Judged): number {
  let sum = 0
  for (const [key, rule] of Object.entries(properties)) {
    const value = propertyOf(object, key)
    if (value === undefined) continue
    if (rule.type === 'string' && rule.lengthMax !== undefined) {
      const text = value as string
      sum += judged.measure.length(rule.trimmed ? text.trim() : text, rule.unit ?? 'code points')
    }
    if (rule.type === 'object') sum += textsLength(value as object, rule.properties, judged)
    if (rule.type === 'object[]') {
      for (const item of value as object[]) sum += textsLength(item, rule.properties, judged)
    }
  }
  return sum
}

const propertyOf = (object: object, key: string): unknown =>
  (Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined) ?? undefined

/** As good as absent. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return isBlank(value)
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

const isString = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isListOf = <T>(list: unknown[], isItem: (item: unknown) => item is T): list is T[] => list.every(isItem)

/** URL.canParse alone would trim and repair: "https:/example.com" and " https://example.com" pass it. */
const isWebUrl = (value: string) => /^https?:\/\/[^\s/]\S*$/i.test(value) && URL.canParse(value)

const tooLong = (length: number, max: number, suffix = ''): Problem => ({
  rule: 'field_length',
  says: `is ${length} characters long${suffix}, ${atMost(max)}`,
})

const missing = (says: string): Problem => ({ rule: 'field_required', says })

const repeated = (item: string): Problem => ({
  rule: 'field_repeated',
  says: `is ${quoted(item)}, which is there before`,
})

/** The same problem, of something inside. */
const within = (place: string, { rule, says }: Problem): Problem => ({ rule, says: `${place} ${says}` })

function tooMany(items: unknown[], max: number | undefined): Problem | undefined {
  if (max === undefined || items.length <= max) return undefined
  return { rule: 'field_items', says: `has ${items.length} items, ${atMost(max)}` }
}

function outOfRange(value: number, { min, max }: { min?: number; max?: number }): Problem | undefined {
  if (min !== undefined && value < min) return { rule: 'field_range', says: `is ${value}, ${atLeast(min)}` }
  if (max !== undefined && value > max) return { rule: 'field_range', says: `is ${value}, ${atMost(max)}` }
  return undefined
}

const wrongType = (value: unknown, expected: string): Problem => ({
  rule: 'field_type',
  says: `is ${typeName(value)}, expected ${expected}`,
})

/** Of a list that has one. */
function wrongItem(list: unknown[], isItem: (item: unknown) => boolean, expected: string): Problem {
  const index = list.findIndex((item) => !isItem(item))
  return within(`item ${index + 1}`, wrongType(list[index], expected))
}

const wrongValue = (value: string | number, expected: string): Problem => ({
  rule: 'field_value',
  says: `is ${quoted(value)}, expected ${expected}`,
})

const oneOf = (values: readonly string[]) => `one of ${values.join(', ')}`

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const QUOTED_MAX = 40

/** A value as JSON, its beginning where it is long. */
function quoted(value: string | number): string {
  if (typeof value === 'number') return String(value)
  return JSON.stringify(value.length > QUOTED_MAX ? `${value.slice(0, QUOTED_MAX).toWellFormed()}…` : value)
}
