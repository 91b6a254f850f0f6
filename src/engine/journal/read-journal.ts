import type { Installation } from '../../../db/queries/installation.ts'
import type { JournalFiles } from '../../base/storage/journal.ts'
import { JOURNAL_SLACK_MS, LEASE_MS } from '../delivery/timing.ts'
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

interface JournalSince {
  /** The entries that the database lacks, in order, by delivery. */
  entries: Map<string, Entry[]>
  /** No mark is missing, so that no call is missing either, except for the last second if not `isWrittenAhead`. */
  isComplete: boolean
  /** Workers wrote every call before they made it. */
  isWrittenAhead: boolean
  /** Whether the journal has marks that the database has not reached. */
  isAhead: boolean
  /** The highest mark. */
  mark: number
  /** The end of the journal; null if it is empty. */
  endedAt: Date | null
  /** The database lacks what was committed then; undefined if it lacks nothing. */
  takenBefore: Date | undefined
}

/**
 * Reads the calls that were sent after the database reached `mark`. A database that has no mark has entries since
 * `backupTaken`.
 */
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
  const isComplete = mark > 0 && groups.length > 0 && isExplained(groups, segments.kills, mark, highest)
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

/**
 * Whether every mark that is missing was reached by a worker that was killed: each may have reached one that it did not
 * write, within seconds of its last call.
 */
function isExplained(groups: DecodedGroup[], kills: Kill[], mark: number, highest: number): boolean {
  const reachedAt = new Map(groups.flatMap(({ marks, at }) => marks.map((each) => [each, at.getTime()])))
  const left = [...kills]
  let since = reachedAt.get(mark) ?? 0
  for (let each = mark + 1; each <= highest; each++) {
    const at = reachedAt.get(each)
    if (at !== undefined) since = at
    else {
      const index = left.findIndex((kill) => kill.mark < each && since <= kill.calledAt + JOURNAL_SLACK_MS)
      if (index === -1) return false
      left.splice(index, 1)
    }
  }
  return true
}

/** The end of a worker that left a segment that it wrote before calls. */
interface Kill {
  mark: number
  /** When it wrote its last call, as a number of milliseconds. */
  calledAt: number
}

interface Segments {
  /** Entries that were written before their calls, and are in no other segment of their worker. */
  ahead: DecodedGroup[]
  others: DecodedGroup[]
  /** In the order of their marks. */
  kills: Kill[]
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
  // A worker that wrote another segment since was not killed: it could not remove this one.
  const wasKilled = (last: string) =>
    !names.some((name) => !isAhead(name) && workerOf(name) === workerOf(last) && markOf(name) > markOf(last))
  const lastOf = new Map(left.map((name) => [workerOf(name), name]))
  const ahead: DecodedGroup[] = []
  const kills: Kill[] = []
  for (const name of left) {
    const groups = await readGroups(files, id, [name])
    ahead.push(...groups)
    if (lastOf.get(workerOf(name)) !== name || !wasKilled(name)) continue
    const times = groups.flatMap(({ entries }) => entries.map(({ at }) => at.getTime()))
    kills.push({ mark: markOf(name), calledAt: Math.max(timeOf(name), ...times) })
  }
  return { ahead, others, kills }
}

/** A backup without a mark was taken by a version without a journal: the database has got a new id since. */
async function readAllSegments(files: JournalFiles, backupTaken: Date): Promise<Segments> {
  const others: DecodedGroup[] = []
  for (const installation of await files.installations()) {
    const names = await files.list(installation, '')
    const recent = names.filter((name) => timeOf(name) >= backupTaken.getTime())
    others.push(...(await readGroups(files, installation, recent)))
  }
  return { ahead: [], others, kills: [] }
}

async function readGroups(files: JournalFiles, installation: string, names: string[]): Promise<DecodedGroup[]> {
  const groups: DecodedGroup[] = []
  for (const name of names) groups.push(...decodeSegment(await files.read(installation, name)))
  return groups
}
