import type { Db } from '../../db/client.ts'
import type { Now } from '../../db/queries/clock.ts'
import type { ClaimedDelivery } from '../../db/queries/delivery/claim.ts'
import {
  CALL_LEASE_MS,
  intendAct,
  isSentByAnother,
  readRest,
  type SentAct,
  type Settlement,
  settleAct,
  settleAsNotOut,
} from '../../db/queries/delivery/settle.ts'
import { type Act, type Credentials, PublishError, type Sent, storable } from '../platforms/adapter.ts'
import type { Networks } from '../platforms/adapters.ts'
import { platforms } from '../platforms/catalogue.ts'
import type { RateLimit } from '../platforms/limits.ts'
import type { Storage } from '../storage/storage.ts'
import { buildAct } from './act.ts'
import { backoffMs, FAILURES_MAX, type Failure, failure, restMs } from './failures.ts'
import { type PlannedAct, planActs } from './plan.ts'

export interface Deps {
  db: Db
  networks: Networks
  storage: Pick<Storage, 'read'>
  /** Opens sealed credentials. Throws where they were sealed with a key that is not there, or for another account. */
  openCredentials(accountId: string, sealed: { keyId: string; dataKey: Buffer; data: Buffer }): Credentials
  fetch: typeof fetch
  /** A delivery that is due for longer is missed. */
  latenessMaxMs: number
  clock: () => Now
  /** Milliseconds by a clock that nobody sets, from any beginning. */
  uptimeMs: () => number
  /** Waits so many milliseconds. */
  pause(ms: number): Promise<unknown>
  log: Log
}

