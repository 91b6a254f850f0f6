import { BLUESKY_SERVER, MASTODON_SERVER } from '../../../schemas/text-forms.ts'
import { ZONE_NAME } from '../../../schemas/time.ts'
import type { Schema } from '../../helpers/document.ts'
import { deref, type Json, typesOf } from './values.ts'

export type Path = (string | number)[]

/** The first entry of `details` in the response to an invalid request. */
interface Issue {
  code: string
  path: Path
  keys?: string[]
}

/**
 * How the service must respond: to a valid request without `details`, to an invalid one with 400 and this entry first.
 */
export type Expected = 'valid' | Issue

/** A change that makes a valid body invalid. */
interface Mutation {
  what: string
  /** The changed body as JSON. A function, because most mutations are never sent. */
  json(): string
  issue: Issue
}

/** Every mutation of a body that is valid by `schema`, with one error each. */
export function mutationsOf(schema: Schema, body: Json): Mutation[] {
  const collector: Collector = { body, mutations: [] }
  mutate(collector, schema, body, [])
  return collector.mutations
}

interface Collector {
  body: Json
  mutations: Mutation[]
}

/** Replaces the value at `path` by JSON text. Removes it if `text` is undefined. */
function add({ body, mutations }: Collector, what: string, path: Path, text: string | undefined, issue: Issue): void {
  mutations.push({ what: `${what} at ${JSON.stringify(path)}`, json: () => replaceAt(body, path, text), issue })
}

const put = (collector: Collector, what: string, path: Path, value: Json, code: string) =>
  add(collector, what, path, JSON.stringify(value), { code, path })

function mutate(collector: Collector, schema: Schema, value: Json, path: Path): void {
  const target = deref(schema)
  addAnywhere(collector, path)
  if (typeOf(value) === 'object') addKeys(collector, value as JsonObject, path)
  if (target.discriminator) {
    mutateUnion(collector, target, value as JsonObject, path)
    return
  }
  const variants = (target.anyOf ?? [target]).map(deref)
  const allowed = new Set(variants.flatMap(typesOf).map((type) => (type === 'integer' ? 'number' : type)))
  if (allowed.size > 0) {
    for (const [name, wrong] of Object.entries(VALUE_OF_TYPE)) {
      if (!allowed.has(name)) put(collector, `a value of type ${name}`, path, wrong, 'invalid_type')
    }
  }
  const ofType = variants.filter((each) => typesOf(each).includes(typeOf(value)))
  const matches = (text: string) => (each: Schema) => each.pattern !== undefined && new RegExp(each.pattern).test(text)
  const variant = ofType.find(matches(String(value))) ?? ofType[0] ?? variants[0]!
  // A local time is right or wrong by the zone beside it, or by that of the post.
  const invalidTimes = INVALID_TIMES.filter((text) => !variants.some(matches(text)))
  addConstraints(collector, variant, path, invalidTimes)
  mutateMembers(collector, variant, value, path)
}

type JsonObject = { [key: string]: Json }

const VALUE_OF_TYPE: Record<string, Json> = {
  null: null,
  boolean: true,
  number: 5,
  string: '5',
  array: [],
  object: {},
}

const typeOf = (value: Json) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** Nested more deeply than any body may be, at any path. */
const DEEP = '['.repeat(40) + ']'.repeat(40)
/** Index of the first level that is too deep. */
const DEPTH_MAX = 35

/** Errors that are possible at any path. */
function addAnywhere(collector: Collector, path: Path): void {
  add(collector, 'an integer above 2^53', path, '9007199254740993', { code: 'custom', path })
  add(collector, 'an overflow', path, '1e400', { code: 'custom', path })
  put(collector, 'NUL', path, 'a\0b', 'custom')
  put(collector, 'half of a surrogate pair', path, 'a\ud800', 'custom')
  const tooDeep = [...path, ...Array(DEPTH_MAX - path.length).fill(0)]
  add(collector, 'too deep a value', path, DEEP, { code: 'custom', path: tooDeep })
}

/** Keys that no object may have. */
function addKeys(collector: Collector, members: JsonObject, path: Path): void {
  for (const [name, what] of [
    ['a\0', 'NUL in a key'],
    ['\udc00', 'half of a surrogate pair in a key'],
  ] as const) {
    const text = JSON.stringify({ ...members, [name]: 1 })
    add(collector, what, path, text, { code: 'custom', path: [...path, name.toWellFormed()] })
  }
  const text = JSON.stringify(members)
  const open = text === '{}' ? '{' : `${text.slice(0, -1)},`
  for (const [name, json] of [
    ['__proto__', '{"a":1}'],
    ['constructor', '{"prototype":{}}'],
  ] as const) {
    add(collector, name, path, `${open}"${name}":${json}}`, { code: 'unrecognized_keys', path, keys: [name] })
  }
}

/** A union whose variant a property names. */
function mutateUnion(collector: Collector, schema: Schema, members: JsonObject, path: Path): void {
  const { propertyName, mapping } = schema.discriminator!
  for (const [name, wrong] of Object.entries(VALUE_OF_TYPE)) {
    if (name !== 'object') put(collector, `a value of type ${name}`, path, wrong, 'invalid_type')
  }
  const at = [...path, propertyName]
  add(collector, 'nothing', at, undefined, { code: 'invalid_type', path: at })
  put(collector, 'an unknown variant', at, 'nobody', 'invalid_enum_value')
  put(collector, 'a number', at, 5, 'invalid_type')
  const variant = deref({ $ref: mapping[members[propertyName] as string]! })
  const { [propertyName]: _, ...properties } = variant.properties!
  const required = variant.required!.filter((name) => name !== propertyName)
  const rest = { ...variant, properties: { ...properties, [propertyName]: {} }, required }
  addConstraints(collector, rest, path)
  mutateMembers(collector, rest, members, path)
}

