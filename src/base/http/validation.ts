import { FormatRegistry, Kind, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import type { FastifySchemaCompiler } from 'fastify'
import type { Issue } from '../../../schemas/error.ts'
import { INVALID_URL } from '../../../schemas/messages.ts'
import { findPlatform } from '../../../schemas/platform-names.ts'
import { adviceOf, defaultOf, registerKinds } from '../../../schemas/shared.ts'
import { parseTime } from '../../../schemas/time.ts'
import { ISSUES_MAX, invalidRequest } from '../errors.ts'
import { componentsOf, deref } from './components.ts'
import { truncate } from './json.ts'
import { findMeant, findNear } from './near-names.ts'
import { PATTERN_MESSAGES } from './pattern-messages.ts'

type Validator = ReturnType<FastifySchemaCompiler<TSchema>>

/** The validators of query strings convert values, so that a schema may have two. */
const compiledQueries = new WeakMap<TSchema, Validator>()
const compiledOthers = new WeakMap<TSchema, Validator>()

/** Returns the validator of one part of a request. Compiles each schema once in a process. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const isQuery = httpPart === 'querystring'
  const compiled = isQuery ? compiledQueries : compiledOthers
  let validator = compiled.get(schema)
  if (!validator) {
    validator = compile(schema, isQuery)
    compiled.set(schema, validator)
  }
  return validator
}

/** Only integers, booleans and lists in the query string are coerced. Defaults are filled in at the top level. */
function compile(schema: TSchema, isQuery: boolean): Validator {
  registerKinds()
  FormatRegistry.Set('date-time', (text) => 'time' in parseTime(text))
  const target = deref(schema)
  const readQuery = isQuery ? queryReader(target) : undefined
  const check = TypeCompiler.Compile(target, [...componentsOf(target)])
  const defaults = Object.entries((target.properties ?? {}) as Record<string, TSchema>)
    .map(([key, property]) => [key, defaultOf(property)] as const)
    .filter(([, value]) => value !== undefined)
  return (data: unknown) => {
    const value = readQuery ? readQuery(data as Record<string, unknown>) : data
    if (typeof value === 'object' && value !== null) {
      for (const [key, fallback] of defaults) {
        const record = value as Record<string, unknown>
        if (record[key] === undefined) record[key] = Array.isArray(fallback) ? [...fallback] : fallback
      }
    }
    if (check.Check(value)) return { value }
    return { error: invalidRequest(toIssues(check.Errors(value), value)) }
  }
}

/** Only digits: `Number` would accept `1e1`, ` 10`, `0x10`, `Infinity` and the empty string. */
const INTEGER = /^(?:\d+|-[1-9]\d*)$/

/** Returns a function that reads the integers and booleans of a query string, and as lists what may be repeated. */
function queryReader(schema: TSchema): (query: Record<string, unknown>) => Record<string, unknown> {
  const namesOf = (type: string) =>
    Object.entries(schema.properties as Record<string, TSchema>).flatMap(([name, property]) =>
      property.type === type ? [name] : [],
    )
  const integers = namesOf('integer')
  const booleans = namesOf('boolean')
  const lists = namesOf('array')
  return (query) => {
    const value: Record<string, unknown> = { ...query }
    for (const name of integers) {
      const text = query[name]
      if (typeof text === 'string' && INTEGER.test(text)) value[name] = Number(text)
    }
    for (const name of booleans) {
      const text = query[name]
      if (text === 'true' || text === 'false') value[name] = text === 'true'
    }
    for (const name of lists) {
      const text = query[name]
      if (typeof text === 'string') value[name] = [text]
    }
    return value
  }
}

/**
 * A body may have a hundred thousand mistakes, so the errors that are examined are limited, and not only the issues.
 */
const ERRORS_MAX = 1_000

/** The first error of each path as an issue; unknown keys of one object are one issue. */
function toIssues(errors: Iterable<ValueError>, value: unknown): Issue[] {
  const issues = new Map<string, Issue>()
  let seen = 0
  for (const error of expandUnions(errors)) {
    if (issues.size === ISSUES_MAX || ++seen > ERRORS_MAX) break
    const path = toPath(error.path, value)
    if (error.type === ValueErrorType.ObjectAdditionalProperties) {
      addUnknownKey(issues, path, Object.keys(error.schema.properties ?? {}))
    } else if (!issues.has(error.path)) {
      issues.set(error.path, { ...toIssue(error), path })
    }
  }
  return [...issues.values()]
}

/**
 * Replaces the error of a union by the errors of one variant: the one that the discriminator names, or else the first
 * one. The unions without a discriminator are all "this or null".
 */
function* expandUnions(errors: Iterable<ValueError>): Generator<ValueError> {
  for (const error of errors) {
    if (error.type !== ValueErrorType.Union) yield error
    else if (error.schema.discriminator) yield* expandVariant(error)
    else yield* expandUnions(error.errors[0]!)
  }
}

function* expandVariant(error: ValueError): Generator<ValueError> {
  const { value, path, schema, errors } = error
  const { propertyName, mapping } = schema.discriminator as { propertyName: string; mapping: Record<string, string> }
  if (typeOf(value) !== 'object') {
    yield { ...error, schema: { ...schema, type: 'object' } }
    return
  }
  const name = (value as Record<string, unknown>)[propertyName]
  const index = Object.keys(mapping).indexOf(name as string)
  if (index >= 0) yield* expandUnions(errors[index]!)
  else {
    const known = { ...schema, type: 'string', enum: Object.keys(mapping) }
    yield { ...error, type: ValueErrorType.Kind, path: `${path}/${propertyName}`, value: name, schema: known }
  }
}

function addUnknownKey(issues: Map<string, Issue>, path: Issue['path'], known: readonly string[]): void {
  const parent = path.slice(0, -1)
  const id = `unrecognized_keys ${JSON.stringify(parent)}`
  const before = issues.get(id)?.keys ?? []
  if (before.length === ISSUES_MAX) return
  const keys = [...before, String(path.at(-1))]
  const near = [...new Set(keys.flatMap((key) => findMeant(key, known, known)))]
  const hint = near.length > 0 ? `. Did you mean ${near.map((name) => `'${name}'`).join(' and ')}?` : ''
  const message = `Unrecognized key(s) in object: ${keys.map((key) => `'${key}'`).join(', ')}${hint}`
  issues.set(id, { code: 'unrecognized_keys', keys, path: parent, message })
}

/** Converts a JSON pointer to keys and indexes. In an array `0` is an index, in an object it is a key. */
function toPath(pointer: string, root: unknown): Issue['path'] {
  let container = root
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const isIndex = Array.isArray(container)
      container = (container as Record<string, unknown> | undefined)?.[key]
      return isIndex ? Number(key) : truncate(key)
    })
}

