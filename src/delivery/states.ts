import type { PreparedAct, SentAct } from '../../db/queries/delivery/delivery.ts'
import type { Settlement } from '../../db/queries/delivery/settlement.ts'
import { CANCELLED, type DeliveryError, type DeliveryState, MEDIA_DELETED } from '../../schemas/delivery.ts'
import type { Act } from '../platforms/contract/adapter.ts'
import { impossible } from '../platforms/contract/publish-error.ts'
import { backoffMs, type Failure, failure, restMs } from './failures.ts'
import { FAILURES_MAX, NETWORK_WAIT_MAX_MS, NETWORK_WAIT_MIN_MS } from './timing.ts'

type ActKind = Act['kind']

const ALL = ['waiting', 'queued', 'publishing', 'published', 'failed', 'unconfirmed', 'missed'] as const

/**
 * Every way in which the state of a delivery changes, by event: from which states it may happen, and to which it leads. A
 * test compares the table with the functions below. No other file decides a state; the statements in db/queries store what
 * comes from here. src/delivery/README.md explains the states and events.
 */
export const TRANSITIONS = {
  saveDraft: { by: 'owner', from: [], to: ['waiting'] },
  schedule: { by: 'owner', from: [], to: ['queued'] },
  edit: { by: 'owner', from: ['waiting', 'queued', 'failed', 'missed'], to: ['queued', 'waiting'] },
  publishNow: { by: 'owner', from: ['waiting', 'queued', 'failed', 'missed'], to: ['queued'] },
  retry: { by: 'owner', from: ['queued', 'published', 'failed', 'unconfirmed', 'missed'], to: ['queued'] },
  resolve: { by: 'owner', from: ['unconfirmed'], to: ['published', 'failed'] },
  cancel: { by: 'owner', from: ['queued'], to: ['failed', 'unconfirmed', 'published'] },
  markDelivery: { by: 'owner', from: ['queued', 'published', 'failed', 'unconfirmed', 'missed'], to: ['published'] },
  deleteMedia: { by: 'owner', from: ['failed', 'missed'], to: ['failed'] },
  markPublished: { by: 'operator', from: ALL, to: ['published'] },
  hold: { by: 'operator', from: ['queued'], to: ['missed'] },
  endHold: { by: 'operator', from: ['missed'], to: ['queued'] },
  restore: { by: 'operator', from: ALL, to: ['queued', 'published', 'failed', 'unconfirmed', 'missed'] },
  claim: { by: 'worker', from: ['queued', 'publishing'], to: ['publishing'] },
  sent: { by: 'worker', from: ['publishing'], to: ['publishing', 'published'] },
  failed: { by: 'worker', from: ['publishing'], to: ['queued', 'failed', 'published', 'publishing'] },
  unknown: { by: 'worker', from: ['publishing'], to: ['queued', 'unconfirmed'] },
  absent: { by: 'worker', from: ['publishing'], to: ['publishing', 'failed', 'published'] },
  rejected: { by: 'worker', from: ['publishing'], to: ['failed', 'published', 'publishing'] },
  later: { by: 'worker', from: ['publishing'], to: ['queued', 'failed', 'published', 'publishing'] },
  processing: { by: 'worker', from: ['publishing'], to: ['queued', 'unconfirmed'] },
  late: { by: 'worker', from: ['publishing'], to: ['missed', 'published'] },
  released: { by: 'worker', from: ['publishing'], to: ['queued'] },
} as const satisfies Record<
  string,
  { by: 'owner' | 'operator' | 'worker'; from: readonly DeliveryState[]; to: readonly DeliveryState[] }
>

export type DeliveryEvent = keyof typeof TRANSITIONS

/** The first state that an event leads to, for events that lead to one. */
const target = <E extends DeliveryEvent>(event: E): (typeof TRANSITIONS)[E]['to'][0] => TRANSITIONS[event].to[0]

/** The state of a new delivery. */
export const initialState = (isScheduled: boolean): DeliveryState => target(isScheduled ? 'schedule' : 'saveDraft')

