import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JournalFiles } from '../../base/storage/journal.ts'
import type { Gate } from './gate.ts'
import { encodeGroup, nameOf } from './journal-text.ts'
import type { Lines } from './lines.ts'
import type { StorageWatch } from './storage-watch.ts'

/** A segment is written as a whole each time, so it is closed when it is this large. */
export const SEGMENT_LENGTH_MAX = 256 * 1024

/** The segments that are written before calls. The segment of the worker later has their entries too. */
interface Ahead {
  /** Writes the lines that no segment has yet. Resolves when they are written, or the storage does not respond. */
  write(): Promise<void>
  /** Ends the current segment. Returns the number of segments. */
  end(): number
  /** Removes the names of the oldest segments, once none of them is being written. */
  take(count: number): Promise<string[]>
  hasSegments(): boolean
}

interface AheadDeps {
  files: JournalFiles
  storage: StorageWatch
  gate: Gate
  lines: Lines
  /** Part of the names: the worker and the number of its segment. */
  writer(): string
  /** Resolves when the mark is not being advanced for the segment of the worker. */
  advanced(): Promise<unknown>
}

export function createAhead({ files, storage, gate, lines, writer, advanced }: AheadDeps): Ahead {
  const names: string[] = []
  let number = 0
  let text = ''
  let writing: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function writeNow(): Promise<void> {
    // Groups are read in the order of their marks, and the segment that is being written has older entries.
    await advanced()
    // While the storage is lost, they wait until it is back.
    const taken = storage.isLost() ? [] : lines.takeForAhead()
    if (taken.length === 0) return
    const { id, known: mark, knownAt: at } = gate.mark
    if (text === '' || text.length > SEGMENT_LENGTH_MAX) {
      names.push(nameOf({ mark, time: at, writer: writer(), ahead: ++number }))
      text = ''
    }
    const name = names.at(-1)!
    const from = text.length
    text += encodeGroup({ mark, marks: [], at, isLate: true }, taken)
    const whole = text
    await storage.run(() => files.write(id, name, whole, from))
    if (storage.isLost()) text = ''
  }

  return {
    // One write at a time, and one for all intents of a moment: an act is never in the journal without the outcome of
    // the act before it.
    write() {
      next ??= Promise.all([writing, nextTurn()]).then(() => {
        next = undefined
        writing = writeNow()
        return writing
      })
      return next
    },
    end() {
      text = ''
      return names.length
    },
    async take(count) {
      await writing
      return names.splice(0, count)
    },
    hasSegments: () => names.length > 0,
  }
}
