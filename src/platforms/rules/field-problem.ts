import type { LimitUnit } from '../../../schemas/limit-unit.ts'
import type { BodyPath } from '../../../schemas/warning.ts'
import { toActual, type ViolationFacts } from './violation.ts'
import { atLeast, atMost } from './wording.ts'

/** The problem of a value. */
export interface Problem extends Pick<ViolationFacts, 'limit' | 'actual' | 'unit'> {
  /** The stable name of the violated rule. */
  rule: string
  /** Follows the name of the field in the message. */
  message: string
  /** The keys and indexes that lead from the field to the value. */
  path: BodyPath
}

type Facts = Pick<Problem, 'limit' | 'actual' | 'unit'>

const problemOf = (rule: string, message: string, facts: Facts = {}): Problem => ({ rule, message, path: [], ...facts })

/** `allowed` has the values that are, if there is a list. */
export const wrongType = (value: unknown, expected: string, allowed?: readonly string[]): Problem =>
  problemOf('field_type', `is ${nameType(value)}, expected ${expected}`, factsOf(value, allowed))

export const wrongValue = (value: string | number, expected: string, allowed?: readonly string[]): Problem =>
  problemOf('field_value', `is ${quote(value)}, expected ${expected}`, factsOf(value, allowed))

const factsOf = (value: unknown, allowed: readonly string[] | undefined): Facts => ({
  actual: toActual(value),
  ...(allowed && { limit: { allowed: [...allowed] } }),
})

/** Required content is missing; `message` says how. */
export const missing = (message: string, facts?: Facts): Problem => problemOf('field_required', message, facts)

/** The value cannot be combined with the rest of the post; `message` says with what. */
export const misplaced = (rule: string, message: string): Problem => problemOf(rule, message)

export const duplicate = (item: string): Problem =>
  problemOf('field_repeated', `duplicates an earlier item: ${quote(item)}`, { actual: toActual(item) })

export function tooLong(length: number, max: number, unit: LimitUnit, suffix = ''): Problem {
  const facts = { limit: { max }, actual: length, unit }
  return problemOf('field_length', `is ${length} characters long${suffix}, ${atMost(max)}`, facts)
}

export const tooManyBytes = (bytes: number, max: number): Problem =>
  problemOf('field_bytes', `is ${bytes} bytes long, ${atMost(max)}`, { limit: { max }, actual: bytes, unit: 'bytes' })

export function tooManyItems({ length }: unknown[], max: number | undefined): Problem | undefined {
  if (max === undefined || length <= max) return undefined
  const facts: Facts = { limit: { max }, actual: length, unit: 'items' }
  return problemOf('field_items', `has ${length} items, ${atMost(max)}`, facts)
}

export function outOfRange(value: number, { min, max }: { min?: number; max?: number }): Problem | undefined {
  const report = (limit: Facts['limit'], bound: string) =>
    problemOf('field_range', `is ${value}, ${bound}`, { limit: limit!, actual: value })
  if (min !== undefined && value < min) return report({ min }, atLeast(min))
  if (max !== undefined && value > max) return report({ max }, atMost(max))
  return undefined
}

export const afterEnd = (value: number, end: number, unit: 'seconds' | 'milliseconds'): Problem =>
  problemOf('field_range', `is ${value}, but the video ends at ${end} ${unit}`, { limit: { max: end }, actual: value })

/** Adds the item that has the problem: "options item 2 is blank". */
export const prefixItem = (index: number, { message, path, ...problem }: Problem): Problem => ({
  ...problem,
  message: `item ${index + 1} ${message}`,
  path: [index, ...path],
})

/** Adds the property that has the problem. */
export const prefixProperty = (key: string, { message, path, ...problem }: Problem): Problem => ({
  ...problem,
  message: `${key} ${message}`,
  path: [key, ...path],
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
