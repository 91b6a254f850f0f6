import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import { UUID_PATTERN } from '../schemas/shared.ts'

const PATTERN = new RegExp(UUID_PATTERN)

/** Random bytes for many ids: one system call per id would take longer than the rest of its generation. */
const pool = new Uint8Array(16 * 256)
let used = pool.length

function takeRandomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 16
  return pool.subarray(used - 16, used)
}

let msecs = 0
let seq = 0

/** Generates an id: a UUIDv7, greater than all earlier ids of this process. */
export function newId(): string {
  const bytes = takeRandomBytes()
  const now = Date.now()
  if (now > msecs) {
    msecs = now
    // A random start in the lower half of the 32 bits, so that counting within a millisecond does not overflow.
    seq = ((bytes[6]! << 24) | (bytes[7]! << 16) | (bytes[8]! << 8) | bytes[9]!) >>> 1
  } else seq++
  return v7({ msecs, seq, random: bytes })
}

/** The smallest id that `newId` may generate at `time`. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(time.getTime(), 0).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** Comes before every id. */
export const NO_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Whether `newId` may have generated `text`. Postgres would accept other spellings of a UUID, and fail on any other
 * text.
 */
export const isId = (text: string): boolean => PATTERN.test(text)
