import type { ClaimedRemoval } from '../../../db/queries/delivery/claim-change.ts'
import { settleRemoval } from '../../../db/queries/delivery/removals.ts'
import { LeaseLost } from '../../lease-lost.ts'
import type { Credentials } from '../../platforms/contract/io.ts'
import { priceRemoval } from '../../platforms/price.ts'
import { untilStored } from '../../until-stored.ts'
import { credentialsOf, refreshWaitOf } from '../account.ts'
import { groupByPart } from '../act.ts'
import type { Deps } from '../deps.ts'
import { type Failure, failure } from '../failures.ts'
import { type ActOnNetwork, listOnNetwork } from '../on-network.ts'
import { factsOf, isFailure, restShared } from '../run.ts'
import { callForChange } from './call.ts'
import { decideNotRemoved, decideRemoved, type RemovalDecision } from './decide-removal.ts'

/**
 * Removes the acts of a delivery from its network, from the last to the first, and commits the outcome of each call
 * before the next one. Every call may be repeated: deleting twice is deleting once. `signal` aborts when the worker
 * stops. Throws a LeaseLost if another worker holds the removal by now.
 */
export async function removeDelivery(deps: Deps, change: ClaimedRemoval, signal: AbortSignal): Promise<void> {
  const { delivery, publishedAt } = change
  const left = listOnNetwork({
    ...delivery,
    publishedAt,
    fileCounts: groupByPart(delivery.media).map(({ length }) => length),
  })
  const credentials = credentialsOf(deps, delivery)
  const refreshMs = refreshWaitOf(delivery)
  let before: Pick<ClaimedRemoval, 'failures' | 'isReserved'> = change
  while (left.length > 0) {
    const act = left.at(-1)!
    if (isFailure(credentials)) return settle(deps, change, act, decideNotRemoved(before, credentials))
    if (refreshMs > 0) return settle(deps, change, act, postponed(change, refreshMs))
    const outcome = await tryToRemove(deps, change, act, credentials, signal)
    if (outcome === 'stopped') return settle(deps, change, act, postponed(change, 0))
    if (outcome !== 'removed') {
      await settle(deps, change, act, decideNotRemoved(before, outcome))
      return restShared(deps, delivery, outcome)
    }
    left.pop()
    before = { failures: 0, isReserved: false }
    await settle(deps, change, act, decideRemoved(act.number, left.length))
  }
}

/** Makes the call for an act. */
async function tryToRemove(
  deps: Deps,
  change: ClaimedRemoval,
  { number: act, ...published }: ActOnNetwork,
  credentials: Credentials,
  stop: AbortSignal,
): Promise<'removed' | 'stopped' | Failure> {
  const { delivery } = change
  const { id } = published
  const { remove } = deps.networks[delivery.platform]
  if (id === null || !remove) return failure('not_removable', 'The network offers no way to remove this')
  const outcome = await callForChange(deps, change, stop, {
    act,
    micros: priceRemoval(delivery.platform),
    credentials,
    error: delivery.error,
    record: () => deps.journal.removing(delivery, act),
    make: (io) => remove({ ...published, id }, io),
  })
  return typeof outcome === 'object' && 'value' in outcome ? 'removed' : outcome
}

/** Nothing has failed: the removal goes on after `retryInMs`. */
const postponed = ({ delivery, failures }: ClaimedRemoval, retryInMs: number): RemovalDecision => ({
  ...decideNotRemoved({ failures: 0, isReserved: false }, WAITING),
  ...{ error: delivery.error, payment: 'kept', failures, retryInMs },
})

const WAITING = failure('interrupted', 'The removal goes on', { retryable: true })

/** Commits a decision. Its outcome stays true if the database is lost now, so that the journal gets it first. */
async function settle(
  deps: Deps,
  { delivery }: ClaimedRemoval,
  { number: act }: ActOnNetwork,
  decision: RemovalDecision,
): Promise<void> {
  const { db, clock, journal, log } = deps
  const { state, error, removed } = decision
  journal.removed(delivery, act, decision)
  const isStored = await untilStored(deps, () => settleRemoval(db, delivery, { ...decision, now: clock() }))
  if (!isStored) throw new LeaseLost()
  if (state !== 'removing') {
    const outcome = state === 'removed' ? 'done' : 'failed'
    deps.reportChange({ platform: delivery.platform, kind: 'remove', outcome })
  }
  const line = {
    ...factsOf(delivery),
    act,
    state,
    isRemoved: removed.length > 0,
    ...(error && { errorCode: error.code }),
  }
  if (error && state === 'remove_failed') log.warn(line, 'removal settled')
  else log.info(line, 'removal settled')
}
