import fc, { type Arbitrary } from 'fast-check'
import { readDocument, type Schema } from '../../helpers/document.ts'

/** What JSON can say. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export type Path = (string | number)[]

const { schemas } = readDocument().components

export const deref = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)!]!

/** Text that is stored as it is sent: well-formed, and without NUL. */
const NASTY = [
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
      { weight: 2, arbitrary: fc.constantFrom(...NASTY) },
      { weight: 1, arbitrary: fc.constantFrom('a', '🌊', ' ').map((one) => one.repeat(Math.min(maxLength, 300) / 2)) },
    )
    .map((value) => value.slice(0, maxLength))

const pad = (value: number, length = 2) => String(value).padStart(length, '0')

/** Times in RFC 3339, with every kind of zone and fraction. */
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

/** Texts that are no time of the kind above. */
const NO_TIMES = [
  '',
  'now',
  'infinity',
  'Jan 1 2026',
  '2026-02-30T00:00:00Z',
  '2026-01-01',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00:00',
  '2026-01-01T00:00:60Z',
  '2026-01-01T24:00:00Z',
  '2026-13-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '+010000-01-01T00:00:00Z',
  '2026-01-01T00:00:00+24:00',
  '1767225600',
]

const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('title', 'link', 'langs', 'altText', 'a', 'a_B', '0', '', 'a/b~c', 'é') },
  { weight: 1, arbitrary: text(20).filter((name) => name !== '__proto__' && name !== 'constructor') },
)

/** Anything at all that the service keeps as it is sent. */
const anything: Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    text(50),
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e-300, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat())

/** Texts that do not have the pattern of a schema. */
export const unmatched = ({ pattern }: Schema): string[] =>
  pattern === undefined ? [] : ['', ' ', 'a b', 'é', 'a'.repeat(300)].filter((text) => !new RegExp(pattern).test(text))

/** Values that a schema of the document allows. */
export function valid(schema: Schema): Arbitrary<Json> {
  const target = deref(schema)
  if (target.enum) return fc.constantFrom(...(target.enum as Json[]))
  if (target.anyOf) return fc.oneof(...target.anyOf.map(valid))
  const types = typesOf(target)
  if (types.length === 0) return anything
  return fc.oneof(...types.map((type) => validOf(type, target)))
}

function validOf(type: string, schema: Schema): Arbitrary<Json> {
  const {
    properties = {},
    required = [],
    additionalProperties,
    items,
    minItems = 0,
    maxLength,
    minimum,
    maximum,
  } = schema
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
      if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern))
      return schema.format === 'date-time' ? time : text(maxLength)
    case 'array':
      return fc.array(valid(items ?? {}), { minLength: minItems, maxLength: minItems + 3 })
    case 'object': {
      const known = Object.entries(properties).map(([name, property]) => [name, valid(property)] as const)
      const model = Object.fromEntries(known)
      const own = fc.record(model, { requiredKeys: required, noNullPrototype: true }) as Arbitrary<{
        [key: string]: Json
      }>
      if (known.length > 0 || typeof additionalProperties !== 'object') return own
      return fc.dictionary(key, valid(additionalProperties), { maxKeys: 3, noNullPrototype: true })
    }
    default:
      throw new Error(`The document has a type that no values are known for: ${type}`)
  }
}

/** Small ones mostly, and those at the bounds. */
const integer = (min: number, max: number) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min, max: Math.min(max, min + 30) }) },
    { weight: 1, arbitrary: fc.integer({ min, max }) },
    { weight: 1, arbitrary: fc.constantFrom(min, max) },
  )

/** One thing that makes a valid body invalid, and where the service has to say so. */
export interface Mutation {
  what: string
  /** The body as JSON text. Made when it is wanted: most are not. */
  json(): string
  /** What the first entry of `details` has to say. */
  issue: { code: string; path: Path; keys?: string[] }
}

