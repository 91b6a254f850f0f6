import fc, { type Arbitrary } from 'fast-check'
import { NOT_BLANK } from '../../../schemas/shared.ts'
import { readDocument, type Schema } from '../../helpers/document.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const { schemas } = readDocument().components

/** Resolves a reference to a named schema. */
export const deref = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)!]!

export const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat())

/** Unusual texts that the service accepts: well-formed, and without NUL. */
const UNUSUAL_TEXTS = [
  '',
  ' ',
  '\n',
  '\u0001',
  '\u2028',
  '\ufeff',
  '\uffff',
  "'; drop table posts; --",
  '<script>',
  '%00',
  '../../etc/passwd',
  '\\u0000',
  '$1',
  '{}',
  '__proto__',
  'null',
  '👩‍👩‍👧‍👦',
  'a\u0300',
  'https://example.com/ @ada #a $A',
]

// Excludes surrogates, and the private use area, whose characters mark ids: see ids.ts.
const character = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 32, max: 126 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 0xd7ff }) },
  { weight: 1, arbitrary: fc.integer({ min: 0xe800, max: 0x10ffff }) },
)

const text = (maxLength = Infinity): Arbitrary<string> =>
  fc
    .oneof(
      {
        weight: 6,
        arbitrary: fc
          .array(character, { maxLength: 12 })
          .map((points) => points.map((point) => String.fromCodePoint(point)).join('')),
      },
      { weight: 2, arbitrary: fc.constantFrom(...UNUSUAL_TEXTS) },
      { weight: 1, arbitrary: fc.constantFrom('a', '🌊', ' ').map((one) => one.repeat(Math.min(maxLength, 300) / 2)) },
    )
    .map((value) => value.slice(0, maxLength))

const pad = (value: number, length = 2) => String(value).padStart(length, '0')

/** Times in RFC 3339, with every form of zone and fraction. */
const time = fc
  .record({
    ms: fc.oneof(
      fc.integer({ min: Date.UTC(1970, 0, 3), max: Date.UTC(9999, 11, 29) }),
      fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2030, 0, 1) }),
    ),
    fraction: fc.constantFrom('', '.0', '.5', '.123', '.123456789'),
    zone: fc.oneof(
      fc.constantFrom('Z', 'z', '+00:00', '-00:00'),
      fc
        .record({ sign: fc.constantFrom('+', '-'), hour: fc.nat({ max: 23 }), minute: fc.nat({ max: 59 }) })
        .map(({ sign, hour, minute }) => `${sign}${pad(hour)}:${pad(minute)}`),
    ),
    separator: fc.constantFrom('T', 't'),
  })
  .map(({ ms, fraction, zone, separator }) => {
    const iso = new Date(ms).toISOString()
    return `${iso.slice(0, 10)}${separator}${iso.slice(11, 19)}${fraction}${zone}`
  })

const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('title', 'link', 'langs', 'altText', 'a', 'a_B', '0', '', 'a/b~c', 'é') },
  { weight: 1, arbitrary: text(20).filter((name) => name !== '__proto__' && name !== 'constructor') },
)

/** Any value that the service stores unchanged. */
const anything: Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    text(50),
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e-300, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

/** Values that are valid by a schema of the document. */
export function valid(schema: Schema): Arbitrary<Json> {
  const target = deref(schema)
  if (target.enum) return fc.constantFrom(...(target.enum as Json[]))
  if (target.anyOf) return fc.oneof(...target.anyOf.map(valid))
  const types = typesOf(target)
  if (types.length === 0) return anything
  return fc.oneof(...types.map((type) => validOfType(type, target)))
}

function validOfType(type: string, schema: Schema): Arbitrary<Json> {
  const { items, minItems = 0, maxLength, minimum, maximum } = schema
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return integer(minimum ?? Number.MIN_SAFE_INTEGER, maximum ?? Number.MAX_SAFE_INTEGER)
    case 'number':
      return fc.double({ min: minimum ?? -1e15, max: maximum ?? 1e15, noNaN: true })
    case 'string':
      if (schema.pattern === NOT_BLANK) return text(maxLength).filter((value) => value.trim() !== '')
      if (schema.pattern !== undefined) {
        const matching = fc.stringMatching(new RegExp(schema.pattern))
        return maxLength === undefined ? matching : matching.filter(({ length }) => length <= maxLength)
      }
      return schema.format === 'date-time' ? time : text(maxLength)
    case 'array':
      return fc.array(valid(items ?? {}), { minLength: minItems, maxLength: minItems + 3 })
    case 'object':
      return validObject(schema)
    default:
      throw new Error(`The document has a schema of type ${type}, for which this test generates no values`)
  }
}

function validObject({ properties = {}, required = [], additionalProperties }: Schema): Arbitrary<Json> {
  const known = Object.entries(properties).map(([name, property]) => [name, valid(property)] as const)
  if (known.length === 0 && typeof additionalProperties === 'object') {
    return fc.dictionary(key, valid(additionalProperties), { maxKeys: 3, noNullPrototype: true })
  }
  const model = Object.fromEntries(known)
  return fc.record(model, { requiredKeys: required, noNullPrototype: true }) as Arbitrary<{ [key: string]: Json }>
}

/** Mostly near the minimum, sometimes a bound. */
const integer = (min: number, max: number) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min, max: Math.min(max, min + 30) }) },
    { weight: 1, arbitrary: fc.integer({ min, max }) },
    { weight: 1, arbitrary: fc.constantFrom(min, max) },
  )