export interface Log {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/** A worker stops so long before its lease ends, to have stopped when somebody else may begin. */
export const LEASE_MARGIN_MS = 5_000

/** How long an act may take: without files, a call or two; with files, uploads and what the network makes of them. */
const ACT_MAX_MS = 60_000
const ACT_WITH_FILES_MAX_MS = 600_000

/** How long a call that was given up may still be on its way into a network. */
const SETTLES_WITHIN_MS = 30_000

/** How long before a delivery began the calls of others are looked at: more than clocks differ. */
const ASKED_BACK_MS = 3_600_000

/** How long a network's own code may take to end after it was told to. */
const ENDS_WITHIN_MS = 1_000

/** Somebody else has taken over: nothing may be sent or written any more. */
export class LeaseLost extends Error {}

/** The worker stops: what has not been sent is left to others, at once. */
export class Draining extends Error {}

export interface Lease {
  signal: AbortSignal
  /** Whether a call is on its way that people see. */
  isCalling: boolean
}

/**
 * Carries out a delivery that was claimed, act by act, and commits what came of each before the next one begins. Comes
 * back when it is over, or left to be tried again. The lease's signal ends it sooner, with a LeaseLost or Draining as its
 * reason. Throws a LeaseLost where somebody else has it by now, and what the database throws where an outcome could not be
 * committed: then whoever takes the delivery over finds the intent, and asks the network.
 */
export async function deliver(deps: Deps, delivery: ClaimedDelivery, lease: Lease): Promise<void> {
  const { db, clock, fetch, log } = deps
  const { signal } = lease
  const { postId, accountId } = delivery
  const plan = planActs(delivery)
  const sent: SentAct[] = [...delivery.sent]
  let { failures, error } = delivery
  let startedAt = deps.uptimeMs()
  /** Whether the intent of the act under way may have been committed. */
  let isIntending = false

  const network = deps.networks[delivery.platform]
  const credentials = network
    ? openCredentials(deps, delivery)
    : failure('not_supported', notSupported(delivery.platform))
  if (isFailure(credentials)) return delivery.intent === null ? settleFailure(credentials) : settleUnknown(credentials)
  const { send, reconcile } = network!

  // What an attempt before this one has left open is settled first: nothing is sent a second time on a guess.
  if (delivery.intent !== null && !(await settleIntent(delivery.intent))) return

  if (sent.length < plan.length && delivery.lateMs > deps.latenessMaxMs) {
    error = errorOf(failure('too_late', `It was due ${describe(delivery.lateMs)} ago: retry it if it is still wanted`))
    return settle({ state: isOut() ? 'published' : 'missed' })
  }
  while (sent.length < plan.length) if (!(await sendNext(plan[sent.length]!))) return

  /** Finds out what came of a call whose answer was lost. Gives false where the delivery cannot go on now. */
  async function settleIntent(number: number): Promise<boolean> {
    const act = build(plan[number - 1]!)
    if (isFailure(act) || !reconcile) {
      await settleUnknown(failure('interrupted', 'The call was made, and its answer was lost with the worker'))
      return false
    }
    // Who gave it back has left it alone for that long. Who was cut off may have made its call until its lease ended.
    const earlyMs = delivery.cutOffForMs === null ? 0 : pauseBeforeAsking() - delivery.cutOffForMs
    if (earlyMs > 0 || signal.aborted) {
      await leave(Math.max(earlyMs, 0), { mayBeOut: true })
      return false
    }
    let answer: Awaited<ReturnType<typeof reconcile>>
    try {
      answer = await withLimit(act, (signal) => reconcile(act, openedCredentials(), { fetch, signal }))
    } catch (thrown) {
      if (signal.aborted) await leave(0, { mayBeOut: true })
      else await settleUnknown(reasonOf(thrown))
      return false
    }
    if (answer === 'unknown') {
      await settleUnknown(
        failure('unknown_outcome', 'The answer was lost, and the network does not tell what came of it'),
      )
      return false
    }
    if (answer !== 'absent') {
      if (await isOfAnother(answer)) {
        await settleUnknown(
          failure('unknown_outcome', 'The answer was lost, and what is there was sent by another post'),
        )
        return false
      }
      await settleSent(answer, 'found')
      return true
    }
    const isTriedAgain = failures < FAILURES_MAX
    await settle({ state: isTriedAgain ? 'publishing' : isOut() ? 'published' : 'failed', outcome: 'absent' })
    return isTriedAgain
  }

  /** Who looks for a post by what it says may find another one that says the same. */
  async function isOfAnother({ id }: Sent): Promise<boolean> {
    const since = new Date(delivery.startedAt.getTime() - ASKED_BACK_MS)
    const [found] = await insist(deps, () => isSentByAnother(db, { postId, accountId, id, since }))
    return found!.isSent
  }

  /** Sends one act. Gives false where the delivery cannot go on now. */
  async function sendNext(planned: PlannedAct): Promise<boolean> {
    startedAt = deps.uptimeMs()
    const act = build(planned)
    if (isFailure(act)) {
      await settleFailure(act)
      return false
    }
    const pauseMs = await insist(deps, () => restOf(db, delivery, clock()))
    if (pauseMs > 0 || signal.aborted) {
      await leave(pauseMs, { accountRestsMs: pauseMs })
      return false
    }
    isIntending = false
    let isIntended = false
    const intend = async () => {
      signal.throwIfAborted()
      isIntending = true
      const beganAt = deps.uptimeMs()
      const intent = { ...delivery, act: planned.number, startedMsAgo: beganAt - startedAt, now: clock() }
      // Where no connection could be had, nothing is committed; of other errors, nobody knows.
      const isHeld = await insist(deps, () => intendAct(db, intent), isNotConnected)
      if (!isHeld) throw new LeaseLost()
      isIntended = true
      if (deps.uptimeMs() - beganAt > CALL_LEASE_MS - LEASE_MARGIN_MS) throw stoodStill()
      lease.isCalling = true
    }
    let result: SentAct
    try {
      result = await withLimit(act, (signal) => send(act, openedCredentials(), { fetch, signal, intend }))
    } catch (thrown) {
      if (thrown instanceof LeaseLost) throw thrown
      const reason = reasonOf(thrown)
      if (isIntended && reason.maybeSent) await settleUnknown(reason, { isAnotherCall: true })
      else if (signal.aborted && !isIntending) await leave(0)
      else await settleFailure(reason)
      return false
    } finally {
      lease.isCalling = false
    }
    await settleSent(result, 'published')
    return true
  }

  function settleSent(answer: SentAct, outcome: 'published' | 'found'): Promise<void> {
    const act = kept(answer)
    const state = sent.length + 1 === plan.length ? 'published' : 'publishing'
    failures = 0
    error = null
    const settled = settle({ state, sent: [act], outcome })
    sent.push(act)
    return settled
  }

  /** Nothing was sent. */
  function settleFailure(reason: Failure): Promise<void> {
    failures++
    error = errorOf(reason)
    const isTriedAgain = reason.retryable && failures < FAILURES_MAX
    return settle({
      state: isTriedAgain ? 'queued' : isOut() ? 'published' : 'failed',
      outcome: 'failed',
      retryInMs: isTriedAgain ? backoffMs(failures, reason) : null,
      accountRestsMs: accountRestMs(reason),
      attention: attentionOf(reason),
    })
  }

  /**
   * The call was made, and nothing says what came of it. Whoever has the delivery next asks the network, if it can be
   * asked: once for each call at least, however much has failed before.
   */
  function settleUnknown(reason: Failure, { isAnotherCall = false } = {}): Promise<void> {
    failures++
    error = errorOf(reason)
    const isAsked = reason.retryable && network?.reconcile !== undefined && (isAnotherCall || failures < FAILURES_MAX)
    return settle({
      state: isAsked ? 'queued' : 'unconfirmed',
      mayBeOut: true,
      outcome: 'unknown',
      retryInMs: isAsked ? Math.max(pauseBeforeAsking(), backoffMs(failures, reason)) : null,
      accountRestsMs: accountRestMs(reason),
      attention: attentionOf(reason),
    })
  }

  /** Leaves the delivery as it is, for later. */
  async function leave(retryInMs: number, rest: Partial<Settlement> = {}): Promise<void> {
    if (signal.reason instanceof LeaseLost) throw signal.reason
    await settle({ state: 'queued', retryInMs, ...rest })
  }

  async function settle(settlement: Partial<Settlement> & Pick<Settlement, 'state'>): Promise<void> {
    const whole: Settlement = {
      sent: [],
      sentBefore: sent.length,
      mayBeOut: false,
      failures,
      error,
      outcome: null,
      act: sent.length + 1,
      startedMsAgo: deps.uptimeMs() - startedAt,
      retryInMs: null,
      accountRestsMs: 0,
      attention: null,
      ...settlement,
    }
    const isNotOut =
      whole.state === 'failed' ||
      whole.state === 'missed' ||
      whole.outcome === 'absent' ||
      // Others may have left the post published for this call's sake.
      (whole.outcome === 'failed' && isIntending)
    const commit = isNotOut ? settleAsNotOut : settleAct
    const isHeld = await insist(deps, () => commit(db, { ...delivery, now: clock() }, whole))
    if (isHeld) return
    // What is known is not lost, at least.
    if (whole.sent.length > 0) log.warn({ postId, accountId, sent: whole.sent }, 'sent, but taken over meanwhile')
    throw new LeaseLost()
  }

  /**
   * Does `work` with a signal that ends it in time, and ends it in any case: code that does not heed its signal would hold
   * the account for ever. What it threw by itself, a moment later, says better what came of it.
   */
  async function withLimit<T>({ media }: Act, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const timeout = AbortSignal.timeout(media.length > 0 ? ACT_WITH_FILES_MAX_MS : ACT_MAX_MS)
    const limited = AbortSignal.any([signal, timeout])
    const stuck = Promise.withResolvers<never>()
    const end = () => setTimeout(() => stuck.reject(new Error('the code of a network does not end')), ENDS_WITHIN_MS)
    limited.addEventListener('abort', end, { once: true })
    try {
      return await Promise.race([work(limited), stuck.promise])
    } finally {
      limited.removeEventListener('abort', end)
    }
  }

  /** A post whose first comment alone is missing is out all the same. */
  function isOut(): boolean {
    return plan[sent.length]?.kind === 'comment'
  }

  function build(planned: PlannedAct) {
    return buildAct(delivery, planned, sent, (key) => deps.storage.read(key))
  }

  function openedCredentials(): Credentials {
    return credentials as Credentials
  }

  /**
   * A call that was given up may still be on its way into the network: until then, asking for its outcome says nothing.
   * An exactly-once network needs no such pause, since there the same call again changes nothing.
   */
  function pauseBeforeAsking(): number {
    return network?.guarantee === 'reconcilable' ? SETTLES_WITHIN_MS : 0
  }

  /** Networks throw PublishErrors. Anything else is a mistake of ours, which may have come after the call. */
  function reasonOf(thrown: unknown): Failure {
    if (thrown instanceof PublishError) return thrown
    log.error({ err: thrown, postId, accountId }, 'publishing failed unexpectedly')
    const ours = failure('internal_error', 'Something failed in Postroom that should not have', { retryable: true })
    return { ...ours, maybeSent: true }
  }
}

const STATEMENT_ATTEMPTS_MAX = 300

/**
 * Asks the database again and again while it does not answer: nobody else knows what is to be committed. Safe to repeat,
 * since a commit whose answer was lost has ended the lease, or moved on what it goes by. `mayRepeat` tells after which
 * errors, where that is not so.
 */
async function insist<T>(
  { pause, log }: Deps,
  work: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean = () => true,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === STATEMENT_ATTEMPTS_MAX || !mayRepeat(error)) throw error
      log.error({ err: error }, 'the database does not answer')
      await pause(1_000)
    }
  }
}

