import { type ClaimedChange, claimChange } from '../../../../db/queries/delivery/claim-change.ts'
import { LeaseLost } from '../../../base/lease-lost.ts'
import type { Deps } from '../deps.ts'
import { factsOf } from '../settled.ts'
import { CHANGE_LEASE_MS, CHANGE_POSTPONE_MS, CHANGES_MAX, LEASE_MS, RESPONSE_GRACE_MS } from '../timing.ts'
import { editDelivery } from './edit.ts'
import { removeDelivery } from './remove.ts'

export interface Changer {
  /** Claims a change that is due, and begins it. Returns whether there may be more. */
  begin(): Promise<boolean>
  /** Resolves when the next change ends. */
  settled(): Promise<void>
  /** Begins nothing more. Resolves when no change is running, soon after it was called. */
  drain(): Promise<void>
  /** Resolves when no change is running. */
  idle(): Promise<void>
}

/**
 * Changes what deliveries have on their networks, several at a time: of all users, or of one on the sandbox. Not from a
 * copy of a database.
 */
export function createChanger(deps: Deps, userId?: string): Changer {
  const { db, journal, clock, log } = deps
  const calls = new AbortController()
  const running = new Set<Promise<void>>()
  let ended = Promise.withResolvers<void>()
  let isStopping = false

  function end(run: Promise<void>): void {
    running.delete(run)
    ended.resolve()
    ended = Promise.withResolvers()
  }

  function start(change: ClaimedChange): void {
    const carryOut =
      change.kind === 'edit' ? editDelivery(deps, change, calls.signal) : removeDelivery(deps, change, calls.signal)
    const run: Promise<void> = carryOut
      .catch((error) => {
        const facts = factsOf(change.delivery)
        if (error instanceof LeaseLost) log.warn(facts, 'change was taken over')
        else log.error({ ...facts, err: error }, 'change is left to be taken over')
      })
      .finally(() => end(run))
    running.add(run)
  }

  const idle = async () => void (await Promise.all(running))

  return {
    async begin() {
      if (isStopping || running.size >= CHANGES_MAX || !(await journal.isReady())) return false
      const terms = { leaseMs: CHANGE_LEASE_MS, postponeMs: CHANGE_POSTPONE_MS, publishLeaseMs: LEASE_MS, now: clock() }
      const change = await claimChange(db, { ...terms, userId })
      // From a restored database, nothing is changed: the lease ends, and `restore finish` decides.
      if (!change || !(await journal.begin()) || isStopping) return false
      start(change)
      return true
    },

    settled: () => ended.promise,

    async drain() {
      isStopping = true
      const drained = setTimeout(() => calls.abort(), RESPONSE_GRACE_MS)
      await idle()
      clearTimeout(drained)
    },

    idle,
  }
}
