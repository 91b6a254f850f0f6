import type { Installation } from '../../db/queries/installation.ts'
import type { JournalFiles } from '../storage/journal.ts'
import { decodeSegment, type Entry, keyOf, nameOf, timeOf } from './journal-text.ts'

export interface JournalSince {
  /** What the database does not have, in order, by delivery. */
  entries: Map<string, Entry[]>
  /** No mark is missing: nothing that was sent is, but for the last second before workers were killed. */
  isComplete: boolean
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
  const segments = await readSegments(files, id, mark, backupTaken)
  const groups = segments
    .flatMap(decodeSegment)
    .filter((group) => group.mark >= mark)
    .sort((a, b) => a.mark - b.mark)
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
  let isComplete = mark > 0 && groups.length > 0
  for (let each = mark + 1; each <= highest; each++) isComplete &&= reached.has(each)
  return {
    entries,
    isComplete,
    isAhead: highest > mark,
    mark: highest,
    endedAt: mark > 0 ? (groups.at(-1)?.at ?? null) : null,
    takenBefore: mark > 0 ? later[0]?.at : undefined,
  }
}

async function readSegments(files: JournalFiles, id: string, mark: number, backupTaken: Date): Promise<string[]> {
  const texts: string[] = []
  // A backup without a mark was taken by a version without a journal: the database has got a new id since.
  for (const installation of mark > 0 ? [id] : await files.installations()) {
    for (const name of await files.list(installation, nameOf({ mark }))) {
      if (mark > 0 || timeOf(name) >= backupTaken.getTime()) texts.push(await files.read(installation, name))
    }
  }
  return texts
}
