import type { ClaimedDelivery } from '../../../db/queries/delivery/claim.ts'
import type { DeliveryKey } from '../../../db/queries/delivery/delivery.ts'
import { type Decision, isOpen } from '../../../db/queries/delivery/settlement.ts'
import { withTimeout } from '../../base/with-timeout.ts'
import type { Journal } from '../delivery/deps.ts'
import { JOURNAL_STALE_MS, JOURNAL_WAIT_MS } from '../delivery/timing.ts'
import { createGate, type JournalDeps } from './gate.ts'
import { markOf, type NewEntry, nameOf, newWorker } from './journal-text.ts'
import { createSegments } from './segments.ts'
import { watchStorage } from './storage-watch.ts'
import { createWriter } from './writer.ts'

type OpenDeps = Omit<JournalDeps, 'uptimeMs'> & Partial<Pick<JournalDeps, 'uptimeMs'>>

/** Opens the journal of one worker. It begins with the first call of `isReady`. */
export function openJournal({ uptimeMs = () => performance.now(), ...others }: OpenDeps): Journal {
  const { files } = others
  const worker = newWorker()
  const storage = watchStorage(others.log)
  const gate = createGate({ ...others, uptimeMs }, () => segments.begin())
  const { mark } = gate
  const segments = createSegments({ files, storage, mark, worker, uptimeMs })
  const writer = createWriter({ files, storage, gate, segments, worker })

  /** Finds marks that other workers have reached, and writes this worker's part. */
  async function catchUp(): Promise<void> {
    const later = await storage.run(() => files.list(mark.id, nameOf({ mark: mark.known + 1 })))
    if (later?.length) gate.see(markOf(later.at(-1)!))
    await writer.write()
  }

  return {
    isReady: gate.check,

    async begin() {
      if (uptimeMs() - mark.advancedAt < JOURNAL_STALE_MS) return gate.isOpen()
      if (storage.isLost()) {
        writer.schedule()
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
      writer.push({ ...keyFor(delivery), act, attempt, at: Date.now(), startedAt: startedAt.getTime(), token })
      return writer.writeAhead()
    },

    settled: (delivery, act, attempt, decision) => writer.push(outcomeEntry(delivery, act, attempt, decision)),

    removing(delivery, act) {
      writer.push({ ...keyFor(delivery), act, at: Date.now(), removal: 'removing' })
      return writer.writeAhead()
    },

    removed: (delivery, act, { state, removed, error }) =>
      writer.push({
        ...keyFor(delivery),
        act,
        at: Date.now(),
        removal: state,
        isGone: removed.includes(act),
        ...(error && { error }),
      }),

    editing(delivery, act, edit) {
      writer.push({ ...keyFor(delivery), act, at: Date.now(), edit })
      return writer.writeAhead()
    },

    edited: (delivery, act, sent) => writer.push({ ...keyFor(delivery), act, at: Date.now(), edit: sent.editId, sent }),

    close: writer.close,
  }
}

const keyFor = ({ userId, postId, accountId }: DeliveryKey) => ({ userId, postId, accountId })

function outcomeEntry(delivery: ClaimedDelivery, act: number, attempt: number, decision: Decision): NewEntry {
  const { state, sent, error, outcome } = decision
  return {
    ...keyFor(delivery),
    act,
    attempt,
    at: Date.now(),
    state,
    ...(sent && { sent }),
    ...(isOpen(decision) && { isOpen: true }),
    ...(error && { error }),
    ...(outcome && { outcome }),
  }
}