/** Whether the owner has cancelled a delivery of which nothing is out. Changing or publishing its post does not revive it. */
export const isCancelled = ({ state, error }: { state: DeliveryState; error: Pick<DeliveryError, 'code'> | null }) =>
  state === 'failed' && error?.code === CANCELLED

/**
 * The state of a delivery of an unpublished post whose content or time was changed; null if it stays as it is. A
 * delivery that its owner has cancelled restarts only in a draft, which sends nothing by itself.
 */
export function edited(
  delivery: { state: DeliveryState; error: DeliveryError | null },
  isScheduled: boolean,
): DeliveryState | null {
  const { from, to } = TRANSITIONS.edit
  const staysCancelled = isScheduled && isCancelled(delivery)
  return staysCancelled || !(from as readonly DeliveryState[]).includes(delivery.state) ? null : to[isScheduled ? 0 : 1]
}

/** The state of a claimed delivery. */
export const CLAIMED = target('claim')

export const PUBLISH_NOW = { from: [...TRANSITIONS.publishNow.from], to: target('publishNow') }

export const DELETE_MEDIA = { from: [...TRANSITIONS.deleteMedia.from], to: target('deleteMedia') }

export const MARKED_PUBLISHED = target('markPublished')

export const HOLD = { from: [...TRANSITIONS.hold.from], to: target('hold') }

export const END_HOLD = { from: [...TRANSITIONS.endHold.from], to: target('endHold') }

/**
 * The state of a delivery after its database was restored. `isOpen`: the call of an act may have been carried out.
 * `last`: the last state that the journal has; null if the delivery was due and the journal has no call for it.
 */
export function restored(isOpen: boolean, last: DeliveryState | null, canReconcile: boolean): RestoredState {
  if (isOpen) return canReconcile ? 'queued' : 'unconfirmed'
  if (last === null) return 'missed'
  return last === 'publishing' || last === 'waiting' ? 'queued' : last
}

export type RestoredState = (typeof TRANSITIONS)['restore']['to'][number]

/** The reason why a delivery cannot be retried. */
type RetryObstacle = 'draft' | 'notDue' | 'publishing' | 'published' | 'mediaDeleted' | 'unconfirmed'

/** The state after a retry, or the reason that forbids it. */
export function retried(
  { state, error, isEarly }: { state: DeliveryState; error: DeliveryError | null; isEarly: boolean },
  canReconcile: boolean,
): { state: DeliveryState } | { obstacle: RetryObstacle } {
  if (state === 'waiting') return { obstacle: 'draft' }
  if (state === 'queued' && isEarly) return { obstacle: 'notDue' }
  if (state === 'publishing') return { obstacle: 'publishing' }
  if (state === 'published' && error === null) return { obstacle: 'published' }
  if (error?.code === MEDIA_DELETED) return { obstacle: 'mediaDeleted' }
  if (state === 'unconfirmed' && !canReconcile) return { obstacle: 'unconfirmed' }
  return { state: target('retry') }
}

/** The state after its owner resolved an unconfirmed delivery. `missing` is the part that is still not out, if any. */
export const resolved = (missing: ActKind | undefined): DeliveryState => (missing === 'post' ? 'failed' : 'published')

/**
 * The state of a queued delivery after its owner cancelled it. `next` is the act that would have been sent. A call
 * whose outcome is unknown stays unknown: the owner resolves it, or retries it, which queries the network.
 */
export function cancelled(next: ActKind | undefined, mayBeSent: boolean): DeliveryState {
  if (mayBeSent) return 'unconfirmed'
  return next === undefined || next === 'post' ? 'failed' : 'published'
}

/** The reason why a delivery cannot be marked as published. */
type MarkObstacle = 'draft' | 'publishing' | 'published'