const TYPES: Record<string, Json> = {
  null: null,
  boolean: true,
  number: 5,
  string: '5',
  array: [],
  object: {},
}

const typeOf = (value: Json) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** Deeper than any body may be, wherever it stands. */
const DEEP = '['.repeat(40) + ']'.repeat(40)

/** Every way of this module to make a body invalid that is valid by `schema`. */
export function mutationsOf(schema: Schema, body: Json): Mutation[] {
  const mutations: Mutation[] = []

  /** `text` stands in the place of the value at `path`; undefined where it is left out. */
  const add = (what: string, path: Path, text: string | undefined, issue: Mutation['issue']) =>
    mutations.push({ what: `${what} at ${JSON.stringify(path)}`, json: () => stringify(body, path, text), issue })

  const visit = (schema: Schema, value: Json, path: Path): void => {
    const target = deref(schema)
    const invalid = (code: string) => ({ code, path })
    const put = (what: string, value: Json, code: string) => add(what, path, JSON.stringify(value), invalid(code))

    // What holds in every place.
    add('an integer above 2^53', path, '9007199254740993', invalid('custom'))
    add('an overflow', path, '1e400', invalid('custom'))
    put('NUL', 'a\0b', 'custom')
    put('half of a surrogate pair', 'a\ud800', 'custom')
    mutations.push({
      what: `too deep at ${JSON.stringify(path)}`,
      json: () => stringify(body, path, DEEP),
      issue: { code: 'custom', path: [...path, ...Array(35 - path.length).fill(0)] },
    })
    if (typeOf(value) === 'object') {
      const members = value as { [key: string]: Json }
      for (const [name, problem] of [
        ['a\0', 'NUL in a key'],
        ['\udc00', 'half of a pair in a key'],
      ] as const) {
        const text = JSON.stringify({ ...members, [name]: 1 })
        add(problem, path, text, { code: 'custom', path: [...path, name.toWellFormed()] })
      }
      const text = JSON.stringify(members)
      const open = text === '{}' ? '{' : `${text.slice(0, -1)},`
      for (const [name, json] of [
        ['__proto__', '{"a":1}'],
        ['constructor', '{"prototype":{}}'],
      ] as const) {
        add(name, path, `${open}"${name}":${json}}`, { code: 'unrecognized_keys', path, keys: [name] })
      }
    }

    if (target.discriminator) {
      const { propertyName, mapping } = target.discriminator
      for (const [name, wrong] of Object.entries(TYPES)) {
        if (name !== 'object') add(`a ${name}`, path, JSON.stringify(wrong), invalid('invalid_type'))
      }
      const members = value as { [key: string]: Json }
      const at = [...path, propertyName]
      add('missing', at, undefined, { code: 'invalid_type', path: at })
      add('unknown', at, '"nobody"', { code: 'invalid_enum_value', path: at })
      add('no string', at, '5', { code: 'invalid_type', path: at })
      const variant = deref({ $ref: mapping[members[propertyName] as string]! })
      const { [propertyName]: _, ...properties } = variant.properties!
      const required = variant.required!.filter((name) => name !== propertyName)
      inside({ ...variant, properties: { ...properties, [propertyName]: {} }, required }, value, path)
      return
    }

    const variants = (target.anyOf ?? [target]).map(deref)
    const allowed = new Set(variants.flatMap(typesOf).map((type) => (type === 'integer' ? 'number' : type)))
    if (allowed.size > 0) {
      for (const [name, wrong] of Object.entries(TYPES)) {
        if (!allowed.has(name))
          put(name === 'number' ? 'a number' : `${name} in place of another type`, wrong, 'invalid_type')
      }
    }
    const variant = variants.find((each) => typesOf(each).includes(typeOf(value))) ?? variants[0]!
    inside(variant, value, path)
  }

  const inside = (schema: Schema, value: Json, path: Path): void => {
    const { properties = {}, required = [], additionalProperties, items } = schema
    const put = (what: string, value: Json, code: string) => add(what, path, JSON.stringify(value), { code, path })
    if (schema.enum) {
      put('none of the values', 'none of these', 'invalid_enum_value')
      put('another case', String(schema.enum[0]).toUpperCase(), 'invalid_enum_value')
    }
    if (schema.format === 'date-time') for (const wrong of NO_TIMES) put(`${wrong}, no time`, wrong, 'invalid_string')
    for (const wrong of unmatched(schema)) put(`${wrong}, against the pattern`, wrong, 'invalid_string')
    if (schema.maxLength !== undefined) put('too long', 'a'.repeat(schema.maxLength + 1), 'too_big')
    if (schema.minItems) put('too short', [], 'too_small')
    if (schema.minimum !== undefined) put('too small', schema.minimum - 1, 'too_small')
    if (schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER) {
      put('too big', schema.maximum + 1, 'too_big')
    }
    if (typesOf(schema).includes('integer')) put('a fraction', (schema.minimum ?? 0) + 0.5, 'invalid_type')
    if (Array.isArray(value) && items) for (const [index, item] of value.entries()) visit(items, item, [...path, index])
    if (typeOf(value) !== 'object') return
    const members = value as { [key: string]: Json }
    for (const [name, member] of Object.entries(members)) {
      const property = properties[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
      if (property && Object.keys(property).length > 0) visit(property, member, [...path, name])
      else if (property && !Object.hasOwn(properties, name)) visit({}, member, [...path, name])
    }
    for (const name of required) {
      add('missing', [...path, name], undefined, { code: 'invalid_type', path: [...path, name] })
    }
    if (additionalProperties === false) {
      const names = ['unknown', 'id', 'userId', 'status', 'toString', 'a'.repeat(90)]
      for (const name of names.filter((name) => !Object.hasOwn(properties, name))) {
        const text = JSON.stringify({ ...members, [name]: null })
        add(`the unknown key ${name}`, path, text, { code: 'unrecognized_keys', path, keys: [name] })
      }
    }
  }

  visit(schema, body, [])
  return mutations
}

/** `value` as JSON, with `text` in the place that `path` leads to. */
function stringify(value: Json, path: Path, text: string | undefined): string {
  const [step, ...rest] = path
  if (step === undefined) return text ?? ''
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => (index === step ? stringify(item, rest, text) : JSON.stringify(item))).join()}]`
  }
  const members = value as { [key: string]: Json }
  return `{${Object.entries(step in members ? members : { ...members, [step]: null })
    .flatMap(([name, member]) => {
      if (name !== step) return [`${JSON.stringify(name)}:${JSON.stringify(member)}`]
      if (rest.length === 0 && text === undefined) return []
      return [`${JSON.stringify(name)}:${stringify(member, rest, text)}`]
    })
    .join()}}`
}

/** Queries that are none by the schema of a parameter; a list stands for a parameter that is given several times. */
export function invalidQueries(schema: Schema): { text: string[]; code: string }[] {
  const { minimum, maximum } = schema
  if (!typesOf(schema).includes('integer')) {
    return [
      ...unmatched(schema).map((text) => ({ text: [text], code: 'invalid_string' })),
      { text: ['a', 'a'], code: 'invalid_type' },
    ]
  }
  const wrong = [
    '',
    ' 10',
    '10 ',
    '10.0',
    '1e1',
    '0x10',
    '+1',
    'Infinity',
    'NaN',
    'ten',
    '-0',
    '٣',
    '1,2',
    'null',
    '[]',
  ]
  return [
    ...wrong.map((text) => ({ text: [text], code: 'invalid_type' })),
    { text: ['1', '2'], code: 'invalid_type' },
    ...(minimum === undefined ? [] : [{ text: [String(minimum - 1)], code: 'too_small' }]),
    ...(maximum === undefined ? [] : [{ text: [String(BigInt(maximum) + 1n)], code: 'too_big' }]),
  ]
}