/** Values of the right type that break a constraint of the schema. */
function addConstraints(collector: Collector, schema: Schema, path: Path, invalidTimes = INVALID_TIMES): void {
  const invalid = (what: string, value: Json, code: string) => put(collector, what, path, value, code)
  if (schema.enum) {
    invalid('a value that is not listed', 'none of these', 'invalid_enum_value')
    invalid('a value in capitals', String(schema.enum[0]).toUpperCase(), 'invalid_enum_value')
  }
  if (schema.format === 'date-time') {
    for (const wrong of invalidTimes) invalid(`the time ${wrong}`, wrong, 'invalid_string')
  }
  for (const wrong of textsAgainst(schema)) invalid(`${wrong}, against the pattern`, wrong, 'invalid_string')
  if (schema.maxLength !== undefined) invalid('a text too long', 'a'.repeat(schema.maxLength + 1), 'too_big')
  if (schema.minItems) invalid('a list too short', [], 'too_small')
  if (schema.minimum !== undefined) invalid('a number too small', schema.minimum - 1, 'too_small')
  if (schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER) {
    invalid('a number too big', schema.maximum + 1, 'too_big')
  }
  if (typesOf(schema).includes('integer')) invalid('a fraction', (schema.minimum ?? 0) + 0.5, 'invalid_type')
}

/** Items and properties: invalid, missing, and unknown ones. */
function mutateMembers(collector: Collector, schema: Schema, value: Json, path: Path): void {
  const { properties = {}, required = [], additionalProperties, items } = schema
  if (Array.isArray(value) && items) {
    for (const [index, item] of value.entries()) mutate(collector, items, item, [...path, index])
  }
  if (typeOf(value) !== 'object') return
  const members = value as JsonObject
  for (const [name, member] of Object.entries(members)) {
    const property = properties[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
    if (property && Object.keys(property).length > 0) mutate(collector, property, member, [...path, name])
    else if (property && !Object.hasOwn(properties, name)) mutate(collector, {}, member, [...path, name])
  }
  for (const name of required) {
    add(collector, 'nothing', [...path, name], undefined, { code: 'invalid_type', path: [...path, name] })
  }
  if (additionalProperties !== false) return
  const names = ['unknown', 'id', 'userId', 'status', 'toString', 'a'.repeat(90)]
  for (const name of names.filter((name) => !Object.hasOwn(properties, name))) {
    const text = JSON.stringify({ ...members, [name]: null })
    add(collector, `the unknown key ${name}`, path, text, { code: 'unrecognized_keys', path, keys: [name] })
  }
}

/** `value` as JSON, with `text` at `path`. If `text` is undefined, the member at `path` is left out. */
function replaceAt(value: Json, path: Path, text: string | undefined): string {
  const [step, ...rest] = path
  if (step === undefined) return text ?? ''
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => (index === step ? replaceAt(item, rest, text) : JSON.stringify(item))).join()}]`
  }
  const members = value as JsonObject
  return `{${Object.entries(step in members ? members : { ...members, [step]: null })
    .flatMap(([name, member]) => {
      if (name !== step) return [`${JSON.stringify(name)}:${JSON.stringify(member)}`]
      if (rest.length === 0 && text === undefined) return []
      return [`${JSON.stringify(name)}:${replaceAt(member, rest, text)}`]
    })
    .join()}}`
}

/** Patterns that the service checks in words of its own, or after what the text belongs to. */
const CHECKED_LATER = [ZONE_NAME, MASTODON_SERVER, BLUESKY_SERVER]

/** Texts that do not match the pattern of a schema. */
export const textsAgainst = ({ pattern }: Schema): string[] =>
  pattern === undefined || CHECKED_LATER.includes(pattern)
    ? []
    : ['', ' ', 'a b', 'é', 'a'.repeat(300)].filter((text) => !new RegExp(pattern).test(text))

/** Texts that are not times in RFC 3339, or are out of range. */
const INVALID_TIMES = [
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

const INVALID_INTEGERS = [
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

/** Invalid values of a query parameter. Several texts stand for a parameter that is given several times. */
export function invalidQueries(schema: Schema): { texts: string[]; code: string; index?: number }[] {
  const { minimum, maximum } = schema
  // Every parameter that may be repeated is a list of listed values.
  if (typesOf(schema).includes('array')) {
    return [
      { texts: ['none of these'], code: 'invalid_enum_value', index: 0 },
      { texts: [String(deref(schema.items!).enum![0]), ''], code: 'invalid_enum_value', index: 1 },
    ]
  }
  if (!typesOf(schema).includes('integer')) {
    return [
      ...textsAgainst(schema).map((text) => ({ texts: [text], code: 'invalid_string' })),
      ...(schema.enum ? [{ texts: ['none of these'], code: 'invalid_enum_value' }] : []),
      ...(schema.format === 'date-time' ? INVALID_TIMES : []).map((text) => ({
        texts: [text],
        code: 'invalid_string',
      })),
      ...(schema.maxLength === undefined ? [] : [{ texts: ['a'.repeat(schema.maxLength + 1)], code: 'too_big' }]),
      { texts: ['a', 'a'], code: 'invalid_type' },
    ]
  }
  return [
    ...INVALID_INTEGERS.map((text) => ({ texts: [text], code: 'invalid_type' })),
    { texts: ['1', '2'], code: 'invalid_type' },
    ...(minimum === undefined ? [] : [{ texts: [String(minimum - 1)], code: 'too_small' }]),
    ...(maximum === undefined ? [] : [{ texts: [String(BigInt(maximum) + 1n)], code: 'too_big' }]),
  ]
}
