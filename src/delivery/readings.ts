import type { Reading } from '../platforms/adapter.ts'
import type { NetworkResponse } from '../platforms/call-network.ts'
import { READING_KEPT_MS } from './timing.ts'

/** What a worker has read of an account to find acts whose responses were lost. It serves all deliveries that wait. */
export interface AccountReading {
  /** By `uptimeMs`. */
  startedAt: number
  reading: Reading
  /** The same, without a call: throws a NotRead where one would be needed. */
  recalled: Reading
}

/** The result of a query needs a call. */
export class NotRead extends Error {}

export interface Readings {
  /** The last reading of an account. */
  last(accountId: string): AccountReading | undefined
  /** Begins a new one. What never changes is taken over from the last one. */
  begin(accountId: string): AccountReading
}

/** Pages may have a megabyte. */
const ACCOUNTS_MAX = 100

/** Keeps the readings of one worker for some minutes. */
export function createReadings(uptimeMs: () => number): Readings {
  const kept = new Map<string, AccountReading & { constant: Map<string, NetworkResponse> }>()

  function removeOld(): void {
    for (const [accountId, { startedAt }] of kept) {
      if (uptimeMs() - startedAt <= READING_KEPT_MS && kept.size < ACCOUNTS_MAX) return
      kept.delete(accountId)
    }
  }

  return {
    last(accountId) {
      removeOld()
      return kept.get(accountId)
    },
    begin(accountId) {
      const constant = this.last(accountId) ? kept.get(accountId)!.constant : new Map<string, NetworkResponse>()
      const changing = new Map<string, NetworkResponse>()
      const reading: Reading = async (url, isConstant, call) => {
        if (url === null) return call()
        const known = constant.get(url) ?? changing.get(url)
        if (known) return known
        const response = await call()
        ;(isConstant ? constant : changing).set(url, response)
        return response
      }
      const recalled: Reading = (url, isConstant) => reading(url, isConstant, () => Promise.reject(new NotRead()))
      const begun = { startedAt: uptimeMs(), reading, recalled, constant }
      // In the order in which they began.
      kept.delete(accountId)
      kept.set(accountId, begun)
      return begun
    },
  }
}
