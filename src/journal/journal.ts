import type { ClaimedDelivery } from '../../db/queries/delivery/claim.ts'
import { type Decision, isOpen } from '../../db/queries/delivery/settlement.ts'
import type { Journal } from '../delivery/deps.ts'
import { JOURNAL_EVERY_MS, JOURNAL_STALE_MS, JOURNAL_WAIT_MS } from '../delivery/timing.ts'
import { withTimeout } from '../with-timeout.ts'
import { createAhead } from './ahead.ts'
import { createGate, type JournalDeps } from './gate.ts'
import { encodeEntry, encodeGroup, markOf, type NewEntry, nameOf, newWorker } from './journal-text.ts'
import { createLines } from './lines.ts'
import { createSegments } from './segments.ts'
import { watchStorage } from './storage-watch.ts'

/** Opens the journal of one worker. It begins with the first call of `isReady`. */
export function openJournal({ uptimeMs = () => performance.now(), ...others }: OpenDeps): Journal {
  const deps = { ...others, uptimeMs }
  const { files } = deps
  const worker = newWorker()
  const lines = createLines()
  const storage = watchStorage(deps.log)
  const gate = createGate(deps, () => segments.begin())
  const { mark } = gate
  const segments = createSegments({ files, storage, mark, worker, uptimeMs })
  let advancing: Promise<boolean> | undefined
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const ahead = createAhead({
    ...{ files, storage, gate, lines },
    writer: () => `${worker}${segments.number()}`,
    advanced: async () => advancing,
  })

  /** One write at a time. Throws nothing: publishing goes on without the storage, and what was sent waits in memory. */
  function write(): Promise<void> {
    writing ??= writeNow().finally(() => {
      writing = undefined
    })
    return writing
  }

  async function writeNow(): Promise<void> {
    // Committed before the mark is advanced. The segments ahead have nothing else, and the last one is not continued.
    const committed = lines.all.slice()
    const aheadCount = ahead.end()
    advancing = gate.advance()
    const isLate = !(await advancing)
    const marks = gate.takeMarks()
    if (committed.length === 0 && marks.length === 0) return
    const group = { mark: mark.known, marks, at: mark.knownAt, isLate }
    if (!(await segments.add(encodeGroup(group, committed)))) {
      gate.giveBack(marks)
      lines.limit()
      schedule()
      return
    }
    lines.drop(committed.length)
    await segments.remove(await ahead.take(aheadCount))
    await segments.tidy()
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void write()
    }, JOURNAL_EVERY_MS).unref()
  }

  function push(entry: NewEntry): void {
    lines.push(encodeEntry(entry))
    schedule()
  }

  /** Finds marks that other workers have reached, and writes this worker's part. */
  async function catchUp(): Promise<void> {
    const later = await storage.run(() => files.list(mark.id, nameOf({ mark: mark.known + 1 })))
    if (later?.length) gate.see(markOf(later.at(-1)!))
    await writing
    await write()
  }

  return {
    isReady: gate.check,

    async begin() {
      if (uptimeMs() - mark.advancedAt < JOURNAL_STALE_MS) return gate.isOpen()
      if (storage.isLost()) {
        schedule()
        await gate.advance()
        return gate.isOpen()
      }
      const beganAt = uptimeMs()
      // One time limit for all steps: no worker renews the claimed deliveries meanwhile.
      await withTimeout(JOURNAL_WAIT_MS, catchUp()).catch(() => {})
      if (mark.advancedAt < beganAt) await gate.advance()
      return gate.isOpen()
    },

    intended(delivery, act, attempt) {
      const { startedAt, token } = delivery
      push({ ...keyFor(delivery), act, attempt, at: Date.now(), startedAt: startedAt.getTime(), token })
      return ahead.write()
    },

    settled: (delivery, act, decision) => push(outcomeEntry(delivery, act, decision)),

    async close() {
      clearTimeout(timer)
      await writing
      if (lines.all.length > 0 || ahead.hasSegments() || segments.hasReplaced()) await write()
    },
  }
}

type OpenDeps = Omit<JournalDeps, 'uptimeMs'> & Partial<Pick<JournalDeps, 'uptimeMs'>>

const keyFor = ({ userId, postId, accountId }: ClaimedDelivery) => ({ userId, postId, accountId })

function outcomeEntry(delivery: ClaimedDelivery, act: number, decision: Decision): NewEntry {
  const { state, sent, error, outcome } = decision
  return {
    ...{ ...keyFor(delivery), act, at: Date.now(), state },
    ...(sent && { sent }),
    ...(isOpen(decision) && { isOpen: true }),
    ...(error && { error }),
    ...(outcome && { outcome }),
  }
}
