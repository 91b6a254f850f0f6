import type { DeliveryKey, SentAct } from '../../db/queries/delivery/delivery.ts'
import type { Settlement } from '../../db/queries/delivery/settle.ts'
import type { DeliveryError, DeliveryState } from '../../schemas/delivery.ts'

// How the journal is written: segments of JSON lines, in groups that begin with their marks.

/** The call of an act is about to be made; with `state`, its outcome. */
export interface Entry extends DeliveryKey {
  act: number
  at: Date
  /** Of an intent: what names on networks are derived from. */
  startedAt?: Date
  /** Of an outcome. */
  state?: DeliveryState
  sent?: SentAct | undefined
  /** The call may have been carried out. */
  isOpen?: boolean
  error?: DeliveryError | null
  outcome?: Settlement['outcome']
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

export const encodeEntry = (entry: Entry): string => `${JSON.stringify(entry)}\n`

export const encodeGroup = (group: Group, entries: string[]): string => `${JSON.stringify(group)}\n${entries.join('')}`

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

const toDate = (key: string, value: unknown) =>
  key === 'at' || key === 'startedAt' ? new Date(value as string) : value

/** Names a delivery in maps. */
export const keyOf = ({ userId, postId, accountId }: DeliveryKey): string => `${userId} ${postId} ${accountId}`

const MARK_DIGITS = 16

/** Names sort by mark. Only a mark makes a name that sorts before all segments with it. */
export const nameOf = ({ mark, time, writer }: { mark: number; time?: Date; writer?: string }): string =>
  [String(mark).padStart(MARK_DIGITS, '0'), ...(time && writer ? [String(time.getTime()), writer] : [])].join('-')

export const markOf = (name: string): number => Number(name.slice(0, MARK_DIGITS))

export const timeOf = (name: string): number => Number(name.split('-')[1])
