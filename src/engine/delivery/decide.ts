import type { PreparedAct, SentAct } from '../../../db/queries/delivery/delivery.ts'
import type { Decision } from '../../../db/queries/delivery/settlement.ts'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { Act } from '../../platforms/contract/adapter.ts'
import { impossible } from '../../platforms/contract/publish-error.ts'
import { accountRestMs, backoffMs, type Failure, failure, isOfApp } from './failures.ts'
import { FAILURES_MAX, NETWORK_WAIT_MAX_MS, NETWORK_WAIT_MIN_MS } from './timing.ts'
import type { To, WorkerEvent } from './transitions.ts'

/** The facts of a delivery that its next state depends on. */
export interface Progress {
  /** Kinds of the acts that are not sent yet, in order. */
  left: readonly Act['kind'][]
  /** The pause after the current act, before the next one. */
  nextPauseMs: number
  /** Number of acts sent. */
  sentBefore: number
  /** Why an act was left out; null if none was. */
  leftOut: DeliveryError | null
  failures: number
  error: DeliveryError | null
  /** The stored state of the current act. */
  prepared: PreparedAct | null
  /** How long the delivery has waited for its network; null if it does not wait. */
  waitedMs: number | null
  /** Whether the network can be queried about lost calls. */
  canReconcile: boolean
  /** How long a lost call may still be on its way. The network is not queried before. */
  callInFlightMs: number
}

/** The facts of each event. */
interface Facts {
  sent: { act: SentAct; how: 'published' | 'found' }
  /** `wasIntended`: an intent may have been committed, which makes the post `published`. */
  failed: { reason: Failure; wasIntended: boolean }
  /** `isNewCall`: the network was not queried about the call yet. */
  unknown: { reason: Failure; isNewCall: boolean }
  absent: object
  /** `words`: the reason that the network gives. */
  rejected: { words: string }
  later: { prepared: PreparedAct; afterMs: number }
  processing: { prepared: PreparedAct; afterMs: number }
  late: { reason: Failure }
  released: { retryInMs: number; accountRestsMs: number; isOpen: boolean }
}

/** An event of an act, or of the whole delivery, while a worker holds it. */
export type Outcome<Event extends WorkerEvent = WorkerEvent> = {
  [Each in Event]: { event: Each } & Facts[Each]
}[Event]

/** A decision for one of these states. */
type For<State extends Decision['state']> = Extract<Decision, { state: State }>

/** Decides by event. The compiler refuses a state that the table does not have for the event. */
const DECIDERS: {
  [Event in WorkerEvent]: (context: Context, outcome: Outcome<Event>) => For<To<Event>>
} = {
  sent: ({ progress, unchanged }, { act, how }) => {
    const now = { ...unchanged, sent: act, failures: 0, error: progress.leftOut, prepared: null, outcome: how }
    if (progress.left.length === 1) return { ...now, state: 'published' }
    const retryInMs = progress.nextPauseMs
    return retryInMs > 0
      ? { ...now, state: 'queued', retryInMs, isOpen: false, isWaiting: false }
      : { ...now, state: 'publishing' }
  },
  failed: (context, { reason, wasIntended }) => afterFailure(context, reason, wasIntended),
  unknown: (context, { reason, isNewCall }) => {
    const { failures, canReconcile, waitedMs, callInFlightMs } = context.progress
    const now = { ...context.unchanged, ...failed(context, reason), outcome: 'unknown' as const }
    // The network is queried at least once for each call, however often the delivery has failed.
    const isQueried = reason.retryable && canReconcile && (isNewCall || failures + 1 < FAILURES_MAX)
    if (!isQueried) return { ...now, state: 'unconfirmed' }
    const retryInMs = Math.max(callInFlightMs, backoffMs(failures + 1, reason, context.random))
    return { ...now, state: 'queued', retryInMs, isOpen: true, isWaiting: waitedMs !== null }
  },
  absent: (context) => {
    const { failures, error, waitedMs } = context.progress
    // A lost response has been counted. An act that the network accepted and lost has not.
    const known = waitedMs === null ? { failures, error } : { failures: failures + 1, error: errorOf(LOST) }
    const now = { ...context.unchanged, ...known, mayUnpublish: true, outcome: 'absent' as const }
    return known.failures < FAILURES_MAX ? { ...now, state: 'publishing' } : giveUp(context, now)
  },
  rejected: (context, { words }) => {
    const now = { ...context.unchanged, ...failed(context, impossible(words)), outcome: 'failed' as const }
    return giveUp(context, { ...now, prepared: null, mayUnpublish: true })
  },
  later: (context, wait) => {
    if (hasWaitedTooLong(context)) return afterFailure(context, TOO_SLOW, false)
    return { ...context.unchanged, ...waitOn(context, wait), state: 'queued', isOpen: false }
  },
  processing: (context, wait) => {
    const { canReconcile } = context.progress
    if (canReconcile && !hasWaitedTooLong(context)) {
      return { ...context.unchanged, ...waitOn(context, wait), state: 'queued', isOpen: true }
    }
    const reason = canReconcile ? TOO_SLOW : UNQUERIABLE
    return { ...context.unchanged, ...failed(context, reason), state: 'unconfirmed', outcome: 'unknown' }
  },
  late: ({ progress, unchanged }, { reason }) => {
    const now = { ...unchanged, error: errorOf(reason) }
    return progress.left[0] === 'post'
      ? { ...now, state: 'missed', mayUnpublish: true }
      : { ...now, state: 'published' }
  },
  released: ({ progress, unchanged }, { retryInMs, accountRestsMs, isOpen }) => ({
    ...unchanged,
    state: 'queued',
    retryInMs,
    accountRestsMs,
    isOpen,
    isWaiting: progress.waitedMs !== null,
  }),
}