/** The maximum length of a received value in an issue. */
const RECEIVED_MAX = 100

/** Converts one error to an issue with the codes and messages of Zod 3. */
function toIssue(error: ValueError): Omit<Issue, 'path'> {
  const { schema, value, type } = error
  switch (type) {
    case ValueErrorType.ArrayMinItems:
      return tooSmall('array', schema.minItems, `Array must contain at least ${schema.minItems} element(s)`)
    case ValueErrorType.ArrayMaxItems:
      return tooBig('array', schema.maxItems, `Array must contain at most ${schema.maxItems} element(s)`)
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.NumberMinimum:
      return tooSmall('number', schema.minimum, `Number must be greater than or equal to ${schema.minimum}`)
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMaximum:
      return tooBig('number', schema.maximum, `Number must be less than or equal to ${schema.maximum}`)
    case ValueErrorType.ObjectMaxProperties:
      return tooBig('object', schema.maxProperties, `Object must contain at most ${schema.maxProperties} key(s)`)
    case ValueErrorType.StringFormat: {
      const result = parseTime(String(value))
      const message = 'problem' in result ? result.problem : 'Invalid datetime'
      return { code: 'invalid_string', validation: 'datetime', message }
    }
    case ValueErrorType.StringPattern: {
      const message = PATTERN_MESSAGES[schema.pattern] ?? `Must match ${schema.pattern}`
      return { code: 'invalid_string', validation: 'regex', message }
    }
    case ValueErrorType.StringMaxLength:
      return tooLong(schema.maxLength)
    case ValueErrorType.Kind:
      if (schema[Kind] === 'WebAddress' && typeof value === 'string' && value.length <= schema.maxLength) {
        return { code: 'invalid_string', validation: 'url', message: INVALID_URL }
      }
      if (schema.maxLength !== undefined && typeof value === 'string') return tooLong(schema.maxLength)
      if (schema.enum && typeof value === 'string') {
        const known = schema.enum.map((option: string) => `'${option}'`).join(' | ')
        const received = value.slice(0, RECEIVED_MAX)
        return {
          code: 'invalid_enum_value',
          received,
          options: schema.enum,
          message: `Invalid enum value. Expected ${known}, received '${received}'${mendOf(schema, value)}`,
        }
      }
      return invalidType(schema, value)
    default:
      return invalidType(schema, value)
  }
}

/** The value that was probably meant, or the advice of the schema; empty if neither is known. */
function mendOf(schema: TSchema, value: string): string {
  const advice = adviceOf(schema)?.(value)
  if (advice) return `. ${advice}`
  const options: string[] = schema.enum
  const platform = findPlatform(value)
  const sameLetters = options.find((option) => option.toLowerCase() === value.toLowerCase())
  const parts = value.split(',')
  if (parts.length > 1 && parts.every((part) => options.includes(part.trim()))) {
    return '. Send each as a value of its own: in a query, repeat the parameter'
  }
  const meant = platform && options.includes(platform) ? platform : (sameLetters ?? findNear(value, options))
  return meant ? `. Did you mean '${meant}'?` : ''
}

export const tooLong = (maximum: number): Omit<Issue, 'path'> =>
  tooBig('string', maximum, `String must contain at most ${maximum} character(s)`)

const tooBig = (type: string, maximum: number, message: string) =>
  ({ code: 'too_big', type, maximum, inclusive: true, message }) as const

const tooSmall = (type: string, minimum: number, message: string) =>
  ({ code: 'too_small', type, minimum, inclusive: true, message }) as const

function invalidType(schema: TSchema, value: unknown): Omit<Issue, 'path'> {
  const { type } = deref(schema)
  // The first of two types: the second one is null.
  const [expected] = [type].flat()
  const received = typeOf(value)
  const message = received === 'undefined' ? 'Required' : `Expected ${expected}, received ${received}`
  return { code: 'invalid_type', expected, received, message }
}

const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
