import fc, { type Arbitrary } from 'fast-check'
import type { FieldCondition } from '../../schemas/platform-detail.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** The keywords of the published schemas. */
export interface Schema {
  type: string | string[]
  enum?: Json[]
  pattern?: string
  format?: string
  maxLength?: number
  minimum?: number
  maximum?: number
  required?: string[]
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
}

type Weighted<T> = { weight: number; arbitrary: Arbitrary<T> }
const weighted = <T>(weight: number, arbitrary: Arbitrary<T>): Weighted<T> => ({ weight, arbitrary })

const TEXTS = [
  '',
  ' ',
  '\u3000\ufeff',
  'en',
  'pt-BR',
  '123456',
  '#a1B2c3',
  '#news',
  'lighthouses',
  'u_ada-l',
  'a.b & c',
  '<b>',
  'My DISCORD bot',
  'https://example.com/a',
  'HTTPS://münchen.de/ü',
  'https://[',
  'https:/example.com',
  ' https://example.com',
  'tg://user?id=1',
]

const TIMES = [
  '2026-01-31T09:30:00Z',
  '2026-01-31t09:30:00.5+05:30',
  '2026-02-30T09:30:00Z',
  '2026-01-31T23:59:60Z',
  '1969-12-31T23:59:59Z',
  '2026-01-31T09:30:00',
  '',
]

/** In pieces. */
const LONG = 1_000

const WRONG: Json[] = [null, true, 5, -1.5, 'a', '', [], [null], ['a', 5], {}, [{}], { a: 1 }, 'none of these']

/** Values on both sides of everything that the schema of one key and its conditions say. */
export const valuesOf = (schema: Schema, conditions: FieldCondition[]): Arbitrary<Json> => {
  const lengths = conditions.flatMap(({ limit }) => (limit?.max === undefined ? [] : [limit.max]))
  return valuesNear(schema, lengths)
}

function valuesNear(schema: Schema, lengths: number[]): Arbitrary<Json> {
  return fc.oneof(
    weighted(12, typedValues(schema, lengths)),
    weighted(8, plainValues(schema)),
    weighted(3, fc.constantFrom(...WRONG)),
  )
}

const WORD = /^[a-z]{3,9}$/

/** Values that are mostly accepted: otherwise values with many parts are rarely so. */
function plainValues(schema: Schema): Arbitrary<Json> {
  const [type] = [schema.type].flat()
  if (schema.enum) return fc.constantFrom(...schema.enum.filter((value) => value !== null))
  switch (type) {
    case 'string':
      return plainTexts(schema)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 10 })
    case 'array': {
      const { items, minItems = 0, maxItems = 3 } = schema
      return fc.array(plainValues(items!), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 2) })
    }
    default: {
      const { properties = {}, required = [] } = schema
      const model = Object.entries(properties).map(([key, property]) => [key, plainValues(property)])
      const options = { requiredKeys: required, noNullPrototype: true } as const
      return fc.record(Object.fromEntries(model) as Record<string, Arbitrary<Json>>, options) as Arbitrary<Json>
    }
  }
}

function plainTexts({ pattern, format }: Schema): Arbitrary<string> {
  if (format === 'date-time') return fc.constant(TIMES[0]!)
  if (pattern?.includes('[Hh]')) return fc.constant('https://example.com/a')
  if (pattern?.includes('(?=')) return fc.constant('en')
  const isFree = pattern === undefined || pattern === '\\S' || pattern.includes('(?!')
  return fc.stringMatching(isFree ? WORD : new RegExp(pattern))
}

function typedValues(schema: Schema, lengths: number[]): Arbitrary<Json> {
  const [type] = [schema.type].flat()
  if (schema.enum) return fc.constantFrom(...schema.enum, 'none of these', '')
  switch (type) {
    case 'string':
      return schema.format === 'date-time' ? fc.constantFrom(...TIMES) : texts(schema, lengths)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return numbers(schema)
    case 'array':
      return lists(schema, lengths)
    default:
      return objects(schema, lengths)
  }
}

/** Their last characters may be cut, but not inside a surrogate pair, which no body may contain. */
function texts({ pattern, maxLength }: Schema, lengths: number[]): Arbitrary<string> {
  const maxima = [...new Set([...(maxLength === undefined ? [] : [maxLength]), ...lengths])]
  const long = fc
    .record({
      piece: fc.constantFrom('a', 'é', '漢', '🌊', '👨‍👩‍👧‍👦', ' ', 'a '),
      length: fc.constantFrom(...maxima, 40),
      more: fc.integer({ min: -1, max: 1 }),
      // Some units have several code points.
      isCut: fc.boolean(),
    })
    .map(({ piece, length, more, isCut }) => {
      // A body has at most 1 MiB.
      const text = (length > LONG ? 'a' : piece).repeat(length + more)
      return isCut ? [...text].slice(0, length + more).join('') : text
    })
  const known = fc.constantFrom(...TEXTS)
  // fast-check generates no texts for lookaheads.
  const isGenerated = pattern !== undefined && !/\(\?[=!]/.test(pattern)
  const matching = isGenerated ? fc.stringMatching(new RegExp(pattern)) : known
  return fc.oneof(weighted(3, known), weighted(3, long), weighted(3, matching))
}

function numbers({ minimum = -10, maximum = 10 }: Schema): Arbitrary<number> {
  const borders = [minimum - 1, minimum, minimum + 0.5, maximum, maximum + 1]
  return fc.oneof(fc.constantFrom(...borders), fc.integer({ min: minimum, max: maximum }))
}

function lists({ items, minItems = 0, maxItems = 3 }: Schema, lengths: number[]): Arbitrary<Json[]> {
  // Several items may share a maximum.
  const shared = [...lengths, ...lengths.map((length) => Math.floor(length / 2))]
  const isOfTexts = items!.type === 'string'
  const maxLength = isOfTexts ? Math.min(maxItems, 30) + 1 : 2
  return fc
    .record({
      list: fc.array(typedValues(items!, shared), { minLength: Math.max(0, minItems - 1), maxLength }),
      wrong: fc.option(fc.constantFrom(...WRONG), { freq: 8 }),
      repeats: fc.option(fc.integer({ min: maxItems, max: maxItems + 1 }), { freq: 5 }),
    })
    .map(({ list, wrong, repeats }) => {
      if (wrong !== null) return [...list, wrong]
      if (repeats === null || list.length === 0) return list
      return Array<Json>(repeats).fill(isOfTexts ? list[0]! : {})
    })
}

function objects({ properties = {} }: Schema, lengths: number[]): Arbitrary<Json> {
  const modelOf = (values: typeof valuesNear) => ({
    ...Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, values(schema, lengths)])),
    unknown: fc.constant(1),
  })
  return fc.oneof(
    fc.record(modelOf(valuesNear), { requiredKeys: [], noNullPrototype: true }),
    fc.record(modelOf(typedValues), { noNullPrototype: true }),
  ) as Arbitrary<Json>
}
