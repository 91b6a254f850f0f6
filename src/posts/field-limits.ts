import { parseTime } from '../../schemas/time.ts'
import type { FieldValue } from '../platforms/platform.ts'
import { isBlank, textLength } from '../platforms/text.ts'
import type { Submission } from './limits.ts'
import { atLeast, atMost } from './wording.ts'

/** The fields that the network knows: their values, their conditions, and which are missing. Others are kept as sent. */
export function judgeFields({ post, platform, fields, media, report }: Submission): void {
  for (const [key, rule] of Object.entries(platform.fields)) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined
    const problem = value === undefined ? undefined : problemOf(value, rule)
    if (problem) report(problem.rule, `field ${key} ${problem.says}`)

    const isEmpty = value === undefined || (typeof value === 'string' && isBlank(value))
    if (isEmpty && post.scheduled && rule.required) {
      if (rule.required === true) report('field_required', `field ${key} is required`)
      else if (rule.required.test(fields, media)) {
        report('field_required', `field ${key} is required when ${rule.required.when}`)
      }
    }
    if (isEmpty || problem) continue
    if (rule.withoutMedia && media.count > 0) report('field_with_media', `field ${key} may not be combined with media`)
    if (rule.refused?.test(fields, media)) report('field_refused', `field ${key} is refused when ${rule.refused.when}`)
  }
}

interface Problem {
  rule: string
  says: string
}

/** The first thing wrong with `value`: its type, then its size, then what it says. */
function problemOf(value: unknown, rule: FieldValue): Problem | undefined {
  switch (rule.type) {
    case 'string':
      if (typeof value !== 'string') return wrongType(value, 'a string')
      if (isBlank(value)) return undefined
      return (
        tooLong(value, rule.lengthMax) ??
        (rule.pattern && !rule.pattern.regex.test(value) ? wrongValue(value, rule.pattern.says) : undefined)
      )
    case 'url':
      if (typeof value !== 'string') return wrongType(value, 'an absolute http(s) URL')
      return (
        tooLong(value, rule.lengthMax) ?? (isWebUrl(value) ? undefined : wrongValue(value, 'an absolute http(s) URL'))
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
    case 'enum':
      if (typeof value !== 'string') return wrongType(value, oneOf(rule.values))
      return rule.values.includes(value) ? undefined : wrongValue(value, oneOf(rule.values))
    case 'string[]':
      if (!isListOf(value, isString)) return wrongType(value, 'a list of strings')
      return tooMany(value, rule.itemsMax) ?? problemOfItems(value, rule)
    case 'object':
      return isObject(value) ? undefined : wrongType(value, 'an object')
    case 'object[]':
      if (!isListOf(value, isObject)) return wrongType(value, 'a list of objects')
      return tooMany(value, rule.itemsMax)
  }
}

function problemOfItems(items: string[], rule: FieldValue & { type: 'string[]' }): Problem | undefined {
  const { values, itemLengthMax, joinedLengthMax } = rule
  for (const [index, item] of items.entries()) {
    const problem = values && !values.includes(item) ? wrongValue(item, oneOf(values)) : tooLong(item, itemLengthMax)
    if (problem) return { ...problem, says: `item ${index + 1} ${problem.says}` }
  }
  if (joinedLengthMax === undefined) return undefined
  const joined = items.map((item) => (item.includes(' ') ? `"${item}"` : item)).join(',')
  return tooLong(joined, joinedLengthMax, ' in all')
}

const isString = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isListOf = <T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] =>
  Array.isArray(value) && value.every(isItem)

/** URL.canParse alone would trim and repair: "https:/example.com" and " https://example.com" pass it. */
const isWebUrl = (value: string) => /^https?:\/\/[^\s/]\S*$/i.test(value) && URL.canParse(value)

function tooLong(value: string, max: number | undefined, suffix = ''): Problem | undefined {
  if (max === undefined || value.length <= max) return undefined
  const length = textLength(value, 'code points')
  if (length <= max) return undefined
  return { rule: 'field_length', says: `is ${length} characters long${suffix}, ${atMost(max)}` }
}

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
