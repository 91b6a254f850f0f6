import type { SandboxFault } from '../../../../schemas/sandbox.ts'
import { actsOf, type Call, type Delivery, type Post } from './state.ts'

/** Time that the sandbox takes to process a file with the fault `slow_media`. */
const PROCESSING_MS = 5_000
const BACKOFF_MAX_MS = 3_600_000
const FAILURES_MAX = 8

interface Failure {
  code: string
  retryable?: boolean
  restMs?: number
  needsAttention?: boolean
}

/** How the sandbox and the service behave at each fault but `slow_media`, which delays the preparation of files. */
const FAULTS: Record<Exclude<SandboxFault, 'slow_media'>, Failure & { maybeSent: boolean; accepted: boolean }> = {
  rate_limited: { code: 'rate_limited', retryable: true, restMs: 5_000, maybeSent: false, accepted: false },
  server_error: { code: 'server_error', retryable: true, maybeSent: true, accepted: false },
  server_error_after: { code: 'server_error', retryable: true, maybeSent: true, accepted: true },
  timeout_after: { code: 'timeout', retryable: true, maybeSent: true, accepted: true },
  unknown: { code: 'timeout', retryable: true, maybeSent: true, accepted: true },
  expired_token: { code: 'unauthorized', needsAttention: true, maybeSent: false, accepted: false },
  content_refused: { code: 'content_refused', maybeSent: false, accepted: false },
}

interface Claim {
  post: Post
  delivery: Delivery
  nowMs: number
  /** Whether the post's owner can still use the account. */
  hasAccess: boolean
  /** Receives every call to the sandbox. */
  calls: Call[]
}

/** Carries out a claimed delivery: finds out about an open act, then publishes acts until one fails. */
export function deliver(claim: Claim): void {
  const { post, delivery, hasAccess } = claim
  const transitions = transitionsOf(claim)
  if (!hasAccess) {
    if (delivery.intent === null) transitions.fail({ code: 'no_access' })
    else transitions.leaveOpen({ code: 'no_access' })
    return
  }
  if (delivery.intent !== null && !reconcile(claim, transitions)) return
  for (let act = delivery.sent.length; act < actsOf(post, delivery).length; act++) {
    if (!publishAct(claim, transitions, act)) return
  }
}

type Transitions = ReturnType<typeof transitionsOf>

function transitionsOf({ post, delivery, nowMs }: Claim) {
  const { account, sent, history } = delivery
  const acts = actsOf(post, delivery)
  const retryAtMs = nowMs + BACKOFF_MAX_MS

  const settle = (state: Delivery['state'], claimableAtMs: number | null, restMs = 0) => {
    Object.assign(delivery, { state, claimableAtMs })
    account.restsUntilMs = nowMs + restMs
  }
  /** The state without further attempts: a post whose comment failed is published. */
  const settleUnsent = (restMs = 0) =>
    settle(acts[sent.length]!.kind === 'comment' ? 'published' : 'failed', null, restMs)
  const record = (outcome: string, error: string | null) => {
    const attempt = history.at(-1)!
    // A later result of reconciling keeps the error with which the attempt ended.
    if (attempt.outcome === null) attempt.error = error
    attempt.outcome = outcome
  }

  return {
    /** The call was certainly not carried out. */
    fail({ code, retryable = false, restMs = 0, needsAttention = false }: Failure) {
      delivery.failures++
      delivery.error = code
      if (needsAttention) account.attention = code
      if (delivery.intent === null) beginAttempt(delivery)
      record('failed', code)
      delivery.intent = null
      if (!retryable || delivery.failures >= FAILURES_MAX) {
        delivery.isPrepared = false
        settleUnsent(restMs)
        return
      }
      // The network's own wait counts for the first failure, the backoff for later ones.
      const isFirstWait = restMs > 0 && delivery.failures === 1
      settle('queued', isFirstWait ? nowMs + restMs : retryAtMs, restMs)
    },
    /** The call may have been carried out. */
    leaveOpen({ code, retryable = false }: Failure, isNewCall = false) {
      delivery.failures++
      delivery.error = code
      record('unknown', code)
      const isRetried = retryable && (isNewCall || delivery.failures < FAILURES_MAX)
      settle(isRetried ? 'queued' : 'unconfirmed', isRetried ? retryAtMs : null)
    },
    succeed(outcome: 'published' | 'found') {
      sent.push({ hasId: true })
      Object.assign(delivery, { failures: 0, error: null, intent: null, isPrepared: false })
      account.attention = null
      record(outcome, null)
      if (sent.length === acts.length) settle('published', null)
    },
    /** The sandbox is processing files. The delivery is claimed again when it has finished. */
    waitForNetwork(ms: number) {
      delivery.isPrepared = true
      settle('queued', nowMs + ms)
    },
    /** Reconciling found that the call was not carried out. Returns whether the act is sent again. */
    resume(): boolean {
      record('absent', null)
      delivery.intent = null
      if (delivery.failures < FAILURES_MAX) return true
      settleUnsent()
      return false
    },
  }
}

function beginAttempt(delivery: Delivery): void {
  const act = delivery.sent.length + 1
  delivery.history.push({ number: ++delivery.attempts, act, outcome: null, error: null })
}

/** Finds out whether the open act was carried out. Returns whether the delivery goes on. */
function reconcile({ delivery }: Claim, { leaveOpen, succeed, resume }: Transitions): boolean {
  const found = delivery.accepted.get(delivery.intent!)
  if (found === 'unknown') {
    leaveOpen({ code: 'unknown_outcome' })
    return false
  }
  if (found === undefined) return resume()
  succeed('found')
  return true
}

/** Publishes one act. Returns whether it succeeded. */
function publishAct({ post, delivery, calls, nowMs }: Claim, transitions: Transitions, index: number): boolean {
  const { account, sent } = delivery
  const { kind, text } = actsOf(post, delivery)[index]!
  const act = index + 1
  if ([sent[0], sent.at(-1)].some((each) => each?.hasId === false)) {
    transitions.fail({ code: 'parent_unknown' })
    return false
  }
  const { fault, faultTimes = 1, faultAct = 1 } = delivery.fields ?? {}
  // Files belong to the first act.
  const slowFiles = fault === 'slow_media' && act === faultAct && act === 1 ? post.mediaIds.length : 0
  if (slowFiles > 0 && !delivery.isPrepared) {
    transitions.waitForNetwork(slowFiles * PROCESSING_MS)
    return false
  }
  beginAttempt(delivery)
  delivery.intent = act
  delivery.intendedAtMs = nowMs
  const hasFault = fault && act === faultAct && (fault === 'slow_media' || delivery.faults < faultTimes)
  const failure = hasFault && fault !== 'slow_media' ? FAULTS[fault] : undefined
  if (hasFault) delivery.faults++
  const accepted = failure?.accepted ?? true
  const call = { account, accepted, fault: hasFault ? fault : null, kind, text }
  calls.push(call)
  if (accepted) delivery.accepted.set(act, call.fault)
  if (!failure) {
    transitions.succeed('published')
    return true
  }
  if (failure.maybeSent) transitions.leaveOpen(failure, true)
  else transitions.fail(failure)
  return false
}
