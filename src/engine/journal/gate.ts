import { advanceMark, readInstallation } from '../../../db/queries/installation.ts'
import type { JournalFiles } from '../../base/storage/journal.ts'
import type { Deps } from '../delivery/deps.ts'
import { openInstallation, type Refusal, refuse } from './open-installation.ts'

/** The dependencies of the journal. `uptimeMs` is a monotonic clock. */
export interface JournalDeps extends Pick<Deps, 'db' | 'log' | 'uptimeMs'> {
  files: JournalFiles
}

/** The number that the database reaches before the journal does. */
export interface Mark {
  /** The installation that the mark belongs to. */
  id: string
  /** The highest mark that the database is known to have reached. */
  known: number
  /** When the database reached it, as far as this worker knows. */
  knownAt: Date
  /** When this worker last advanced it, by `uptimeMs`; infinitely long ago if it failed to. */
  advancedAt: number
  /** The marks that this worker has reached, and not written yet. */
  unwritten: number[]
}

/** Decides whether this worker may send: not from a restored database. */
export interface Gate {
  readonly mark: Readonly<Mark>
  /** Whether the worker may send, as far as is known. */
  isOpen(): boolean
  /** Opens the gate if the database is the one that the journal belongs to. Returns whether it is open. */
  check(): Promise<boolean>
  /** Notes a mark that another worker has reached. */
  see(mark: number): void
  /** Advances the mark. Returns false if the database does not respond, or is not the one that it was. */
  advance(): Promise<boolean>
  /** The marks that are not written yet. The caller writes them, or gives them back. */
  takeMarks(): number[]
  giveBack(marks: number[]): void
}

/** Creates a closed gate. The closure is long because its short functions share the mark and the state. */
export function createGate({ db, log, files, uptimeMs }: JournalDeps, onOpen: () => void): Gate {
  const mark: Mark = {
    id: '',
    known: 0,
    knownAt: new Date(0),
    advancedAt: Number.NEGATIVE_INFINITY,
    unwritten: [],
  }
  let state: 'closed' | 'open' | 'refused' = 'closed'
  let missingSince: number | undefined
  let isDatabaseLost = false

  async function close(why: Refusal): Promise<void> {
    if (state === 'refused') return
    state = 'refused'
    await refuse(db, log, why)
  }

  async function open(): Promise<void> {
    const missingForMs = () => {
      missingSince ??= uptimeMs()
      return uptimeMs() - missingSince
    }
    const opened = await openInstallation(db, files, missingForMs)
    if (typeof opened === 'string') return close(opened)
    if (!opened) return
    missingSince = undefined
    Object.assign(mark, { id: opened.id, known: opened.mark, advancedAt: Number.NEGATIVE_INFINITY })
    onOpen()
    state = 'open'
  }

  async function advance(): Promise<boolean> {
    if (state !== 'open') return false
    try {
      const [row] = await advanceMark(db, { id: mark.id, known: mark.known })
      if (!row) {
        await close('behind')
        return false
      }
      if (row.isRefused) await close('stored')
      Object.assign(mark, { known: row.mark, knownAt: new Date(row.at), advancedAt: uptimeMs() })
      mark.unwritten.push(row.mark)
      isDatabaseLost = false
      return true
    } catch (error) {
      if (!isDatabaseLost) log.error({ err: error }, 'the mark of the journal cannot be advanced')
      isDatabaseLost = true
      mark.advancedAt = Number.NEGATIVE_INFINITY
      return false
    }
  }

  return {
    mark,
    isOpen: () => state === 'open',
    async check() {
      if (state === 'refused') {
        const [row] = await readInstallation(db, {})
        if (row && !row.isRefused) state = 'closed'
      }
      if (state === 'closed') await open()
      return state === 'open'
    },
    see: (other) => {
      mark.known = Math.max(mark.known, other)
    },
    advance,
    takeMarks: () => mark.unwritten.splice(0),
    giveBack: (marks) => void mark.unwritten.unshift(...marks),
  }
}
