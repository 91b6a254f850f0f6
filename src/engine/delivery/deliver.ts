import type { ClaimedDelivery } from '../../../db/queries/delivery/claim.ts'
import { type StoredSettlement, settleAct } from '../../../db/queries/delivery/settle.ts'
import type { Decision, Settlement } from '../../../db/queries/delivery/settlement.ts'
import { describeDuration } from '../../base/duration.ts'
import { LeaseLost } from '../../base/lease-lost.ts'
import { untilStored } from '../../base/until-stored.ts'
import { canQuery } from '../../platforms/contract/can-query.ts'
import { credentialsOf, refreshWaitOf, restShared } from './account.ts'
import { decide, type Outcome } from './decide.ts'
import { type Failure, failure, isFailure } from './failures.ts'
import { callInFlightMs } from './in-flight.ts'
import type { HeldLease } from './lease.ts'
import { CLAIMED } from './machine.ts'
import { planActs } from './plan.ts'
import { reconcileIntent } from './reconcile.ts'
import { currentAct, type Run, type RunDeps, released, type State } from './run.ts'
import { sendNext } from './send.ts'
import { factsOf } from './settled.ts'
import { LEASE_MARGIN_MS, LEASE_MS } from './timing.ts'

interface Next {
  delivery: ClaimedDelivery
  /** By `uptimeMs`, taken before the statement. */
  claimedAt: number
}

/** The result of a settlement. */
interface Step {
  state: State
  /** This worker continues with the delivery. */
  continues: boolean
  /** The next delivery of the account, if it was claimed. */
  next?: Next | undefined
}

/**
 * Carries out a claimed delivery, act by act, and commits the outcome of each act before the next one begins. Returns
 * when the delivery is over, or was given back. The lease's signal ends it sooner, with a LeaseLost or Draining as its
 * reason. Throws a LeaseLost if another worker holds the delivery by now, and the database's error if an outcome could
 * not be committed: the worker that takes the delivery over then finds the intent, and queries the network.
 *
 * If `mayGoOn` returns true when the last act is out, the same commit also claims the next due delivery of the account,
 * which is returned.
 */
export async function deliver(
  deps: RunDeps,
  delivery: ClaimedDelivery,
  lease: HeldLease,
  mayGoOn: () => boolean,
): Promise<Next | undefined> {
  const adapter = deps.networks[delivery.platform]
  const credentials = credentialsOf(deps, delivery)
  const claimedAt = deps.uptimeMs()
  const run: Run = {
    deps,
    delivery,
    lease,
    adapter,
    plan: planActs(delivery),
    built: new Map(),
    claimedAt,
    credentials: isFailure(credentials) ? {} : credentials,
  }
  // An older version may have left the state of another act.
  const prepared = delivery.prepared?.act === delivery.sent.length + 1 ? delivery.prepared : null
  const { sent, intent, failures, error } = delivery
  const waitedMs = prepared && delivery.waitedMs
  const attempt = delivery.attemptsBefore + (intent === null ? 1 : 0)
  const state: State = { sent, attempt, failures, error, prepared, waitedMs, startedAt: claimedAt }
  const commit: Commit = (state, outcome) => settle(run, state, outcome, mayGoOn)
  const last = isFailure(credentials)
    ? await commit(state, cannotStart(delivery, credentials))
    : await carryOut(run, state, commit)
  return last.next
}

type Commit = (state: State, outcome: Outcome) => Promise<Step>

const cannotStart = ({ intent }: ClaimedDelivery, reason: Failure): Outcome =>
  intent === null ? { event: 'failed', reason, wasIntended: false } : { event: 'unknown', reason, isNewCall: false }

async function carryOut(run: Run, first: State, commit: Commit): Promise<Step> {
  const { deps, delivery, plan } = run
  const { intent, lateMs, overdueMs } = delivery
  // A delivery that waits for its network, or for a pause to end, began in time. It is late if no worker continued it,
  // unless its account was paused meanwhile.
  const hasWaited = first.waitedMs !== null || plan[first.sent.length]?.pauseMs !== undefined
  const isLate = (hasWaited ? Math.min(overdueMs, lateMs) : lateMs) > deps.latenessMaxMs
  const refreshMs = refreshWaitOf(delivery)
  if (refreshMs > 0 && !isLate) {
    const options = { retryInMs: refreshMs, accountRestsMs: refreshMs, isOpen: intent !== null }
    return commit(first, released(run, options))
  }
  let step: Step = { state: first, continues: true }
  // The open call of an earlier attempt is settled first: nothing is sent a second time on a guess.
  if (intent !== null) step = await commit(first, await reconcileIntent(run, first, intent))
  const isUnfinished = () => step.continues && step.state.sent.length < plan.length
  if (isLate && isUnfinished()) {
    const reason = failure('too_late', `It was due ${describeDuration(lateMs)} ago: retry it if it is still wanted`)
    return commit(step.state, { event: 'late', reason })
  }
  while (isUnfinished()) {
    const { state, outcome } = await sendNext(run, step.state)
    step = await commit(state, outcome)
  }
  return step
}