/** The state of a delivery whose owner has published the missing part, or the reason that forbids it. */
export function marked({
  state,
  error,
}: {
  state: DeliveryState
  error: DeliveryError | null
}): { state: DeliveryState } | { obstacle: MarkObstacle } {
  if (state === 'waiting') return { obstacle: 'draft' }
  if (state === 'publishing') return { obstacle: 'publishing' }
  if (state === 'published' && error === null) return { obstacle: 'published' }
  return { state: target('markDelivery') }
}

/** The facts on which the next state depends. */
export interface Progress {
  /** Kinds of the acts that are not sent yet, in order. */
  left: readonly ActKind[]
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
  /** How long a lost call may still be on its way, during which the network is not queried. */
  callInFlightMs: number
}

/** The outcome of an act, or of the whole delivery, while a worker held it. */
export type Outcome =
  | { event: 'sent'; act: SentAct; how: 'published' | 'found' }
  /** Certainly not sent. `wasIntended`: an intent may have been committed, which makes the post `published`. */
  | { event: 'failed'; reason: Failure; wasIntended: boolean }
  /** The call was made, and its outcome is unknown. `isNewCall`: the network was not queried about it yet. */
  | { event: 'unknown'; reason: Failure; isNewCall: boolean }
  /** The network says that the act is not there. */
  | { event: 'absent' }
  /** The network has refused the act after all. */
  | { event: 'rejected'; words: string }
  /** The network needs time before the act can be published. */
  | { event: 'later'; prepared: PreparedAct; afterMs: number }
  /** The network has accepted the act, and is still working on it. */
  | { event: 'processing'; prepared: PreparedAct; afterMs: number }
  /** The delivery has been due for too long. */
  | { event: 'late'; reason: Failure }
  /** Given back without a call. */
  | { event: 'released'; retryInMs: number; accountRestsMs: number; mayBeSent: boolean }

/** The columns of a settlement, except those that only the caller knows: the act, and its duration. */
export type Decision = Omit<Settlement, 'act' | 'startedMsAgo'>

type Next = Pick<Decision, 'state'> & Partial<Decision>

