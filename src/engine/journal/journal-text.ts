import { randomUUID } from 'node:crypto'
import type { DeliveryKey, SentAct } from '../../../db/queries/delivery/delivery.ts'
import type { Decision } from '../../../db/queries/delivery/settlement.ts'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { RemovalState } from '../delivery/transitions.ts'

// How the journal is written: segments of JSON lines, in groups that begin with their marks.

/** A call that is about to be made, if `startedAt` is set, and its outcome, if `state` is. */
export interface Entry extends DeliveryKey {
  act: number
  /** Number of the attempt in the delivery's history. Removals and edits have none, nor had earlier versions. */
  attempt?: number
  /** When the intent was committed, or when an outcome without one was known. */
  at: Date
  /** The time from which names on networks are derived. */
  startedAt?: Date
  /** The token of the sent content. Absent in journals of earlier versions, which never changed the content. */
  token?: string
  endedAt?: Date
  state?: Decision['state']
  sent?: SentAct
  /** The call may have been carried out. */
  isOpen?: boolean
  error?: DeliveryError
  outcome?: Decision['outcome']
  /** The state of the delivery while the act is taken down, before the call or after it. */
  removal?: RemovalState
  /** The id of the edit whose call is about to be made, or has succeeded if `sent` is set. */
  edit?: string
  /** The act is no longer on the network. */
  isGone?: boolean
}

/** An entry as it is written: with numbers, which take half of the time of dates. */
export interface NewEntry extends Omit<Entry, 'at' | 'startedAt' | 'endedAt'> {
  at: number
  startedAt?: number
  endedAt?: number
}

/** The entries of a group were committed before the database reached `mark`, or, if `isLate`, after it. */
interface Group {
  mark: number
  /** The marks that this group records: each is in one group. */
  marks: number[]
  /** When the database reached `mark`. */
  at: Date
  isLate: boolean
  /**
   * The worker writes calls before it makes them. Absent in journals of earlier versions, which wrote within a second.
   */
  isWrittenAhead?: true
}

/** `lines` are those of `encodeEntry`. */
export const encodeGroup = (group: Omit<Group, 'isWrittenAhead'>, lines: readonly string[]): string =>
  [`${JSON.stringify({ ...group, isWrittenAhead: true })}\n`, ...lines].join('')

export const encodeEntry = (entry: NewEntry): string => `${JSON.stringify(entry)}\n`

export interface DecodedGroup extends Group {
  entries: Entry[]
}

/** The groups of a segment, in order. */
export function decodeSegment(text: string): DecodedGroup[] {
  const groups: DecodedGroup[] = []
  // A crash may cut off the last line: its call was not made.
  for (const line of text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)) {
    const value = JSON.parse(line, toDate) as Group | Entry
    if ('marks' in value) groups.push({ ...value, entries: [] })
    else groups.at(-1)!.entries.push(value)
  }
  return groups
}

const TIMES = new Set(['at', 'startedAt', 'endedAt'])
const toDate = (key: string, value: unknown) => (TIMES.has(key) ? new Date(value as string | number) : value)

/** Names a delivery in maps. */
export const keyOf = ({ userId, postId, accountId }: DeliveryKey): string => `${userId} ${postId} ${accountId}`

const MARK_DIGITS = 16
const AHEAD_DIGITS = 9

/**
 * Names sort by mark. Only a mark makes a name that sorts before all segments with it. `ahead` numbers the segments
 * that are written before calls: they sort after the segment of their worker.
 */
export const nameOf = ({ mark, time, writer, ahead }: NameParts): string =>
  [
    String(mark).padStart(MARK_DIGITS, '0'),
    ...(time && writer ? [String(time.getTime()), writer] : []),
    ...(ahead === undefined ? [] : [String(ahead).padStart(AHEAD_DIGITS, '0')]),
  ].join('-')

interface NameParts {
  mark: number
  time?: Date
  writer?: string
  ahead?: number
}

export const markOf = (name: string): number => Number(name.slice(0, MARK_DIGITS))

export const timeOf = (name: string): number => Number(name.split('-')[1])

/** A worker's segments have its id and their number. */
const WORKER_LENGTH = 8

export const newWorker = (): string => randomUUID().slice(0, WORKER_LENGTH)

export const workerOf = (name: string): string => name.split('-')[2]!.slice(0, WORKER_LENGTH)

/** Whether a segment was written before calls. It is removed when a later segment of its worker has the calls too. */
export const isAhead = (name: string): boolean => name.split('-').length === 4
