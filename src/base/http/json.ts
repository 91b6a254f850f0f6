import { isUtf8 } from 'node:buffer'
import type { Issue } from '../../../schemas/error.ts'
import { ISSUES_MAX, invalidRequest } from '../errors.ts'
import { describeMistake } from './json-mistake.ts'
import { pause } from './pieces.ts'

/**
 * The maximum depth of a body, because later steps recurse into it. In the body of a post, `fields` starts at level 3
 * and may have 32 levels; in a batch of posts, it starts two levels deeper.
 */
const DEPTH_MAX = 35
const FIELDS_LEVEL = 3

const unreadable = (message: string): Issue => ({ code: 'invalid_json', path: [], message })

export const EMPTY_BODY = unreadable('Request body is empty')

/** Bytes. Parsing and checking a body of a megabyte takes a tenth of a second. */
const LONG_BODY_BYTES = 65_536

/** The same as `parseJson`, for the body of a request: a long one does not block the event loop all the time. */
export async function parseBody(body: Buffer): Promise<unknown> {
  if (body.length < LONG_BODY_BYTES) return parseJson(body)
  await pause()
  const value = readJson(body)
  await pause()
  requireStorable(value)
  await pause()
  return value
}

/** Parses the bytes of a JSON body whose values can be stored. Throws a 400 with one issue for each mistake. */
export function parseJson(body: Buffer): unknown {
  const value = readJson(body)
  requireStorable(value)
  return value
}

/** The maximum of keys in all objects of a body. V8 takes longer for a key than for anything else in a body. */
const KEYS_MAX = 20_000
const TOO_MANY_KEYS: Issue = { code: 'custom', path: [], message: `Request body has more than ${KEYS_MAX} keys` }

/** More levels than a body may have. V8 takes a hundred times longer for a level than for a value. */
const PARSED_DEPTH_MAX = 1_000

/** A shorter body has too few keys and levels to take long, and no more levels than `JSON.stringify` can write. */
const SCANNED_BYTES_MIN = 4_096

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
/** By the bit that tells them apart, brackets are braces. */
const OPENING = 0x7b
const CLOSING = 0x7d
const BRACES = 0x20

/** Throws 400 for JSON with too many keys or levels, before it is parsed. It may be invalid. */
function requireParsable(body: Buffer): void {
  if (body.length < SCANNED_BYTES_MIN) return
  let keys = 0
  let depth = 0
  for (let index = 0; index < body.length; index++) {
    const byte = body[index]!
    if (byte === QUOTE) index = findEndOfText(body, index)
    else if (byte === COLON) keys++
    else if ((byte | BRACES) === OPENING) depth++
    else if ((byte | BRACES) === CLOSING) depth--
    if (keys > KEYS_MAX) throw invalidRequest([TOO_MANY_KEYS])
    if (depth > PARSED_DEPTH_MAX) throw invalidRequest([custom([], tooDeep(FIELDS_LEVEL))])
  }
}

/** The index of the quote that ends the text whose quote is at `start`; the length of a body that ends before. */
function findEndOfText(body: Buffer, start: number): number {
  for (let index = start + 1; index < body.length; index++) {
    const byte = body[index]
    if (byte === QUOTE) return index
    if (byte === BACKSLASH) index++
  }
  return body.length
}

/** Parses a JSON body. Throws a 400 if it is empty, has too many keys or levels, or is not JSON in UTF-8. */
export function readJson(body: Buffer): unknown {
  if (body.length === 0) throw invalidRequest([EMPTY_BODY])
  if (!isUtf8(body)) throw invalidRequest([unreadable('Request body is not valid UTF-8')])
  requireParsable(body)
  const text = body.toString()
  try {
    return JSON.parse(text)
  } catch {
    throw invalidRequest([unreadable(`Request body is not valid JSON: ${describeMistake(text)}`)])
  }
}

/**
 * Rejects values of JSON that a later step would change silently or fail on: NUL and lone surrogates (Postgres stores
 * neither), numbers that a double cannot represent, and keys that change an object's prototype. Throws a 400 with one
 * issue for each.
 */
export function requireStorable(value: unknown): void {
  const issues: Issue[] = []
  inspect(value, [], issues)
  if (issues.length > 0) throw invalidRequest(issues)
}

/**
 * The maximum length of a key in an issue: a key may be a megabyte long, and is part of the path of every issue below
 * it.
 */
const KEY_LENGTH_MAX = 100

export const truncate = (key: string) => key.slice(0, KEY_LENGTH_MAX).toWellFormed()

const tooDeep = (level: number) => `Nested too deeply: fields may be ${DEPTH_MAX - level} levels deep`

const custom = (path: Issue['path'], message: string): Issue => ({ code: 'custom', path: [...path], message })

/** Appends the mistakes in `value` to `issues`, up to their maximum. Changes `path` and restores it. */
function inspect(value: unknown, path: Issue['path'], issues: Issue[]): void {
  if (issues.length >= ISSUES_MAX) return
  if (typeof value === 'string') {
    const problem = findTextProblem(value)
    if (problem) issues.push(custom(path, problem))
  } else if (typeof value === 'number') {
    // An integer above 2^53, or an overflow such as 1e400, would be stored as a different number.
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      issues.push(custom(path, 'Number is outside the range in which it is exact (2^53); send it as a string'))
    }
  } else if (typeof value === 'object' && value !== null) {
    if (path.length >= DEPTH_MAX) {
      const level = Math.max(path.indexOf('fields') + 1, FIELDS_LEVEL)
      issues.push(custom(path, tooDeep(level)))
    } else if (Array.isArray(value)) {
      for (let index = 0; index < value.length && issues.length < ISSUES_MAX; index++) {
        path.push(index)
        inspect(value[index], path, issues)
        path.pop()
      }
    } else {
      inspectObject(value as Record<string, unknown>, path, issues)
    }
  }
}

function inspectObject(value: Record<string, unknown>, path: Issue['path'], issues: Issue[]): void {
  for (const key of Object.keys(value)) {
    if (issues.length >= ISSUES_MAX) return
    const problem = findTextProblem(key)
    if (problem) issues.push(custom([...path, truncate(key)], `Key: ${problem}`))
    if (changesPrototype(key, value[key])) {
      issues.push({
        code: 'unrecognized_keys',
        keys: [key],
        path: [...path],
        message: `Unrecognized key(s) in object: '${key}'`,
      })
      continue
    }
    path.push(truncate(key))
    inspect(value[key], path, issues)
    path.pop()
  }
}

/** Why Postgres cannot store a text; undefined if it can. */
export function findTextProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'Must not contain the character NUL (U+0000)'
  if (!text.isWellFormed()) return 'Must not contain half of a surrogate pair'
  return undefined
}

const changesPrototype = (key: string, value: unknown) =>
  key === '__proto__' ||
  (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))
