import type { Db } from '../../../../db/client.ts'
import { type ChangeIntent, type ClaimedChange, intendChange } from '../../../../db/queries/delivery/claim-change.ts'
import type { DeliveryError } from '../../../../schemas/delivery.ts'
import { LeaseLost } from '../../../base/lease-lost.ts'
import type { Credentials, Io } from '../../../platforms/contract/io.ts'
import { PublishError } from '../../../platforms/contract/publish-error.ts'
import { reasonOf } from '../account.ts'
import { intendPaidChange } from '../budget.ts'
import type { Deps } from '../deps.ts'
import type { Failure } from '../failures.ts'
import { suspended } from '../lease.ts'
import { CHANGE_CALL_MAX_MS, CHANGE_LEASE_MS } from '../timing.ts'
import { withinTime } from '../within-time.ts'

interface Call<T> {
  act: number
  /** The price of the call; null if it is free. */
  micros: number | null
  credentials: Credentials
  /** The failure of the call before, if there was one. */
  error: DeliveryError | null
  /** Writes the intent to the journal. */
  record: () => Promise<void>
  make: (io: Io) => Promise<T>
}

/**
 * Makes the call that changes an act, after its intent is committed and in the journal. Throws a LeaseLost if another
 * worker holds the change by now.
 */
export async function callForChange<T>(
  deps: Deps,
  { delivery }: ClaimedChange,
  stop: AbortSignal,
  { act, micros, credentials, error, record, make }: Call<T>,
): Promise<{ value: T } | 'stopped' | Failure> {
  const { db, clock, uptimeMs } = deps
  const endsAt = uptimeMs() + CHANGE_CALL_MAX_MS
  const unpaid = await intend(db, { ...delivery, act, micros, leaseMs: CHANGE_LEASE_MS, now: clock() })
  if (unpaid) return unpaid
  await record()
  // A worker that was suspended may have lost the change, and would undo the work of the next one.
  const fetch: Io['fetch'] = async (input, init) => {
    if (uptimeMs() > endsAt) throw suspended()
    return deps.fetch(input, init)
  }
  try {
    return { value: await withinTime(CHANGE_CALL_MAX_MS, stop, (signal) => make({ credentials, fetch, signal })) }
  } catch (thrown) {
    return stop.aborted ? 'stopped' : reasonOf({ deps, delivery, credentials }, { error }, thrown)
  }
}

/** Commits an intent. Returns the failure of one whose price a budget does not cover. */
async function intend(db: Db, intent: ChangeIntent): Promise<Failure | undefined> {
  try {
    const intended = intent.micros === null ? (await intendChange(db, intent))[0] : await intendPaidChange(db, intent)
    if (!intended) throw new LeaseLost()
    return undefined
  } catch (thrown) {
    if (thrown instanceof PublishError) return thrown
    throw thrown
  }
}