/** The next state of a delivery that a worker holds, and what is stored with it. */
export function decide(progress: Progress, outcome: Outcome, random: () => number = Math.random): Decision {
  const { left, sentBefore, leftOut, failures, error, prepared, canReconcile } = progress
  const unchanged: Omit<Decision, 'state'> = {
    keepsLease: false,
    sent: [],
    sentBefore,
    mayBeSent: false,
    mayUnpublish: false,
    failures,
    error,
    outcome: null,
    prepared,
    isWaiting: false,
    retryInMs: null,
    accountRestsMs: 0,
    attention: null,
  }
  // A post whose first comment, thumbnail or playlist is missing is out all the same.
  const givenUp = left[0] === 'post' ? 'failed' : 'published'

  switch (outcome.event) {
    case 'sent': {
      const isLast = left.length === 1
      const next = { keepsLease: !isLast, sent: [outcome.act], failures: 0, error: leftOut, prepared: null }
      return { ...unchanged, ...next, outcome: outcome.how, state: isLast ? 'published' : 'publishing' }
    }
    case 'failed':
      return afterFailure(outcome.reason, outcome.wasIntended)
    case 'unknown': {
      const { reason, isNewCall } = outcome
      // The network is queried at least once for each call, however often the delivery has failed.
      const isQueried = reason.retryable && canReconcile && (isNewCall || failures + 1 < FAILURES_MAX)
      return {
        ...unchanged,
        ...failed(reason),
        state: isQueried ? 'queued' : 'unconfirmed',
        mayBeSent: true,
        isWaiting: isQueried && progress.waitedMs !== null,
        outcome: 'unknown',
        retryInMs: isQueried ? Math.max(progress.callInFlightMs, backoffMs(failures + 1, reason, random)) : null,
      }
    }
    case 'absent': {
      const isLost = progress.waitedMs !== null
      // A lost response has been counted.
      const known = isLost ? { failures: failures + 1, error: errorOf(lostByNetwork) } : { failures, error }
      const next: Next = known.failures < FAILURES_MAX ? { state: 'publishing', keepsLease: true } : giveUp(known.error)
      return { ...unchanged, ...known, mayUnpublish: true, outcome: 'absent', ...next }
    }
    case 'rejected':
      return { ...afterFailure(impossible(outcome.words), true), mayUnpublish: true }
    case 'later':
      if ((progress.waitedMs ?? 0) > NETWORK_WAIT_MAX_MS) return afterFailure(waitedTooLong, false)
      return { ...unchanged, ...waitOn(outcome), state: 'queued' }
    case 'processing':
      if ((progress.waitedMs ?? 0) > NETWORK_WAIT_MAX_MS || !canReconcile) {
        const reason = canReconcile ? waitedTooLong : resultUnknown
        return { ...unchanged, ...failed(reason), state: 'unconfirmed', mayBeSent: true, outcome: 'unknown' }
      }
      return { ...unchanged, ...waitOn(outcome), state: 'queued', mayBeSent: true }
    case 'late': {
      const state = givenUp === 'published' ? 'published' : 'missed'
      return { ...unchanged, state, mayUnpublish: state === 'missed', error: errorOf(outcome.reason) }
    }
    case 'released': {
      const { retryInMs, accountRestsMs, mayBeSent } = outcome
      return {
        ...unchanged,
        state: 'queued',
        retryInMs,
        accountRestsMs,
        mayBeSent,
        isWaiting: progress.waitedMs !== null,
      }
    }
  }

  function afterFailure(reason: Failure, wasIntended: boolean): Decision {
    const isRetried = reason.retryable && failures + 1 < FAILURES_MAX
    const next: Next = isRetried ? { state: 'queued' } : giveUp(errorOf(reason))
    return {
      ...unchanged,
      ...failed(reason),
      outcome: 'failed',
      // A retry by the owner starts with new preparations.
      prepared: isRetried && !reason.discardsPrepared ? prepared : null,
      isWaiting: isRetried && progress.waitedMs !== null,
      retryInMs: isRetried ? backoffMs(failures + 1, reason, random) : null,
      mayUnpublish: wasIntended || next.state === 'failed',
      ...next,
    }
  }

  /** An act has failed for good. Those after it follow, unless it is a post, or refused credentials. */
  function giveUp(reason: DeliveryError | null): Next {
    const isLeftOut = left[0] !== 'post' && left.length > 1 && reason && reason.code !== 'unauthorized'
    if (!isLeftOut) return { state: givenUp }
    const sent = [{ id: null, url: null, error: reason }]
    return { state: 'publishing', keepsLease: true, sent, failures: 0, prepared: null }
  }

  /**
   * Ends the failures in a row since the wait began. Those before it stay: otherwise a network that makes the delivery wait
   * before each call that fails would be called for ever.
   */
  function waitOn({ prepared: next, afterMs }: { prepared: PreparedAct; afterMs: number }) {
    const before = progress.waitedMs === null ? failures : Math.min(prepared?.failuresBefore ?? failures, failures)
    return {
      prepared: { ...next, failuresBefore: before },
      failures: before,
      isWaiting: true,
      // An adapter may pass on any number that a network sent.
      retryInMs: Math.min(Math.max(afterMs || 0, NETWORK_WAIT_MIN_MS), NETWORK_WAIT_MAX_MS),
    }
  }

  function failed(reason: Failure) {
    const { code, message, retryAfterMs = 0, needsAttention } = reason
    return {
      failures: failures + 1,
      error: errorOf(reason),
      accountRestsMs: code === 'rate_limited' ? restMs(retryAfterMs) : 0,
      attention: needsAttention ? { code, message } : null,
    }
  }
}

const errorOf = ({ code, message, retryable }: Failure): DeliveryError => ({ code, message, retryable })

const waitedTooLong = failure('timeout', 'The network did not finish within 24 hours')

const lostByNetwork = failure('server_error', 'The network accepted the act, and lost it', { retryable: true })

const resultUnknown = failure('unknown_outcome', 'The network accepted the act, and cannot be queried for its result')
