import { createHash } from 'node:crypto'
import { OTHER_EVENTS_CURSOR } from '../../../schemas/messages.ts'
import { invalidRequest } from '../../base/errors.ts'

/** A place in a stream: after the event at `position` of the stream. */
export interface EventPlace {
  position: number
  /** The end of that event's id; null if no event is known there. */
  idEnd: string | null
}

const VERSION = 1

/** Binds a cursor to its stream. It protects nobody: the caller sees all of the stream. */
const hashOf = (streamId: string) => createHash('sha256').update(streamId).digest().subarray(0, 6).toString('base64url')

/** The last group of digits of an id. It tells events apart that a restored database has put at the same position. */
export const idEndOf = (id: string): string => id.slice(-12)

export const writeEventCursor = (streamId: string, { position, idEnd }: EventPlace): string =>
  Buffer.from(JSON.stringify([VERSION, hashOf(streamId), position, idEnd])).toString('base64url')

/** Reads a cursor of `writeEventCursor`. Throws 400 for any other text, and for the cursor of another stream. */
export function readEventCursor(streamId: string, cursor: string): EventPlace {
  const [version, hash, position, idEnd] = parse(cursor)
  const isValid =
    version === VERSION &&
    hash === hashOf(streamId) &&
    Number.isSafeInteger(position) &&
    (position as number) >= 0 &&
    (idEnd === null || (typeof idEnd === 'string' && /^[0-9a-f]{12}$/.test(idEnd)))
  if (!isValid) throw otherCursor()
  return { position: position as number, idEnd: idEnd as string | null }
}

/** For a cursor of another stream, or of events that the database does not have, such as after it was restored. */
export const otherCursor = () => invalidRequest([OTHER_EVENTS_CURSOR])

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
