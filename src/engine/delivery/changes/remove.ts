import type { ClaimedRemoval } from '../../../../db/queries/delivery/claim-change.ts'
import { settleRemoval } from '../../../../db/queries/delivery/removals.ts'
import { LeaseLost } from '../../../base/lease-lost.ts'
import { untilStored } from '../../../base/until-stored.ts'
import type { Credentials } from '../../../platforms/contract/io.ts'
import { priceRemoval } from '../../../platforms/price.ts'
import { credentialsOf, reasonOf, refreshWaitOf, restShared } from '../account.ts'
import type { Deps } from '../deps.ts'
import { type Failure, failure, isFailure } from '../failures.ts'
import { callInFlightMs } from '../in-flight.ts'
import { type ActOnNetwork, listOnNetwork, publishedOf } from '../on-network.ts'
import { factsOf } from '../settled.ts'
import { callForChange } from './call.ts'
import { decideNotRemoved, decideRemoved, type RemovalDecision } from './decide-removal.ts'
import { findLate, type LostAct, listQueryable } from './find-late.ts'

/**
 * Removes the acts of a delivery from its network, from the last to the first, and commits the outcome of each call
 * before the next one. Every call may be repeated: deleting twice is deleting once. `signal` aborts when the worker
 * stops. Throws a LeaseLost if another worker holds the removal by now.
 */
export async function removeDelivery(deps: Deps, change: ClaimedRemoval, signal: AbortSignal): Promise<void> {
  const { delivery } = change
  const left = listOnNetwork(publishedOf(change))
  const credentials = credentialsOf(deps, delivery)
  const next = left.at(-1)?.number ?? change.lostActs[0] ?? 1
  if (isFailure(credentials)) return settle(deps, change, next, decideNotRemoved(change, credentials))
  const refreshMs = refreshWaitOf(delivery)
  if (refreshMs > 0) return settle(deps, change, next, postponed(change, refreshMs))
  const lost = listQueryable(deps, change, credentials)
  const isGone = left.length === 0
  let before: Before = change
  while (left.length > 0) {
    const act = left.at(-1)!
    const outcome = await tryToRemove(deps, change, act, credentials, signal)
    if (outcome !== 'removed') return settleFailed(deps, change, act.number, { before, outcome })
    left.pop()
    before = { failures: 0, isReserved: false }
    await settle(deps, change, act.number, decideRemoved(act.number, left.length + lost.length))
  }
  if (lost.length === 0 && isGone) return settle(deps, change, next, decideRemoved(null, 0))
  if (lost.length > 0) await removeLate(deps, change, lost, { before, credentials, stop: signal })
}

/** Removes what lost calls have made meanwhile, until the network shows nothing of it. */
async function removeLate(
  deps: Deps,
  change: ClaimedRemoval,
  lost: ReturnType<typeof listQueryable>,
  { before, credentials, stop }: { before: Before; credentials: Credentials; stop: AbortSignal },
): Promise<void> {
  const { delivery } = change
  const [{ number: last }] = lost as [LostAct]
  const earlyMs = callInFlightMs(deps.networks[delivery.platform]) - (delivery.lostForMs ?? Number.POSITIVE_INFINITY)
  if (earlyMs > 0) return settle(deps, change, last, postponed(change, earlyMs))
  const late = await findLate(deps, change, lost, { credentials, stop }).catch(async (thrown) =>
    stop.aborted ? ('stopped' as const) : reasonOf({ deps, delivery, credentials }, delivery, thrown),
  )
  if (!Array.isArray(late)) return settleFailed(deps, change, last, { before, outcome: late })
  for (const act of late) {
    const outcome = await tryToRemove(deps, change, act, credentials, stop)
    if (outcome !== 'removed') return settleFailed(deps, change, act.number, { before, outcome })
  }
  await settle(deps, change, last, late.length > 0 ? decideNotRemoved(before, CAME_BACK) : decideRemoved(null, 0))
}

type Before = Pick<ClaimedRemoval, 'failures' | 'isReserved'>

const CAME_BACK = failure(
  'late_call',
  'An earlier call, whose response was lost, arrived after the removal. What it published was removed too, and is looked for again.',
  { retryable: true },
)

async function settleFailed(
  deps: Deps,
  change: ClaimedRemoval,
  act: number,
  { before, outcome }: { before: Before; outcome: 'stopped' | Failure },
): Promise<void> {
  if (outcome === 'stopped') return settle(deps, change, act, postponed(change, 0))
  await settle(deps, change, act, decideNotRemoved(before, outcome))
  await restShared(deps, change.delivery, outcome)
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
  error: delivery.error,
  payment: 'kept',
  failures,
  retryInMs,
})

const WAITING = failure('interrupted', 'The removal goes on', { retryable: true })

/** Commits a decision. Its outcome stays true if the database is lost now, so that the journal gets it first. */
async function settle(deps: Deps, { delivery }: ClaimedRemoval, act: number, decision: RemovalDecision): Promise<void> {
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
