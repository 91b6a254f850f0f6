import { type FactsDeps, renewFacts as renewDue } from '../../features/accounts/renew-facts.ts'
import type { Task } from './loop.ts'

const POLL_MS = 60_000

/** Reads the limits again that the servers of accounts state. */
export function renewFacts(deps: FactsDeps): Task {
  return {
    outage: { begin: 'limits of accounts cannot be read', end: 'limits of accounts are read again' },
    retryMs: POLL_MS,
    round: async (stop) => ((await renewDue(deps, stop)) > 0 ? 0 : POLL_MS),
  }
}
