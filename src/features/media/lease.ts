import { withDatabaseBudget } from '../../../db/budget.ts'
import { LeaseLost } from '../../base/lease-lost.ts'

/** A lease outlasts several failed renewals. */
export const LEASE = { renewMs: 4_000, lastsMs: 20_000 }

interface Lease {
  /** Aborts with LeaseLost once a renewal finds that another process has the lease, or that its row is gone. */
  lost: AbortSignal
  end(): void
}

/** Renews a lease until its end. `renew` returns no row if the lease is lost. */
export function keepLease(renew: () => Promise<readonly unknown[]>, renewMs = LEASE.renewMs): Lease {
  const lost = new AbortController()
  const renewal = setInterval(
    () =>
      // Renewals do not count towards the request's database budget. If one fails, the next one makes up for it.
      withDatabaseBudget(undefined, renew).then(
        ([renewed]) => renewed || lost.abort(new LeaseLost()),
        () => {},
      ),
    renewMs,
  ).unref()
  return { lost: lost.signal, end: () => clearInterval(renewal) }
}
