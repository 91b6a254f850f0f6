import { atLeast, atMost } from './wording.ts'

/** What is wrong with a value. */
export interface Problem {
  /** The stable name of the violated rule. */
  rule: string
  /** Follows the name of the field in the message. */
  message: string
}

export const wrongType = (value: unknown, expected: string): Problem => ({
  rule: 'field_type',
  message: `is ${nameType(value)}, expected ${expected}`,
})

export const wrongValue = (value: string | number, expected: string): Problem => ({
  rule: 'field_value',
  message: `is ${quote(value)}, expected ${expected}`,
})

/** Required content is missing; `message` says how. */
export const missing = (message: string): Problem => ({ rule: 'field_required', message })

export const duplicate = (item: string): Problem => ({
  rule: 'field_repeated',
  message: `duplicates an earlier item: ${quote(item)}`,
})

export const tooLong = (length: number, max: number, suffix = ''): Problem => ({
  rule: 'field_length',
  message: `is ${length} characters long${suffix}, ${atMost(max)}`,
})

export const tooManyBytes = (bytes: number, max: number): Problem => ({
  rule: 'field_bytes',
  message: `is ${bytes} bytes long, ${atMost(max)}`,
})

export function tooManyItems(items: unknown[], max: number | undefined): Problem | undefined {
  if (max === undefined || items.length <= max) return undefined
  return { rule: 'field_items', message: `has ${items.length} items, ${atMost(max)}` }
}

export function outOfRange(value: number, { min, max }: { min?: number; max?: number }): Problem | undefined {
  if (min !== undefined && value < min) return { rule: 'field_range', message: `is ${value}, ${atLeast(min)}` }
  if (max !== undefined && value > max) return { rule: 'field_range', message: `is ${value}, ${atMost(max)}` }
  return undefined
}

/** Adds the item or property that has the problem: "options item 2 is blank". */
export const prefixProblem = (path: string, { rule, message }: Problem): Problem => ({
  rule,
  message: `${path} ${message}`,
})

export const oneOf = (values: readonly string[]) => `one of ${values.join(', ')}`

function nameType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** UTF-16 units. */
const QUOTED_LENGTH_MAX = 40

/** A value as JSON; a long string is cut. */
function quote(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const isLong = value.length > QUOTED_LENGTH_MAX
  return JSON.stringify(isLong ? `${value.slice(0, QUOTED_LENGTH_MAX).toWellFormed()}…` : value)
}
