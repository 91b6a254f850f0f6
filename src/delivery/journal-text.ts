import type { DeliveryKey, SentAct } from '../../db/queries/delivery/delivery.ts'
import type { Settlement } from '../../db/queries/delivery/settlement.ts'
import type { DeliveryError, DeliveryState } from '../../schemas/delivery.ts'

// How the journal is written: segments of JSON lines, in groups that begin with their marks.

/** A call that is about to be made, if `startedAt` is set, and its outcome, if `state` is. */
export interface Entry extends DeliveryKey {
  act: number
  /** When the intent was committed, or when an outcome without one was known. */
  at: Date
  /** What names on networks are derived from. */
  startedAt?: Date
  /** Of the content that was sent. Absent in journals of earlier versions, which never changed the content. */
  token?: string
  endedAt?: Date
  state?: DeliveryState
  sent?: SentAct
  /** The call may have been carried out. */
  isOpen?: boolean
  error?: DeliveryError
  outcome?: Settlement['outcome']
}

/** An entry as it is written: with numbers, which take half of the time of dates. */
export interface NewEntry extends Omit<Entry, 'at' | 'startedAt' | 'endedAt'> {
  at: number
  startedAt?: number
  endedAt?: number
}

/** The entries of a group were committed before the database reached `mark`, or, if `isLate`, after it. */
export interface Group {
  mark: number
  /** The marks that this group records: each is in one group. */
  marks: number[]
  /** When the database reached `mark`. */
  at: Date
  isLate: boolean
}

export const encodeGroup = (group: Group, entries: NewEntry[]): string =>
  [group, ...entries].map((line) => `${JSON.stringify(line)}\n`).join('')

/** The groups of a segment, in order. */
export function decodeSegment(text: string): (Group & { entries: Entry[] })[] {
  const groups: (Group & { entries: Entry[] })[] = []
  for (const line of text.split('\n').filter(Boolean)) {
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

/** Names sort by mark. Only a mark makes a name that sorts before all segments with it. */
export const nameOf = ({ mark, time, writer }: { mark: number; time?: Date; writer?: string }): string =>
  [String(mark).padStart(MARK_DIGITS, '0'), ...(time && writer ? [String(time.getTime()), writer] : [])].join('-')

export const markOf = (name: string): number => Number(name.slice(0, MARK_DIGITS))

export const timeOf = (name: string): number => Number(name.split('-')[1])