const isNotConnected = (error: unknown) => (error as { atConnect?: boolean }).atConnect === true

/** The call is not made: somebody else may have begun with it. */
const stoodStill = () =>
  new PublishError('The worker stood still before the call', { code: 'interrupted', maybeSent: false, retryable: true })

/** What the database refused would never be committed, and so be asked about for ever. Nobody knows an id that is none. */
const kept = ({ id, url, ...rest }: SentAct): SentAct => ({ ...rest, id: storableOrNull(id), url: storableOrNull(url) })
const storableOrNull = (text: string | null) => (text === null || storable(text, text.length) === text ? text : null)

const errorOf = ({ code, message, retryable }: Failure) => ({ code, message, retryable })

const notSupported = (platform: string) =>
  `Postroom does not publish to ${platform} yet: publish it by hand, then \`postroom post mark-published\``

const accountRestMs = ({ code, retryAfterMs = 0 }: Failure) => (code === 'rate_limited' ? restMs(retryAfterMs) : 0)

const attentionOf = ({ needsAttention, code, message }: Failure) => (needsAttention ? { code, message } : null)

const isFailure = (value: Failure | Act | Credentials): value is Failure => 'maybeSent' in value

/** The credentials of the account, unless it may not or cannot be used. */
function openCredentials({ openCredentials, log }: Deps, delivery: ClaimedDelivery): Credentials | Failure {
  const { accountId, reachable, keyId, dataKey, data } = delivery
  if (!reachable) return failure('no_access', 'The account was disconnected, or is no longer yours to post to')
  if (!keyId || !dataKey || !data) {
    return failure('not_connected', 'The account was never connected: POST /api/v1/accounts')
  }
  try {
    return openCredentials(accountId, { keyId, dataKey, data })
  } catch (error) {
    log.error({ err: error, accountId }, 'credentials cannot be opened')
    return failure('credentials_unreadable', 'The credentials cannot be opened by this service', {
      retryable: true,
      needsAttention: true,
    })
  }
}

/** How long the account has to rest by the limits of its network that are counted for each account. */
async function restOf(db: Db, { platform, accountId }: ClaimedDelivery, now: Now): Promise<number> {
  const rates = platforms[platform].rateLimits.filter(isCounted)
  if (rates.length === 0) return 0
  const [rest] = await readRest(db, {
    accountId,
    limits: rates.map(({ limit, perAct }) => Math.max(1, Math.floor(limit / perAct))),
    windows: rates.map(({ windowSeconds }) => windowSeconds),
    now,
  })
  return Math.max(0, rest!.ms)
}

const isCounted = (rate: RateLimit): rate is RateLimit & { perAct: number; windowSeconds: number } =>
  rate.perAct !== undefined && rate.windowSeconds !== undefined

const describe = (ms: number) => {
  if (ms < 120_000) return `${Math.round(ms / 1_000)} seconds`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} minutes` : `${Math.round(ms / 3_600_000)} hours`
}
