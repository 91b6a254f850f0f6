import type { JournalFiles } from '../../base/storage/journal.ts'
import { JOURNAL_KEPT_MS, SEGMENT_MAX_MS } from '../delivery/timing.ts'
import { SEGMENT_LENGTH_MAX } from './ahead.ts'
import type { Mark } from './gate.ts'
import { nameOf, timeOf } from './journal-text.ts'
import type { StorageWatch } from './storage-watch.ts'

/** Segments that wait for removal while the storage removes nothing. Older ones are removed when they are pruned. */
const REPLACED_MAX = 100

/** The segment that a worker continues, and what it removes. */
export interface Segments {
  /** The number of the current segment. */
  number(): number
  /** Begins another segment. */
  begin(): void
  /** Adds a group to the current segment. Returns whether it is written; otherwise nothing has changed. */
  add(group: string): Promise<boolean>
  /** Removes segments whose content is in others. */
  remove(names: string[]): Promise<void>
  hasReplaced(): boolean
  /** Begins another segment after a while, and deletes old ones. */
  tidy(): Promise<void>
}

interface SegmentsDeps {
  files: JournalFiles
  storage: StorageWatch
  mark: Readonly<Mark>
  worker: string
  uptimeMs: () => number
}

export function createSegments({ files, storage, mark, worker, uptimeMs }: SegmentsDeps): Segments {
  let segment = { number: 0, name: '', text: '', startedAt: 0 }
  let replaced: string[] = []
  let prunedAt = Number.NEGATIVE_INFINITY

  const begin = () => {
    segment = { number: segment.number + 1, name: '', text: '', startedAt: uptimeMs() }
  }

  /** Deletes old segments, but never the last: without one, a restored database could not be recognised. */
  async function prune(): Promise<void> {
    if (uptimeMs() - prunedAt < SEGMENT_MAX_MS) return
    prunedAt = uptimeMs()
    const before = mark.knownAt.getTime() - JOURNAL_KEPT_MS
    await storage.run(async () => {
      const names = await files.list(mark.id, '')
      for (const name of names.slice(0, -1).filter((name) => timeOf(name) < before)) {
        await files.remove(mark.id, name)
      }
    })
  }

  return {
    number: () => segment.number,
    begin,

    async add(group) {
      const { number, name: previous } = segment
      const name = nameOf({ mark: mark.known, time: mark.knownAt, writer: `${worker}${number}` })
      const text = `${segment.text}${group}`
      const isWritten = await storage.run(async () => {
        await files.write(mark.id, name, text)
        return true
      })
      if (!isWritten) return false
      segment.name = name
      segment.text = text
      if (previous && previous !== name) replaced.push(previous)
      return true
    },

    async remove(names) {
      replaced.push(...names)
      const removed = replaced.slice(-REPLACED_MAX)
      await storage.run(async () => {
        await Promise.all(removed.map((name) => files.remove(mark.id, name)))
        replaced = replaced.filter((name) => !removed.includes(name))
      })
      replaced = replaced.slice(-REPLACED_MAX)
    },

    hasReplaced: () => replaced.length > 0,

    async tidy() {
      const isOld = uptimeMs() - segment.startedAt > SEGMENT_MAX_MS
      if (isOld || segment.text.length > SEGMENT_LENGTH_MAX) begin()
      await prune()
    },
  }
}
