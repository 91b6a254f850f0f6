import type { PreparedAct } from '../../../db/queries/delivery/delivery.ts'
import { intendAct } from '../../../db/queries/delivery/intend.ts'
import { LeaseLost } from '../../base/lease-lost.ts'
import { untilStored } from '../../base/until-stored.ts'
import type { Act, Sent, Wait } from '../../platforms/contract/adapter.ts'
import type { Io } from '../../platforms/contract/io.ts'
import { Duplicate } from '../../platforms/contract/publish-error.ts'
import { priceAct } from '../../platforms/price.ts'
import { reasonOf, restOf } from './account.ts'
import { findUnpaid, intendPaidAct } from './budget.ts'
import type { Outcome } from './decide.ts'
import { failure, isFailure } from './failures.ts'
import { suspended } from './lease.ts'
import { isOfAnother } from './on-network.ts'
import { awaitRenditions } from './renditions.ts'
import { actOf, callAdapter, type Run, released, type State, waitOf } from './run.ts'
import { storableAct, storableState, storableWait } from './storable.ts'
import { CALL_LEASE_MS, LEASE_MARGIN_MS, LEASE_MS } from './timing.ts'

/** One try at an act. */
interface Attempt {
  number: number
  /** The price of the act; null where acts are free. */
  micros: number | null
  /** How far it has come. */
  stage: 'preparing' | 'intending' | 'publishing'
  /** The outcome is decided: an adapter that returns later must not publish. */
  isOver: boolean
  /** The progress of the delivery, which the intent changes. */
  state: State
}

interface Sending {
  outcome: Outcome
  state: State
}

/** Sends the next act. Returns the outcome, and the progress that the outcome is to be decided by. */
export async function sendNext(run: Run, before: State): Promise<Sending> {
  const state = { ...before, startedAt: run.deps.uptimeMs() }
  const planned = run.plan[state.sent.length]!
  const waiting = await awaitRenditions(run, planned)
  if (waiting) return { state, outcome: waiting }
  const act = (planned.kind === 'comment' && afterMissing(state)) || actOf(run, state, planned)
  if (isFailure(act)) return { state, outcome: { event: 'failed', reason: act, wasIntended: false } }
  const restsMs = await restOf(run.deps, run.delivery)
  if (restsMs > 0 || run.lease.signal.aborted) {
    return { state, outcome: released(run, { retryInMs: restsMs, accountRestsMs: restsMs }) }
  }
  const micros = priceAct(run.delivery.platform, act)
  const unpaid = await findUnpaid(run, micros)
  if (unpaid) return { state, outcome: { event: 'failed', reason: unpaid, wasIntended: false } }
  const attempt: Attempt = { micros, number: planned.number, stage: 'preparing', isOver: false, state }
  const result = await callAdapter(run, act, (io) => publish(run, act, io, attempt))
    .catch((thrown: unknown) => ({ thrown }))
    .finally(() => {
      attempt.isOver = true
      run.lease.isCalling = false
    })
  const outcome = 'thrown' in result ? await afterError(run, attempt, result.thrown) : outcomeOf(attempt, result)
  return { state: attempt.state, outcome }
}

/**
 * Why a comment cannot follow: an act before it was left out. A retry begins with that act, and would repeat the
 * comment.
 */
const afterMissing = ({ sent }: State) => {
  const error = sent.find(({ error }) => error)?.error
  return error && failure(error.code, error.message)
}

type Published = Sent | { later: Wait<unknown> } | { processing: Wait<unknown> }

function outcomeOf({ number }: Attempt, result: Published): Outcome {
  if ('later' in result) return waitOf('later', number, result.later)
  if ('processing' in result) return waitOf('processing', number, result.processing)
  return { event: 'sent', act: storableAct(result), how: 'published' }
}

/** Prepares an act, commits its intent, and publishes it. Notes in `attempt` how far it has come. */
async function publish(run: Run, act: Act, io: Io, attempt: Attempt): Promise<Published> {
  const { adapter, lease } = run
  const prepared = await adapter.prepare(act, io, attempt.state.prepared?.state ?? null)
  if ('later' in prepared) return { later: storableWait(prepared.later) }
  const state = storableState(prepared.ready)
  lease.signal.throwIfAborted()
  if (attempt.isOver) throw suspended()
  attempt.stage = 'intending'
  await intend(run, attempt, { act: attempt.number, state })
  if (attempt.isOver) throw suspended()
  attempt.stage = 'publishing'
  lease.isCalling = true
  const result = await adapter.publish(act, io, prepared.ready)
  return 'processing' in result ? { processing: storableWait(result.processing) } : result
}

/** Commits that the call of an act is about to be made. Throws if too little of the lease is left for it then. */
async function intend({ deps, delivery }: Run, attempt: Attempt, prepared: PreparedAct): Promise<void> {
  const { db, clock, uptimeMs, journal } = deps
  const beganAt = uptimeMs()
  const intent = {
    ...delivery,
    act: prepared.act,
    prepared,
    micros: attempt.micros,
    callLeaseMs: CALL_LEASE_MS,
    leaseMs: LEASE_MS,
    startedMsAgo: beganAt - attempt.state.startedAt,
    now: clock(),
  }
  // If the connection failed, nothing was committed. After other errors that is unknown: the statement is not repeated,
  // and the attempt fails as one that may have an intent.
  const commit = intent.micros === null ? intendAct : intendPaidAct
  const number = await untilStored(deps, () => commit(db, intent), isNotConnected)
  if (number === undefined) throw new LeaseLost()
  await journal.intended(delivery, prepared.act, number)
  attempt.state = { ...attempt.state, prepared, waitedMs: null }
  if (uptimeMs() - beganAt > CALL_LEASE_MS - LEASE_MARGIN_MS) throw suspended()
}

const isNotConnected = (error: unknown) => (error as { atConnect?: boolean }).atConnect === true

/** The outcome of an attempt that threw an error. */
async function afterError(run: Run, { stage, state }: Attempt, thrown: unknown): Promise<Outcome> {
  if (thrown instanceof LeaseLost) throw thrown
  if (run.lease.signal.aborted && stage === 'preparing') return released(run)
  if (stage === 'publishing' && thrown instanceof Duplicate) {
    const { isSent, isKnown } = await isOfAnother(run, thrown.earlier.id)
    if (isKnown && !isSent) return { event: 'sent', act: storableAct(thrown.earlier), how: 'found' }
  }
  const reason = await reasonOf(run, state, thrown)
  if (stage === 'publishing' && reason.maybeSent) return { event: 'unknown', reason, isNewCall: true }
  return { event: 'failed', reason, wasIntended: stage !== 'preparing' }
}