interface Context {
  progress: Progress
  /** The columns to store unless the event changes them. */
  unchanged: Unchanged
  random: () => number
}

type Unchanged = Omit<For<'published'>, 'state'>

/** The next state of a delivery that a worker holds, and what is stored with it. */
export function decide<Event extends WorkerEvent>(
  progress: Progress,
  outcome: Outcome<Event>,
  random: () => number = Math.random,
): For<To<Event>> {
  const { sentBefore, failures, error, prepared } = progress
  const unchanged: Unchanged = {
    sent: null,
    sentBefore,
    mayUnpublish: false,
    failures,
    error,
    outcome: null,
    prepared,
    accountRestsMs: 0,
    attention: null,
  }
  return DECIDERS[outcome.event]({ progress, unchanged, random }, outcome)
}

function afterFailure(
  context: Context,
  reason: Failure,
  wasIntended: boolean,
): For<'queued' | 'failed' | 'published' | 'publishing'> {
  const { progress, unchanged, random } = context
  const now = { ...unchanged, ...failed(context, reason), outcome: 'failed' as const, mayUnpublish: wasIntended }
  // A retry by the owner starts with new preparations.
  if (!reason.retryable || now.failures >= FAILURES_MAX) return giveUp(context, { ...now, prepared: null })
  return {
    ...now,
    state: 'queued',
    prepared: reason.discardsPrepared ? null : progress.prepared,
    retryInMs: backoffMs(now.failures, reason, random),
    isOpen: false,
    isWaiting: progress.waitedMs !== null,
  }
}

/** An act has failed for good. The acts after it follow, unless it is the post or its credentials were refused. */
function giveUp({ progress }: Context, now: Unchanged): For<'failed' | 'published' | 'publishing'> {
  const { left } = progress
  if (left[0] === 'post') return { ...now, state: 'failed', mayUnpublish: true }
  const { error } = now
  // The post is out, so a delivery without its first comment, thumbnail or playlist is published.
  if (left.length <= 1 || !error || error.code === 'unauthorized') return { ...now, state: 'published' }
  return { ...now, state: 'publishing', sent: { id: null, url: null, error }, failures: 0, prepared: null }
}

/**
 * Ends the failures in a row since the wait began. Earlier failures stay: a network that makes the delivery wait before
 * each call that fails would otherwise be called for ever.
 */
function waitOn({ progress }: Context, { prepared: next, afterMs }: { prepared: PreparedAct; afterMs: number }) {
  const { failures, prepared, waitedMs } = progress
  const before = waitedMs === null ? failures : Math.min(prepared?.failuresBefore ?? failures, failures)
  return {
    prepared: { ...next, failuresBefore: before },
    failures: before,
    isWaiting: true,
    // An adapter may pass on any number that a network sent.
    retryInMs: Math.min(Math.max(afterMs || 0, NETWORK_WAIT_MIN_MS), NETWORK_WAIT_MAX_MS),
  }
}

const hasWaitedTooLong = ({ progress }: Context) => (progress.waitedMs ?? 0) > NETWORK_WAIT_MAX_MS

function failed({ progress }: Context, reason: Failure) {
  const { code, message, needsAttention } = reason
  return {
    failures: progress.failures + (isOfApp(reason) ? 0 : 1),
    error: errorOf(reason),
    accountRestsMs: accountRestMs(reason),
    attention: needsAttention ? { code, message } : null,
  }
}

const errorOf = ({ code, message, retryable }: Failure): DeliveryError => ({ code, message, retryable })

const TOO_SLOW = failure('timeout', 'The network did not finish within 24 hours')
const LOST = failure('server_error', 'The network accepted the act, and lost it', { retryable: true })
const UNQUERIABLE = failure('unknown_outcome', 'The network accepted the act, and cannot be queried for its result')
