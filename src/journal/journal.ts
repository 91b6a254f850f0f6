import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ClaimedDelivery } from '../../db/queries/delivery/claim.ts'
import { type Decision, isOpen } from '../../db/queries/delivery/settlement.ts'
import {
  advanceMark,
  createInstallation,
  hasAttempts,
  readInstallation,
  refuseToSend,
} from '../../db/queries/installation.ts'
import type { Deps, Journal } from '../delivery/deps.ts'
import {
  JOURNAL_EVERY_MS,
  JOURNAL_KEPT_MS,
  JOURNAL_MISSING_MS,
  JOURNAL_STALE_MS,
  JOURNAL_WAIT_MS,
  SEGMENT_MAX_MS,
} from '../delivery/timing.ts'
import type { JournalFiles } from '../storage/journal.ts'
import { withTimeout } from '../with-timeout.ts'
import { encodeEntry, encodeGroup, markOf, type NewEntry, nameOf, newWorker, timeOf } from './journal-text.ts'

/** The dependencies of the journal. `uptimeMs` is a monotonic clock. */
interface JournalDeps extends Pick<Deps, 'db' | 'log'> {
  files: JournalFiles
  uptimeMs?: () => number
}

/** A segment is written as a whole each time, so it is closed when it is this large. */
const SEGMENT_LENGTH_MAX = 256 * 1024

/** Entries that wait in memory while the storage is unreachable: about 60 MB. */
const LINES_MAX = 200_000

/** Segments that wait for removal while the storage removes nothing. Older ones are removed when they are pruned. */
const REPLACED_MAX = 100

const COMMAND = '`postroom restore finish --backup-taken TIME`'

const REFUSALS = {
  behind: `the database is older than what was sent: it was restored from a backup, or has lost transactions. Nothing is sent until this has run: ${COMMAND}`,
  missing: `the journal of what was sent is not in MEDIA_DIR or the bucket, so a restored database cannot be recognised. Nothing is sent until this has run: ${COMMAND}, with the current time if the database was not restored`,
  stored: `the database was restored from a backup. Nothing is sent until this has run: ${COMMAND}`,
}

export const openJournal = (deps: JournalDeps): Journal => new JournalWriter(deps)

class JournalWriter implements Journal {
  readonly #db: Deps['db']
  readonly #log: Deps['log']
  readonly #files: JournalFiles
  readonly #uptimeMs: () => number
  readonly #worker = newWorker()
  #id = ''
  #state: 'closed' | 'open' | 'refused' = 'closed'
  /** The highest mark that the database is known to have reached. */
  #known = 0
  #knownAt = new Date(0)
  #advancedAt = Number.NEGATIVE_INFINITY
  #missingSince: number | undefined
  /** Marks that are not written yet. */
  #marks: number[] = []
  /** Entries that are not in `#segment` yet. The segments `names` have the first `count`, and the last of them is continued. */
  #lines: string[] = []
  #ahead = { count: 0, names: [] as string[], number: 0, text: '' }
  /** Segments whose content is in others. Kept until they are removed. */
  #replaced: string[] = []
  #advancing: Promise<boolean> | undefined
  #writingAhead: Promise<void> | undefined
  #nextAhead: Promise<void> | undefined
  #segment = { number: 0, name: '', text: '', startedAt: 0 }
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isStorageLost = false
  #isDatabaseLost = false
  #prunedAt = Number.NEGATIVE_INFINITY

  constructor({ db, log, files, uptimeMs = () => performance.now() }: JournalDeps) {
    this.#db = db
    this.#log = log
    this.#files = files
    this.#uptimeMs = uptimeMs
  }

