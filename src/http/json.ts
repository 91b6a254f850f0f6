import { isUtf8 } from 'node:buffer'
import type { Issue } from '../../schemas/error.ts'
import { ISSUES_MAX, invalidRequest } from '../errors.ts'

/**
 * How deep a body may be nested. Every later step walks it recursively. `fields` stands three levels down and may be
 * 32 levels deep itself.
 */
const DEPTH_MAX = 35

const unreadable = (message: string): Issue => ({ code: 'invalid_json', path: [], message })

export const EMPTY_BODY = unreadable('Request body is empty')

/**
 * Reads a JSON body (the bytes of it), refusing what JSON allows and what would be changed silently, or refused late,
 * further down: invalid UTF-8, NUL and lone surrogates (Postgres stores neither), numbers that a double does not hold,
 * keys that reach for a prototype. Throws a 400 with one issue for each.
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw invalidRequest([EMPTY_BODY])
  if (!isUtf8(body)) throw invalidRequest([unreadable('Request body is not valid UTF-8')])
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    throw invalidRequest([unreadable('Request body is not valid JSON')])
  }
  const issues: Issue[] = []
  inspect(value, [], issues)
  if (issues.length > 0) throw invalidRequest(issues)
  return value
}

/** How much of a key is repeated to the caller: one may be a megabyte long, and stand in the path of each issue. */
const KEY_LENGTH_MAX = 100

export const beginningOf = (key: string) => key.slice(0, KEY_LENGTH_MAX).toWellFormed()

const custom = (path: Issue['path'], message: string): Issue => ({ code: 'custom', path: [...path], message })

/** Adds what is wrong with `value` to `issues`; stops when there are enough. `path` is changed and restored. */
function inspect(value: unknown, path: Issue['path'], issues: Issue[]): void {
  if (issues.length >= ISSUES_MAX) return
  if (typeof value === 'string') {
    const problem = textProblem(value)
    if (problem) issues.push(custom(path, problem))
  } else if (typeof value === 'number') {
    // An integer above 2^53 or an overflow like 1e400 would be stored as another number than the one sent.
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      issues.push(custom(path, 'Number is outside the range in which it is exact (2^53); send it as a string'))
    }
  } else if (typeof value === 'object' && value !== null) {
    if (path.length >= DEPTH_MAX) {
      issues.push(custom(path, `Nested too deeply: fields may be ${DEPTH_MAX - 3} levels deep`))
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
    const problem = textProblem(key)
    if (problem) issues.push(custom([...path, beginningOf(key)], `Key: ${problem}`))
    if (reachesForPrototype(key, value[key])) {
      issues.push({
        code: 'unrecognized_keys',
        keys: [key],
        path: [...path],
        message: `Unrecognized key(s) in object: '${key}'`,
      })
      continue
    }
    path.push(beginningOf(key))
    inspect(value[key], path, issues)
    path.pop()
  }
}

/** What is wrong with a text, if anything. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'Must not contain the character NUL (U+0000)'
  if (!text.isWellFormed()) return 'Must not contain half of a surrogate pair'
  return undefined
}

const reachesForPrototype = (key: string, value: unknown) =>
  key === '__proto__' ||
  (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))
