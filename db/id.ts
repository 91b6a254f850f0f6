import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import { UUID_PATTERN } from '../schemas/shared.ts'

const FORM = new RegExp(UUID_PATTERN)

/** Random bytes, drawn many at a time: asking the system for each id takes longer than making it. */
const pool = new Uint8Array(16 * 256)
let drawn = pool.length

function random(): Uint8Array {
  if (drawn === pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  drawn += 16
  return pool.subarray(drawn - 16, drawn)
}

let msecs = 0
let seq = 0

/** A new id: UUIDv7, so that later ids of one process are greater. */
export function newId(): string {
  const bytes = random()
  const now = Date.now()
  if (now > msecs) {
    msecs = now
    // Half of its 32 bits: what is counted within a millisecond does not run over.
    seq = ((bytes[6]! << 24) | (bytes[7]! << 16) | (bytes[8]! << 8) | bytes[9]!) >>> 1
  } else seq++
  return v7({ msecs, seq, random: bytes })
}

/** True of what `newId` may have made. Postgres would also take other spellings of a UUID, and fail on everything else. */
export const isId = (text: string): boolean => FORM.test(text)