  async isReady(): Promise<boolean> {
    if (this.#state === 'refused') {
      const [row] = await readInstallation(this.#db, {})
      if (row && !row.isRefused) this.#state = 'closed'
    }
    if (this.#state === 'closed') await this.#open()
    return this.#state === 'open'
  }

  /** Compares the mark of the database with those of the segments. */
  async #open(): Promise<void> {
    let [row] = await readInstallation(this.#db, {})
    if (!row) {
      // Restored from a backup of a version without a journal, if there is a journal and something was sent.
      const isRefused = (await this.#files.installations()).length > 0 && (await hasAttempts(this.#db))
      await createInstallation(this.#db, { isRefused })
      ;[row] = await readInstallation(this.#db, {})
    }
    if (!row) return
    if (row.isRefused) return this.#refuse('stored')
    const later = await this.#files.list(row.id, nameOf({ mark: row.mark + 1 }))
    if (later.length > 0) {
      // Another worker may have advanced the mark before it wrote the segment: read again.
      const [again] = await readInstallation(this.#db, {})
      if (!again || again.mark < markOf(later.at(-1)!)) return this.#refuse('behind')
      row = again
    } else if (row.mark > 0 && (await this.#files.list(row.id, '', 1)).length === 0) {
      this.#missingSince ??= this.#uptimeMs()
      if (this.#uptimeMs() - this.#missingSince > JOURNAL_MISSING_MS) await this.#refuse('missing')
      return
    }
    this.#missingSince = undefined
    this.#id = row.id
    this.#known = row.mark
    this.#advancedAt = Number.NEGATIVE_INFINITY
    this.#nextSegment()
    this.#state = 'open'
  }

  async #refuse(why: keyof typeof REFUSALS): Promise<void> {
    if (this.#state === 'refused') return
    this.#state = 'refused'
    this.#log.error({}, REFUSALS[why])
    if (why !== 'stored') await refuseToSend(this.#db)
  }

  async begin(): Promise<boolean> {
    if (this.#uptimeMs() - this.#advancedAt < JOURNAL_STALE_MS) return this.#state === 'open'
    if (this.#isStorageLost) {
      this.#schedule()
      await this.#advance()
      return this.#state === 'open'
    }
    const beganAt = this.#uptimeMs()
    // One time limit for all steps: no worker renews the claimed deliveries meanwhile.
    await withTimeout(JOURNAL_WAIT_MS, this.#catchUp()).catch(() => {})
    if (this.#advancedAt < beganAt) await this.#advance()
    return this.#state === 'open'
  }

  async #catchUp(): Promise<void> {
    // Marks that other workers have reached since.
    const later = await this.#withStorage(() => this.#files.list(this.#id, nameOf({ mark: this.#known + 1 })))
    if (later?.length) this.#known = Math.max(this.#known, markOf(later.at(-1)!))
    await this.#writing
    await this.#write()
  }

  intended(delivery: ClaimedDelivery, act: number, attempt: number): Promise<void> {
    const { userId, postId, accountId, startedAt, token } = delivery
    const at = Date.now()
    this.#push({ userId, postId, accountId, act, attempt, at, startedAt: startedAt.getTime(), token })
    return this.#writeAhead()
  }

  settled({ userId, postId, accountId }: ClaimedDelivery, act: number, decision: Decision): void {
    const { state, sent, error, outcome } = decision
    this.#push({
      ...{ userId, postId, accountId, act, at: Date.now(), state },
      ...(sent && { sent }),
      ...(isOpen(decision) && { isOpen: true }),
      ...(error && { error }),
      ...(outcome && { outcome }),
    })
  }

  #push(entry: NewEntry): void {
    this.#lines.push(encodeEntry(entry))
    this.#schedule()
  }

  /**
   * Writes the entries that no segment has yet, once for all intents of the same moment. One write at a time, so that an act
   * is never in the journal without the outcome of the act before it.
   */
  #writeAhead(): Promise<void> {
    this.#nextAhead ??= Promise.all([this.#writingAhead, nextTurn()]).then(() => {
      this.#nextAhead = undefined
      this.#writingAhead = this.#writeAheadNow()
      return this.#writingAhead
    })
    return this.#nextAhead
  }

  async #writeAheadNow(): Promise<void> {
    // Groups are read in the order of their marks, and the segment that is being written has older entries.
    await this.#advancing
    const lines = this.#lines.slice(this.#ahead.count)
    // They are written when the storage is back.
    if (lines.length === 0 || this.#isStorageLost) return
    const ahead = this.#ahead
    ahead.count = this.#lines.length
    const [mark, at] = [this.#known, this.#knownAt]
    if (ahead.text === '' || ahead.text.length > SEGMENT_LENGTH_MAX) {
      const writer = `${this.#worker}${this.#segment.number}`
      ahead.names.push(nameOf({ mark, time: at, writer, ahead: ++ahead.number }))
      ahead.text = ''
    }
    const name = ahead.names.at(-1)!
    const from = ahead.text.length
    ahead.text += encodeGroup({ mark, marks: [], at, isLate: true }, lines)
    const { text } = ahead
    await this.#withStorage(() => this.#files.write(this.#id, name, text, from))
    if (this.#isStorageLost) ahead.text = ''
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#write()
    }, JOURNAL_EVERY_MS).unref()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
    if (this.#lines.length > 0 || this.#ahead.names.length > 0 || this.#replaced.length > 0) await this.#write()
  }

  /** One write at a time. Throws nothing: publishing goes on without the storage, and the entries wait in memory. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeNow().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #writeNow(): Promise<void> {
    // Committed before the mark is advanced. The segments ahead have nothing else, and the last one is not continued.
    const lines = this.#lines.slice()
    const aheadCount = this.#ahead.names.length
    this.#ahead.text = ''
    this.#advancing = this.#advance()
    const isLate = !(await this.#advancing)
    const { name: previous, number } = this.#segment
    const marks = this.#marks.splice(0)
    if (lines.length === 0 && marks.length === 0) return
    const name = nameOf({ mark: this.#known, time: this.#knownAt, writer: `${this.#worker}${number}` })
    const text = `${this.#segment.text}${encodeGroup({ mark: this.#known, marks, at: this.#knownAt, isLate }, lines)}`
    const isWritten = await this.#withStorage(async () => {
      await this.#files.write(this.#id, name, text)
      return true
    })
    if (!isWritten) {
      this.#marks.unshift(...marks)
      this.#dropLines(this.#lines.length - LINES_MAX)
      this.#schedule()
      return
    }
    this.#segment.name = name
    this.#segment.text = text
    this.#dropLines(lines.length)
    // It may be continuing one of them.
    await this.#writingAhead
    this.#replaced.push(...this.#ahead.names.splice(0, aheadCount))
    if (previous && previous !== name) this.#replaced.push(previous)
    const replaced = this.#replaced.slice(-REPLACED_MAX)
    await this.#withStorage(async () => {
      await Promise.all(replaced.map((name) => this.#files.remove(this.#id, name)))
      this.#replaced = this.#replaced.filter((name) => !replaced.includes(name))
    })
    this.#replaced = this.#replaced.slice(-REPLACED_MAX)
    const isOld = this.#uptimeMs() - this.#segment.startedAt > SEGMENT_MAX_MS
    if (isOld || text.length > SEGMENT_LENGTH_MAX) this.#nextSegment()
    await this.#prune()
  }

  #dropLines(count: number): void {
    if (count <= 0) return
    this.#lines.splice(0, count)
    this.#ahead.count = Math.max(0, this.#ahead.count - count)
  }

  /** Returns false if the database does not respond, or is not the one that it was. */
  async #advance(): Promise<boolean> {
    if (this.#state !== 'open') return false
    try {
      const [row] = await advanceMark(this.#db, { id: this.#id, known: this.#known })
      if (!row) {
        await this.#refuse('behind')
        return false
      }
      if (row.isRefused) await this.#refuse('stored')
      this.#known = row.mark
      this.#knownAt = new Date(row.at)
      this.#marks.push(row.mark)
      this.#advancedAt = this.#uptimeMs()
      this.#isDatabaseLost = false
      return true
    } catch (error) {
      if (!this.#isDatabaseLost) this.#log.error({ err: error }, 'the mark of the journal cannot be advanced')
      this.#isDatabaseLost = true
      this.#advancedAt = Number.NEGATIVE_INFINITY
      return false
    }
  }

  #nextSegment(): void {
    this.#segment = { number: this.#segment.number + 1, name: '', text: '', startedAt: this.#uptimeMs() }
  }

  /** Deletes old segments, but never the last: without one, a restored database could not be recognised. */
  async #prune(): Promise<void> {
    if (this.#uptimeMs() - this.#prunedAt < SEGMENT_MAX_MS) return
    this.#prunedAt = this.#uptimeMs()
    const before = this.#knownAt.getTime() - JOURNAL_KEPT_MS
    await this.#withStorage(async () => {
      const names = await this.#files.list(this.#id, '')
      for (const name of names.slice(0, -1).filter((name) => timeOf(name) < before)) {
        await this.#files.remove(this.#id, name)
      }
    })
  }

  /** Logs when the storage fails and when it works again. Does not wait long for a storage that does not respond. */
  async #withStorage<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await withTimeout(JOURNAL_WAIT_MS, work(), () => new Error('The storage does not respond'))
      if (this.#isStorageLost) this.#log.info({}, 'the journal of what was sent is written again')
      this.#isStorageLost = false
      return result
    } catch (error) {
      if (!this.#isStorageLost) {
        this.#log.error({ err: error }, 'the journal of what was sent cannot be written; it is kept in memory')
      }
      this.#isStorageLost = true
      return undefined
    }
  }
}
