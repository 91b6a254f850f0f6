import type { TProperties, TSchema } from '@sinclair/typebox'
import { components } from '../../../schemas/index.ts'

/** A JSON Schema (2020-12) of an object, as a tool has it. */
interface ObjectSchema {
  type: 'object'
  properties: Record<string, object>
  required?: string[]
  additionalProperties?: boolean
  $defs?: Record<string, object>
}

interface Texts {
  /** Changes a description; undefined drops it. */
  describe: (text: string) => string | undefined
}

/** The arguments of a tool. Other arguments are rejected. */
export const toInputSchema = (properties: TProperties, required: readonly string[], texts: Texts): ObjectSchema => {
  const root = { type: 'object', properties, ...(required.length > 0 && { required }) }
  return { ...(convert(root, texts, inline(texts, [])) as ObjectSchema), additionalProperties: false }
}

/** Some clients drop `$defs`, or refuse references: each component stands in its place, once within itself. */
const inline =
  (texts: Texts, parents: readonly string[]): Refer =>
  (name) =>
    parents.includes(name) ? {} : (convert(componentOf(name), texts, inline(texts, [...parents, name])) as object)

/** The schema in place of a reference to a component. */
type Refer = (name: string) => object

/** The result of a tool: `schema` as plain JSON, with the components that it refers to. */
export const toOutputSchema = (schema: TSchema, texts: Texts): ObjectSchema => toObjectSchema(schema, texts)

function toObjectSchema(root: object, texts: Texts): ObjectSchema {
  const $defs: Record<string, object> = {}
  const refer: Refer = (name) => {
    if (!Object.hasOwn($defs, name)) {
      // Before its content, which may refer to it.
      $defs[name] = {}
      $defs[name] = convert(componentOf(name), texts, refer) as object
    }
    return { $ref: `#/$defs/${name}` }
  }
  const schema = convert(root, texts, refer) as ObjectSchema
  return Object.keys($defs).length > 0 ? { ...schema, $defs } : schema
}

/** A schema without these properties and values, and without the sentences of descriptions that name one of them. */
export function withoutNames(schema: unknown, names: ReadonlySet<string>): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.filter((item) => !names.has(item)).map((item) => withoutNames(item, names))
  const isKept = (sentence: string) => !(sentence.match(/\w+/g) ?? []).some((word) => names.has(word))
  const entries = Object.entries(schema)
    .filter(([key]) => !names.has(key))
    .map(([key, value]) => [
      key,
      key === 'description' && typeof value === 'string'
        ? value.split(SENTENCE_END).filter(isKept).join(' ')
        : withoutNames(value, names),
    ])
  return Object.fromEntries(entries)
}

const SENTENCE_END = /(?<=[.:;])\s+/

/** The component that a `$ref` names. */
export const componentOf = (name: string): TSchema => components.find(({ $id }) => $id === name) as TSchema

/** Keywords that are not JSON Schema, or of no use to an agent. */
const DROPPED = new Set(['$id', 'examples', 'discriminator'])

function convert(value: unknown, texts: Texts, refer: Refer): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => convert(item, texts, refer))
  const { $ref, type, properties, patternProperties, description, ...rest } = value as Record<string, unknown>
  const text = typeof description === 'string' ? texts.describe(description) : undefined
  const described = text === undefined ? {} : { description: text }
  if (typeof $ref === 'string') {
    return { ...refer($ref), ...described }
  }
  const entries = Object.entries(rest)
    .filter(([name]) => !DROPPED.has(name) && !name.startsWith('x-'))
    .map(([name, part]) => [name, convert(part, texts, refer)])
  return {
    ...toTypes(type, Object.fromEntries(entries)),
    ...described,
    // The names of properties may be those of keywords.
    ...(properties !== undefined && { properties: convertEach(properties as object, texts, refer) }),
    // A dictionary. Its pattern, which any key matches, is not a regular expression in every language.
    ...(patternProperties !== undefined && {
      additionalProperties: toValues(convert(Object.values(patternProperties as object)[0], texts, refer)),
    }),
  }
}

/** Some model providers do not know lists of types. */
const toTypes = (type: unknown, keywords: object): object =>
  Array.isArray(type)
    ? { anyOf: type.map((each) => (each === 'null' ? { type: each } : { type: each, ...keywords })) }
    : { ...(type !== undefined && { type }), ...keywords }

/** Some clients reject an empty schema. */
const toValues = (schema: unknown) => (Object.keys(schema as object).length === 0 ? true : schema)

const convertEach = (schemas: object, texts: Texts, refer: Refer) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convert(schema, texts, refer)]))
