import { JOURNAL_EVERY_MS } from '../delivery/timing.ts'
import { createAhead } from './ahead.ts'
import type { Gate, JournalDeps } from './gate.ts'
import { encodeEntry, encodeGroup, type NewEntry } from './journal-text.ts'
import { createLines } from './lines.ts'
import type { Segments } from './segments.ts'
import type { StorageWatch } from './storage-watch.ts'

/** Writes the entries of one worker. */
interface Writer {
  /** Adds an entry, which is written soon. */
  push(entry: NewEntry): void
  /** Writes the entries that no segment has yet. Resolves when they are written, or the storage does not respond. */
  writeAhead(): Promise<void>
  /**
   * Writes everything to the segment of the worker, and advances the mark. Throws nothing: publishing goes on without
   * the storage, and what was sent waits in memory.
   */
  write(): Promise<void>
  /** Writes soon. */
  schedule(): void
  /** Writes everything that is left. */
  close(): Promise<void>
}

interface WriterDeps extends Pick<JournalDeps, 'files'> {
  storage: StorageWatch
  gate: Gate
  segments: Segments
  worker: string
}

/**
 * Creates a writer. The closure is long because its short functions share the lines and the write that is under way.
 */
export function createWriter({ files, storage, gate, segments, worker }: WriterDeps): Writer {
  const lines = createLines()
  let advancing: Promise<boolean> | undefined
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const ahead = createAhead({
    files,
    storage,
    gate,
    lines,
    writer: () => `${worker}${segments.number()}`,
    advanced: async () => advancing,
  })

  async function writeNow(): Promise<void> {
    // Committed before the mark is advanced. The segments ahead have nothing else, and the last one is not continued.
    const committed = lines.all.slice()
    const aheadCount = ahead.end()
    advancing = gate.advance()
    const isLate = !(await advancing)
    const marks = gate.takeMarks()
    if (committed.length === 0 && marks.length === 0) return
    const { known: mark, knownAt: at } = gate.mark
    if (!(await segments.add(encodeGroup({ mark, marks, at, isLate }, committed)))) {
      gate.giveBack(marks)
      lines.limit()
      schedule()
      return
    }
    lines.drop(committed.length)
    await segments.remove(await ahead.take(aheadCount))
    await segments.tidy()
  }

  /** One write at a time. */
  function write(): Promise<void> {
    writing ??= writeNow().finally(() => {
      writing = undefined
    })
    return writing
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void write()
    }, JOURNAL_EVERY_MS).unref()
  }

  return {
    push(entry) {
      lines.push(encodeEntry(entry))
      schedule()
    },
    writeAhead: ahead.write,
    async write() {
      await writing
      await write()
    },
    schedule,
    async close() {
      clearTimeout(timer)
      await writing
      if (lines.all.length > 0 || ahead.hasSegments() || segments.hasReplaced()) await write()
    },
  }
}
