import { wakeWaiting } from '../../../db/queries/delivery/wake.ts'
import type { Act, AnyAdapter } from '../../platforms/contract/adapter.ts'
import { canQuery } from '../../platforms/contract/can-query.ts'
import type { Reading } from '../../platforms/contract/io.ts'
import { reasonOf } from './account.ts'
import type { Outcome } from './decide.ts'
import { type Failure, failure, isFailure } from './failures.ts'
import { callInFlightMs, guaranteeOf } from './in-flight.ts'
import { isOfAnother } from './on-network.ts'
import { NotRead } from './readings.ts'
import { actOf, callAdapter, type Run, released, type State, waitOf } from './run.ts'
import { factsOf } from './settled.ts'
import { storableAct, storableWait } from './storable.ts'
import { READING_MARGIN_MS } from './timing.ts'

type Reconcile = NonNullable<AnyAdapter['reconcile']>
type Found = Awaited<ReturnType<Reconcile>>

/** The outcome of a call that an earlier attempt has made, and whose response was lost or is still being processed. */
export async function reconcileIntent(run: Run, state: State, number: number): Promise<Outcome> {
  const act = actOf(run, state, run.plan[number - 1]!)
  const { reconcile } = run.adapter
  if (isFailure(act) || !reconcile || !canQuery(run.adapter, act, run.credentials)) {
    return unknown(failure('interrupted', 'The call was made, and its response was lost with the worker'))
  }
  const forMs = queryableForMs(run, state)
  if (forMs < 0 || run.lease.signal.aborted) {
    return released(run, { retryInMs: Math.max(-forMs, 0), isOpen: true })
  }
  let found: Found
  try {
    found = await find(run, state, act, reconcile)
    if (typeof found === 'object' && 'processing' in found) found = { processing: storableWait(found.processing) }
  } catch (thrown) {
    if (run.lease.signal.aborted) return released(run, { isOpen: true })
    return unknown(await reasonOf(run, state, thrown))
  }
  return outcomeOf(run, state, number, found)
}

/**
 * For how long the network can be queried about the open call: negative while the call may arrive, even if the owner
 * has made the delivery due.
 */
function queryableForMs({ adapter, delivery: { lostForMs, overdueMs } }: Run, { waitedMs }: State): number {
  // The network has responded to a call that it processes. Earlier versions do not store when a call was lost.
  return lostForMs === null || waitedMs !== null ? overdueMs : Math.min(overdueMs, lostForMs - callInFlightMs(adapter))
}

/** The outcome of an act by what its network shows. */
async function outcomeOf(run: Run, state: State, number: number, found: Found): Promise<Outcome> {
  if (found === 'unknown') {
    return unknownOutcome('The response was lost, and the network does not say what became of it')
  }
  if (found === 'absent') return { event: 'absent' }
  if ('rejected' in found) return { event: 'rejected', words: found.rejected }
  if ('processing' in found) return waitOf('processing', number, found.processing)
  const isOut = 'isOut' in found
  const isProcessing = state.waitedMs !== null
  const { isSent, isKnown } = await isOfAnother(run, found.id)
  if (isSent && !isOut) return unknownOutcome('The response was lost, and another post sent what is there')
  // A network that processes an act was called less than a day ago.
  if (!isKnown && !isProcessing && !isOut) {
    return unknownOutcome('The response was lost too long ago to tell whether another post sent what is there')
  }
  const act = isSent ? { id: null, url: null } : storableAct(found)
  return { event: 'sent', act, how: isProcessing ? 'published' : 'found' }
}

/**
 * Queries the network for an act. Responses that this worker has read of the account for other deliveries are used
 * again, if they were read after this act could be queried or if they show it. A new reading of a list has the acts of
 * all deliveries, so those of the account that wait for one become due.
 */
async function find(run: Run, state: State, act: Act, reconcile: Reconcile): Promise<Found> {
  const { deps, delivery, claimedAt } = run
  const { readings, uptimeMs } = deps
  const { accountId } = delivery
  const query = (reading: Reading) =>
    callAdapter(run, act, (io) => reconcile(act, { ...io, reading }, state.prepared?.state ?? null))
  const last = readings.last(accountId)
  if (last && last.startedAt >= claimedAt - queryableForMs(run, state)) return query(last.reading)
  if (last) {
    const known = await query(last.recalled).catch(unlessNotRead)
    if (known && typeof known === 'object' && 'id' in known && known.id !== null) return known
  }
  const { startedAt, reading } = readings.begin(accountId)
  const found = await query(reading)
  // An exactly-once network reads one record, and an act in processing is queried for its own status.
  if (guaranteeOf(run.adapter, act, run.credentials) === 'reconcilable' && state.waitedMs === null) {
    await wakeOthers(run, { readForMs: uptimeMs() - startedAt, callInFlightMs: callInFlightMs(run.adapter) })
  }
  return found
}

/**
 * Makes other deliveries due that wait for a reading. A failure is logged only: each is due by itself some time later.
 */
async function wakeOthers(
  { deps: { db, clock, log }, delivery }: Run,
  times: { readForMs: number; callInFlightMs: number },
): Promise<void> {
  const { accountId } = delivery
  await wakeWaiting(db, { accountId, ...times, marginMs: READING_MARGIN_MS, now: clock() }).catch((error) =>
    log.error({ err: error, ...factsOf(delivery) }, 'deliveries that wait for a reading stay queued'),
  )
}

const unlessNotRead = (error: unknown) => {
  if (!(error instanceof NotRead)) throw error
  return undefined
}

const unknown = (reason: Failure): Outcome<'unknown'> => ({ event: 'unknown', reason, isNewCall: false })

const unknownOutcome = (message: string) => unknown(failure('unknown_outcome', message))
