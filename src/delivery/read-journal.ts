import type { Installation } from '../../db/queries/installation.ts'
import type { JournalFiles } from '../storage/journal.ts'
import {
  type DecodedGroup,
  decodeSegment,
  type Entry,
  isAhead,
  keyOf,
  markOf,
  nameOf,
  timeOf,
  workerOf,
} from './journal-text.ts'
import { LEASE_MS } from './timing.ts'

export interface JournalSince {
  /** What the database does not have, in order, by delivery. */
  entries: Map<string, Entry[]>
  /** No mark is missing: nothing that was sent is, but for the last second where not `isWrittenAhead`. */
  isComplete: boolean
  /** Workers wrote every call before they made it. */
  isWrittenAhead: boolean
  /** Whether the journal has marks that the database has not reached. */
  isAhead: boolean
  /** The highest mark. */
  mark: number
  /** When the journal ends; null where there is none. */
  endedAt: Date | null
  /** The database lacks what was committed then; undefined where it lacks nothing. */
  takenBefore: Date | undefined
}

/** Reads what was sent after the database reached `mark`. A database that has no mark has entries since `backupTaken`. */
export async function readJournal(
  files: JournalFiles,
  { id, mark }: Pick<Installation, 'id' | 'mark'>,
  backupTaken: Date,
): Promise<JournalSince> {
  const segments = mark > 0 ? await readSegments(files, id, mark) : await readAllSegments(files, backupTaken)
  const groups = [...segments.others.filter((group) => group.mark >= mark), ...segments.ahead].sort(
    (a, b) => a.mark - b.mark || Number(a.isLate) - Number(b.isLate),
  )
  const later = groups.filter((group) => group.mark > mark)
  const reached = new Set(later.flatMap(({ marks }) => marks))
  const highest = Math.max(mark, ...reached)
  const entries = new Map<string, Entry[]>()
  for (const entry of groups.filter((group) => group.mark > mark || group.isLate).flatMap((group) => group.entries)) {
    const key = keyOf(entry)
    const known = entries.get(key)
    if (known) known.push(entry)
    else entries.set(key, [entry])
  }
  const isWrittenAhead = groups.every((group) => group.isWrittenAhead)
  const endedAt = mark > 0 ? (groups.at(-1)?.at ?? null) : null
  const missing: number[] = []
  for (let each = mark + 1; each <= highest; each++) if (!reached.has(each)) missing.push(each)
  // A worker that is killed may have reached one mark that it did not write.
  const isExplained = missing.every((each, index) => each > (segments.killedAt[index] ?? Number.POSITIVE_INFINITY))
  const isComplete = mark > 0 && groups.length > 0 && isExplained
  return {
    entries,
    isComplete,
    isWrittenAhead,
    isAhead: highest > mark,
    mark: highest,
    endedAt,
    takenBefore: mark > 0 ? later[0]?.at : undefined,
  }
}

interface Segments {
  /** What was written before calls, and is in no other segment of its worker. */
  ahead: DecodedGroup[]
  others: DecodedGroup[]
  /** The last mark of each worker that was killed, in order. */
  killedAt: number[]
}

async function readSegments(files: JournalFiles, id: string, mark: number): Promise<Segments> {
  const names = await files.list(id, '')
  const isLater = (name: string) => name > nameOf({ mark })
  const others = await readGroups(
    files,
    id,
    names.filter((name) => isLater(name) && !isAhead(name)),
  )
  // A worker may not know the last mark yet. It makes a call that it wrote before its lease has ended.
  const reachedAt = others.find(({ marks }) => marks.includes(mark))?.at.getTime() ?? 0
  const isRecent = (name: string) => isLater(name) || timeOf(name) >= reachedAt - LEASE_MS
  const left = names.filter((name) => isAhead(name) && isRecent(name))
  const killed = new Map(left.map((name) => [workerOf(name), markOf(name)]))
  const killedAt = [...killed.values()].sort((a, b) => a - b)
  return { ahead: await readGroups(files, id, left), others, killedAt }
}

/** A backup without a mark was taken by a version without a journal: the database has got a new id since. */
async function readAllSegments(files: JournalFiles, backupTaken: Date): Promise<Segments> {
  const others: DecodedGroup[] = []
  for (const installation of await files.installations()) {
    const names = await files.list(installation, '')
    const recent = names.filter((name) => timeOf(name) >= backupTaken.getTime())
    others.push(...(await readGroups(files, installation, recent)))
  }
  return { ahead: [], others, killedAt: [] }
}

async function readGroups(files: JournalFiles, installation: string, names: string[]): Promise<DecodedGroup[]> {
  const groups: DecodedGroup[] = []
  for (const name of names) groups.push(...decodeSegment(await files.read(installation, name)))
  return groups
}