const NEXT_TERMS = { leaseMs: LEASE_MS, marginMs: LEASE_MARGIN_MS, state: CLAIMED }

/** Decides the next state and commits it. */
async function settle(run: Run, state: State, outcome: Outcome, mayGoOn: () => boolean): Promise<Step> {
  const { deps, delivery } = run
  const { db, clock, uptimeMs, log, journal } = deps
  const act = state.sent.length + 1
  const decision = decide(progressOf(run, state), outcome)
  const isOver = decision.state !== 'queued' && decision.state !== 'publishing'
  // The outcome is logged before it is stored: it stays true if the database is lost now.
  if (decision.outcome !== null || isOver) journal.settled(delivery, act, state.attempt, decision)
  const settlement: Settlement = {
    ...decision,
    act,
    lostMsAgo: lostMsAgo(run, outcome),
    startedMsAgo: uptimeMs() - state.startedAt,
  }
  const isLast = outcome.event === 'sent' && isOver
  let settledAt = 0
  const settled = await untilStored(deps, () => {
    settledAt = uptimeMs()
    const now = clock()
    const terms = isLast && mayGoOn() ? { ...NEXT_TERMS, now } : undefined
    return settleAct(db, { ...delivery, now }, settlement, terms)
  })
  if (!settled) {
    // At least the log keeps what is known.
    if (decision.sent) log.warn({ ...factsOf(delivery), sent: decision.sent }, 'sent, but taken over meanwhile')
    throw new LeaseLost()
  }
  report(run, outcome.event, settlement, settled)
  if ('reason' in outcome) await restShared(deps, delivery, outcome.reason)
  return {
    state: after(state, decision, settled),
    continues: decision.state === 'publishing',
    next: settled.next && { delivery: settled.next, claimedAt: settledAt },
  }
}

/** Milliseconds since the last known call of the delivery that lost its response ended; null if none has. */
function lostMsAgo({ deps, delivery, claimedAt }: Run, outcome: Outcome): number | null {
  if (outcome.event === 'unknown' && outcome.isNewCall) return 0
  const { intent, waitedMs, lostForMs } = delivery
  // The network has responded to a call that it processes.
  return intent === null || waitedMs !== null || lostForMs === null ? null : lostForMs + deps.uptimeMs() - claimedAt
}

/** The progress if this worker continues: then no call is open, and the delivery does not wait. */
const after = (state: State, decision: Decision, { attempts }: StoredSettlement): State => ({
  sent: decision.sent ? [...state.sent, decision.sent] : state.sent,
  attempt: attempts + 1,
  failures: decision.failures,
  error: decision.error,
  prepared: decision.prepared,
  waitedMs: null,
  startedAt: state.startedAt,
})

const progressOf = (run: Run, state: State) => ({
  left: run.plan.slice(state.sent.length).map(({ kind }) => kind),
  nextPauseMs: run.plan[state.sent.length + 1]?.pauseMs ?? 0,
  sentBefore: state.sent.length,
  leftOut: state.sent.find(({ error }) => error !== undefined)?.error ?? null,
  failures: state.failures,
  error: state.error,
  prepared: state.prepared,
  waitedMs: state.waitedMs,
  canReconcile: canQuery(run.adapter, currentAct(run, state), run.credentials),
  callInFlightMs: callInFlightMs(run.adapter),
})

function report(
  { deps, delivery, claimedAt }: Run,
  event: Outcome['event'],
  settlement: Settlement,
  { attempts }: StoredSettlement,
): void {
  const { state, outcome, act, error, startedMsAgo } = settlement
  deps.report({
    ...factsOf(delivery),
    event,
    state,
    outcome,
    act,
    attempt: attempts,
    errorCode: event === 'sent' ? null : (error?.code ?? null),
    latenessMs: delivery.lateMs + deps.uptimeMs() - claimedAt,
    durationMs: startedMsAgo,
    nextAttemptInMs: state === 'queued' ? settlement.retryInMs : null,
  })
}
