import { createHash } from 'node:crypto'
import { isId } from '../../../db/id.ts'
import type { Order } from '../../../db/queries/find/walk.ts'
import { CURSOR_OF_ANOTHER_QUERY } from '../../../schemas/messages.ts'
import { parseTime } from '../../../schemas/time.ts'
import { invalidRequest } from '../errors.ts'
import { canonicalJson } from './idempotency-key.ts'

/** The place at which a page of a list with filters ended. */
export interface Place {
  /** The time that the list is sorted by; null if the ids alone sort it. */
  time: string | null
  ids: string[]
}

const VERSION = 1
const HASH_BYTES = 6

/** Digits of the random end of an id that are hidden. Those before them tell it from all other ids. */
const RANDOM_DIGITS = 6

/**
 * The place of an item that the caller must not see, without its id: no other id lies between the two. In the order of
 * the list, the place comes after the item.
 */
export const hideId = (id: string, order: Order): string =>
  id.slice(0, -RANDOM_DIGITS) + (order === 'asc' ? 'f' : '0').repeat(RANDOM_DIGITS)

/** Binds a cursor to its query. It protects nobody: a cursor only chooses a place among the caller's own items. */
const hashOf = (query: object) =>
  createHash('sha256').update(canonicalJson(query)).digest().subarray(0, HASH_BYTES).toString('base64url')

/** The cursor of the page after `place`. `query` has everything that chooses and sorts the items. */
export const writeCursor = (query: object, { time, ids }: Place): string =>
  Buffer.from(JSON.stringify([VERSION, hashOf(query), time, ...ids])).toString('base64url')

/** Reads a cursor of `writeCursor`. Throws 400 for any other text, and for the cursor of another query. */
export function readCursor(query: object, cursor: string, idCount: number): Place {
  const [version, hash, time, ...ids] = parse(cursor)
  const isValid =
    version === VERSION &&
    hash === hashOf(query) &&
    (time === null || (typeof time === 'string' && 'time' in parseTime(time))) &&
    ids.length === idCount &&
    ids.every((id) => typeof id === 'string' && isId(id))
  if (!isValid) throw invalidRequest([CURSOR_OF_ANOTHER_QUERY])
  return { time: time as string | null, ids: ids as string[] }
}

/** Throws 400 for a cursor of a list with filters, which a list without them does not understand. */
export function refuseCursor(): never {
  throw invalidRequest([CURSOR_OF_ANOTHER_QUERY])
}

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
