import type { ClaimedDelivery } from '../../db/queries/delivery/claim.ts'
import type { PreparedAct, SentAct } from '../../db/queries/delivery/delivery.ts'
import { intendAct } from '../../db/queries/delivery/intend.ts'
import { isSentByAnother, restSharedLimit } from '../../db/queries/delivery/limits.ts'
import { type StoredSettlement, settleAct } from '../../db/queries/delivery/settle.ts'
import type { Settlement } from '../../db/queries/delivery/settlement.ts'
import { wakeWaiting } from '../../db/queries/delivery/wake.ts'
import type { DeliveryError } from '../../schemas/delivery.ts'
import type { Act, AnyAdapter, Credentials, Io, Reading, Sent, Wait } from '../platforms/contract/adapter.ts'
import { canQuery } from '../platforms/contract/can-query.ts'
import type { Guarantee } from '../platforms/contract/limits.ts'
import { Duplicate, PublishError } from '../platforms/contract/publish-error.ts'
import { credentialsOf, refreshRefused, refreshWaitOf, restOf } from './account.ts'
import { buildAct } from './act.ts'
import type { Deps } from './deps.ts'
import { databaseFailure, type Failure, failure, restMs } from './failures.ts'
import { type HeldLease, LeaseLost } from './lease.ts'
import { openFile } from './open-file.ts'
import { type PlannedAct, planActs } from './plan.ts'
import { NotRead, type Readings } from './readings.ts'
import { CLAIMED, decide, type Outcome, type Progress } from './states.ts'
import { storableAct, storableState, storableWait } from './storable.ts'
import {
  ACT_MAX_MS,
  ACT_WITH_FILES_MAX_MS,
  CALL_IN_FLIGHT_MAX_MS,
  CALL_LEASE_MS,
  LEASE_MARGIN_MS,
  LEASE_MS,
  OTHER_CALLS_SINCE_MS,
  READING_MARGIN_MS,
  SHARED_REST_KEPT_MS,
} from './timing.ts'
import { untilStored } from './until-stored.ts'
import { withinTime } from './within-time.ts'

/**
 * Carries out a claimed delivery, act by act, and commits the outcome of each act before the next one begins. Returns
 * when the delivery is over, or was given back. The lease's signal ends it sooner, with a LeaseLost or Draining as its
 * reason. Throws a LeaseLost if another worker holds the delivery by now. Throws the database's error if an outcome
 * could not be committed: the worker that takes the delivery over then finds the intent, and queries the network.
 *
 * If `mayGoOn` returns true when the last act is out, the next due delivery of the account is claimed in the same
 * commit, and returned.
 */
export async function deliver(
  deps: RunDeps,
  delivery: ClaimedDelivery,
  lease: HeldLease,
  mayGoOn: () => boolean,
): Promise<Next | undefined> {
  const adapter = deps.networks[delivery.platform]
  const credentials = credentialsOf(deps, delivery)
  const run = new Run(deps, delivery, lease, adapter, isFailure(credentials) ? {} : credentials, mayGoOn)
  if (isFailure(credentials)) await run.cannotStart(credentials)
  else await run.carryOut()
  return run.next
}

type RunDeps = Deps & { readings: Readings }

interface Next {
  delivery: ClaimedDelivery
  /** By `uptimeMs`, taken before the statement. */
  claimedAt: number
}

const NEXT_TERMS = { leaseMs: LEASE_MS, marginMs: LEASE_MARGIN_MS, state: CLAIMED }

type Stage = 'preparing' | 'intending' | 'publishing'

interface Attempt {
  /** How far the attempt has come. */
  stage: Stage
  /** Its outcome is decided: an adapter that returns later must not publish. */
  isOver: boolean
}

class Run {
  readonly #deps: RunDeps
  readonly #delivery: ClaimedDelivery
  readonly #lease: HeldLease
  readonly #adapter: AnyAdapter
  readonly #credentials: Credentials
  readonly #plan: readonly PlannedAct[]
  readonly #sent: SentAct[]
  #failures: number
  #error: DeliveryError | null
  #prepared: PreparedAct | null
  #waitedMs: number | null
  #startedAt: number
  readonly #claimedAt: number
  readonly #mayGoOn: () => boolean
  next: Next | undefined

  constructor(
    deps: RunDeps,
    delivery: ClaimedDelivery,
    lease: HeldLease,
    adapter: AnyAdapter,
    credentials: Credentials,
    mayGoOn: () => boolean,
  ) {
    this.#deps = deps
    this.#delivery = delivery
    this.#lease = lease
    this.#adapter = adapter
    this.#credentials = credentials
    this.#mayGoOn = mayGoOn
    this.#plan = planActs(delivery)
    this.#sent = [...delivery.sent]
    this.#failures = delivery.failures
    this.#error = delivery.error
    // An older version may have left the state of another act.
    this.#prepared = delivery.prepared?.act === delivery.sent.length + 1 ? delivery.prepared : null
    this.#waitedMs = this.#prepared && delivery.waitedMs
    this.#startedAt = deps.uptimeMs()
    this.#claimedAt = this.#startedAt
  }

  async cannotStart(reason: Failure): Promise<void> {
    const hasIntent = this.#delivery.intent !== null
    await this.#settle(
      hasIntent ? { event: 'unknown', reason, isNewCall: false } : { event: 'failed', reason, wasIntended: false },
    )
  }

  async carryOut(): Promise<void> {
    const { intent, lateMs, overdueMs } = this.#delivery
    // A delivery that waits for its network began in time. It is late if no worker continued it.
    const isLate = (this.#waitedMs !== null ? overdueMs : lateMs) > this.#deps.latenessMaxMs
    const refreshMs = refreshWaitOf(this.#delivery)
    if (refreshMs > 0 && !isLate) {
      await this.#release({ retryInMs: refreshMs, accountRestsMs: refreshMs, mayBeSent: intent !== null })
      return
    }
    // An earlier attempt's open call is settled first: nothing is sent a second time on a guess.
    if (intent !== null && !(await this.#settleIntent(intent))) return
    if (isLate && this.#sent.length < this.#plan.length) {
      const reason = failure('too_late', `It was due ${describe(lateMs)} ago: retry it if it is still wanted`)
      await this.#settle({ event: 'late', reason })
      return
    }
    while (this.#sent.length < this.#plan.length) if (!(await this.#sendNext())) return
  }

  /**
   * Finds out the outcome of a call that was lost, or is still being processed. Returns whether the delivery goes on.
   */
  async #settleIntent(number: number): Promise<boolean> {
    const act = this.#build(this.#plan[number - 1]!)
    const reconcile = this.#adapter.reconcile
    const isProcessing = this.#waitedMs !== null
    if (isFailure(act) || !reconcile || !canQuery(this.#adapter, act, this.#credentials)) {
      return this.#unknown(failure('interrupted', 'The call was made, and its response was lost with the worker'))
    }
    // A worker that crashed may have called until its lease ended. One that gave the delivery back has waited already.
    const { cutOffForMs } = this.#delivery
    const earlyMs = cutOffForMs === null || isProcessing ? 0 : this.#callInFlightMs() - cutOffForMs
    if (earlyMs > 0 || this.#lease.signal.aborted)
      return this.#release({ retryInMs: Math.max(earlyMs, 0), mayBeSent: true })

    let found: Awaited<ReturnType<typeof reconcile>>
    try {
      found = await this.#find(act, reconcile)
      if (typeof found === 'object' && 'processing' in found) found = { processing: storableWait(found.processing) }
    } catch (thrown) {
      if (this.#lease.signal.aborted) return this.#release({ mayBeSent: true })
      return this.#unknown(await this.#reasonOf(thrown))
    }
    if (found === 'unknown') {
      return this.#unknown(
        failure('unknown_outcome', 'The response was lost, and the network does not say what became of it'),
      )
    }
    if (found === 'absent') return this.#settle({ event: 'absent' })
    if ('rejected' in found) return this.#settle({ event: 'rejected', words: found.rejected })
    if ('processing' in found) return this.#wait('processing', number, found.processing)
    const isOut = 'isOut' in found
    const { isSent, isKnown } = await this.#isOfAnother(found.id)
    if (isSent && !isOut) {
      return this.#unknown(failure('unknown_outcome', 'The response was lost, and another post sent what is there'))
    }
    // A network that processes an act was called less than a day ago.
    if (!isKnown && !isProcessing && !isOut) {
      const words = 'The response was lost too long ago to tell whether another post sent what is there'
      return this.#unknown(failure('unknown_outcome', words))
    }
    const sent = isSent ? { id: null, url: null } : storableAct(found)
    await this.#settle({ event: 'sent', act: sent, how: isProcessing ? 'published' : 'found' })
    return true
  }

  /**
   * Queries the network for an act. A reading of the account for other deliveries is reused if it began after this act
   * could be queried, or if it shows the act. After a new reading of a list, which has the acts of all, the other
   * deliveries of the account that wait for one are due.
   */
  async #find(act: Act, reconcile: Reconcile): ReturnType<Reconcile> {
    const { readings, uptimeMs } = this.#deps
    const { accountId, overdueMs, cutOffForMs } = this.#delivery
    const query = (reading: Reading) =>
      this.#call(act, (io) => reconcile(act, { ...io, reading }, this.#prepared?.state ?? null))
    const queryableForMs =
      cutOffForMs === null || this.#waitedMs !== null ? overdueMs : cutOffForMs - this.#callInFlightMs()
    const last = readings.last(accountId)
    if (last && last.startedAt >= this.#claimedAt - queryableForMs) return query(last.reading)
    if (last) {
      const known = await query(last.recalled).catch(unlessNotRead)
      if (typeof known === 'object' && 'id' in known && known.id !== null) return known
    }
    const { startedAt, reading } = readings.begin(accountId)
    const found = await query(reading)
    // An exactly-once network reads one record, and an act in processing is queried for its own status.
    if (this.#guarantee === 'reconcilable' && this.#waitedMs === null) await this.#wakeWaiting(uptimeMs() - startedAt)
    return found
  }

  /** A failure is logged only: each delivery is due by itself some time later. */
  async #wakeWaiting(readForMs: number): Promise<void> {
    const { db, clock, log } = this.#deps
    const { accountId } = this.#delivery
    const times = { readForMs, callInFlightMs: this.#callInFlightMs(), marginMs: READING_MARGIN_MS, now: clock() }
    await wakeWaiting(db, { accountId, ...times }).catch((error) =>
      log.error({ err: error, ...this.#facts }, 'deliveries that wait for a reading stay queued'),
    )
  }

  /** A network that is searched by content may find another post with the same content. */
  async #isOfAnother(id: string | null): Promise<{ isSent: boolean; isKnown: boolean }> {
    // The network reports that this act is out, but not under which id.
    if (id === null) return { isSent: false, isKnown: true }
    const { db, attemptsKeptMs: keptMs, clock } = this.#deps
    const { postId, accountId, startedAt } = this.#delivery
    const since = new Date(startedAt.getTime() - OTHER_CALLS_SINCE_MS)
    const [found] = await untilStored(this.#deps, () =>
      isSentByAnother(db, { postId, accountId, id, since, keptMs, now: clock() }),
    )
    return found!
  }

  /** Sends one act. Returns whether the delivery goes on. */
  async #sendNext(): Promise<boolean> {
    this.#startedAt = this.#deps.uptimeMs()
    const planned = this.#plan[this.#sent.length]!
    const act = this.#build(planned)
    if (isFailure(act)) return this.#settle({ event: 'failed', reason: act, wasIntended: false })
    const restsMs = await restOf(this.#deps, this.#delivery)
    if (restsMs > 0 || this.#lease.signal.aborted) {
      return this.#release({ retryInMs: restsMs, accountRestsMs: restsMs })
    }

    const attempt: Attempt = { stage: 'preparing', isOver: false }
    let result: Sent | { later: Wait<unknown> } | { processing: Wait<unknown> }
    try {
      result = await this.#call(act, (io) => this.#publish(act, planned.number, io, attempt))
    } catch (thrown) {
      return this.#attemptFailed(thrown, attempt.stage)
    } finally {
      attempt.isOver = true
      this.#lease.isCalling = false
    }
    if ('later' in result) return this.#wait('later', planned.number, result.later)
    if ('processing' in result) return this.#wait('processing', planned.number, result.processing)
    await this.#settle({ event: 'sent', act: storableAct(result), how: 'published' })
    return true
  }

  /** Prepares an act, commits its intent, and publishes it. Notes in `attempt` how far it came. */
  async #publish(act: Act, number: number, io: Io, attempt: Attempt) {
    const adapter = this.#adapter
    const prepared = await adapter.prepare(act, io, this.#prepared?.state ?? null)
    if ('later' in prepared) return { later: storableWait(prepared.later) }
    const state = storableState(prepared.ready)
    this.#lease.signal.throwIfAborted()
    if (attempt.isOver) throw suspended()
    attempt.stage = 'intending'
    await this.#intend({ act: number, state })
    if (attempt.isOver) throw suspended()
    attempt.stage = 'publishing'
    this.#lease.isCalling = true
    const result = await adapter.publish(act, io, prepared.ready)
    return 'processing' in result ? { processing: storableWait(result.processing) } : result
  }

  async #attemptFailed(thrown: unknown, stage: Stage): Promise<boolean> {
    if (thrown instanceof LeaseLost) throw thrown
    if (this.#lease.signal.aborted && stage === 'preparing') return this.#release()
    if (stage === 'publishing' && thrown instanceof Duplicate) {
      const { isSent, isKnown } = await this.#isOfAnother(thrown.earlier.id)
      if (isKnown && !isSent) return this.#settle({ event: 'sent', act: storableAct(thrown.earlier), how: 'found' })
    }
    const reason = await this.#reasonOf(thrown)
    if (stage === 'publishing' && reason.maybeSent) return this.#settle({ event: 'unknown', reason, isNewCall: true })
    return this.#settle({ event: 'failed', reason, wasIntended: stage !== 'preparing' })
  }

  async #intend(prepared: PreparedAct): Promise<void> {
    const { db, clock, uptimeMs, journal } = this.#deps
    const beganAt = uptimeMs()
    const intent = {
      ...this.#delivery,
      act: prepared.act,
      prepared,
      callLeaseMs: CALL_LEASE_MS,
      leaseMs: LEASE_MS,
      startedMsAgo: beganAt - this.#startedAt,
      now: clock(),
    }
    // If the connection failed, nothing was committed. After other errors that is unknown, so the statement is not
    // repeated, and the attempt fails as one that may have an intent.
    const attempt = await untilStored(this.#deps, () => intendAct(db, intent), isNotConnected)
    if (attempt === undefined) throw new LeaseLost()
    await journal.intended(this.#delivery, prepared.act, attempt)
    this.#prepared = prepared
    this.#waitedMs = null
    if (uptimeMs() - beganAt > CALL_LEASE_MS - LEASE_MARGIN_MS) throw suspended()
  }

  /** Returns false: the delivery does not go on. */
  async #unknown(reason: Failure): Promise<false> {
    await this.#settle({ event: 'unknown', reason, isNewCall: false })
    return false
  }

  /** Returns whether the delivery goes on: without an act that its network did not prepare in a day. */
  #wait(event: 'later' | 'processing', act: number, { state, afterMs }: Wait<unknown>): Promise<boolean> {
    return this.#settle({ event, prepared: { act, state }, afterMs })
  }

  /** Gives the delivery back as it is. Returns false: it does not go on. */
  async #release({ retryInMs = 0, accountRestsMs = 0, mayBeSent = false } = {}): Promise<false> {
    const { signal } = this.#lease
    if (signal.reason instanceof LeaseLost) throw signal.reason
    await this.#settle({ event: 'released', retryInMs, accountRestsMs, mayBeSent })
    return false
  }

  /** Decides the next state and commits it. Returns whether this worker goes on with the delivery. */
  async #settle(outcome: Outcome): Promise<boolean> {
    const { db, clock, uptimeMs, log, journal } = this.#deps
    const number = this.#sent.length + 1
    const decision = decide(this.#progress(), outcome)
    // Log the outcome before storing it: it stays true even if the database is lost now.
    const isOver = decision.state !== 'queued' && !decision.keepsLease
    if (decision.outcome !== null || isOver) journal.settled(this.#delivery, number, decision)
    const settlement = { ...decision, act: number, startedMsAgo: uptimeMs() - this.#startedAt }
    const isLast = outcome.event === 'sent' && !decision.keepsLease
    let settledAt = 0
    const settled = await untilStored(this.#deps, () => {
      settledAt = uptimeMs()
      const now = clock()
      const next = isLast && this.#mayGoOn() ? { ...NEXT_TERMS, now } : undefined
      return settleAct(db, { ...this.#delivery, now }, settlement, next)
    })
    if (!settled) {
      // At least the log keeps what is known.
      if (decision.sent.length > 0) log.warn({ ...this.#facts, sent: decision.sent }, 'sent, but taken over meanwhile')
      throw new LeaseLost()
    }
    this.#sent.push(...decision.sent)
    this.#failures = decision.failures
    this.#error = decision.error
    this.#prepared = decision.prepared
    if (!decision.isWaiting) this.#waitedMs = null
    if (settled.next) this.next = { delivery: settled.next, claimedAt: settledAt }
    this.#report(outcome.event, settlement, settled)
    if ('reason' in outcome) await this.#restSharedLimit(outcome.reason)
    return decision.keepsLease
  }

  get #facts() {
    const { userId, postId, accountId, platform } = this.#delivery
    return { userId, postId, accountId, platform }
  }

  #report(event: Outcome['event'], settlement: Settlement, { attempts }: StoredSettlement): void {
    const { lateMs } = this.#delivery
    const { state, outcome, act, error, retryInMs, startedMsAgo } = settlement
    this.#deps.report({
      ...this.#facts,
      ...{ event, state, outcome, act },
      attempt: attempts,
      errorCode: event === 'sent' ? null : (error?.code ?? null),
      latenessMs: lateMs + this.#deps.uptimeMs() - this.#claimedAt,
      durationMs: startedMsAgo,
      nextAttemptInMs: retryInMs,
    })
  }

  /** A failure is logged only: each account that is not rested gets its own 429. */
  async #restSharedLimit({ limitKey: key, retryAfterMs = 0 }: Failure): Promise<void> {
    if (key === undefined) return
    const { db, clock, log } = this.#deps
    const { accountId } = this.#delivery
    const rest = { accountId, key, ms: restMs(retryAfterMs), keptMs: SHARED_REST_KEPT_MS, now: clock() }
    await restSharedLimit(db, rest).catch((error) =>
      log.error({ err: error, key }, 'a shared rest could not be stored'),
    )
  }

  #progress(): Progress {
    return {
      left: this.#plan.slice(this.#sent.length).map(({ kind }) => kind),
      sentBefore: this.#sent.length,
      leftOut: this.#sent.find(({ error }) => error !== undefined)?.error ?? null,
      failures: this.#failures,
      error: this.#error,
      prepared: this.#prepared,
      waitedMs: this.#waitedMs,
      canReconcile: canQuery(this.#adapter, this.#currentAct, this.#credentials),
      callInFlightMs: this.#callInFlightMs(),
    }
  }

  /** The guarantee of the current act. */
  get #guarantee(): Guarantee | undefined {
    const guarantee = this.#adapter.guarantee
    if (typeof guarantee !== 'function') return guarantee
    const act = this.#currentAct
    return act && guarantee(act, this.#credentials)
  }

  get #currentAct(): Act | undefined {
    const planned = this.#plan[this.#sent.length]
    const act = planned && this.#build(planned)
    return act && !isFailure(act) ? act : undefined
  }

  /** On an exactly-once network, repeating a call changes nothing, even while the first call is on its way. */
  #callInFlightMs(): number {
    if (this.#guarantee !== 'reconcilable') return 0
    return Math.max(CALL_IN_FLIGHT_MAX_MS, this.#adapter.showsWithinMs ?? 0)
  }

  #build(planned: PlannedAct): Act | Failure {
    const { storage, addressOf } = this.#deps
    return buildAct(this.#delivery, planned, this.#sent, {
      open: (key, range) => openFile(storage, key, range),
      addressOf,
    })
  }

  /** Calls a method of the adapter, with the time limit of an act. */
  #call<T>({ media }: Act, work: (io: Io) => Promise<T>): Promise<T> {
    const limitMs = media.length > 0 ? ACT_WITH_FILES_MAX_MS : ACT_MAX_MS
    return withinTime(limitMs, this.#lease.signal, (signal) =>
      work({ credentials: this.#credentials, fetch: this.#deps.fetch, signal }),
    )
  }

  /**
   * Adapters throw PublishErrors; one with a cause is a failure of our storage. Anything else is a mistake of ours, which
   * may have come after the call.
   */
  async #reasonOf(thrown: unknown): Promise<Failure> {
    const { log } = this.#deps
    if (thrown instanceof PublishError) {
      const { cause } = thrown
      if (cause !== undefined) log.error({ err: cause, ...this.#facts }, 'a file of the post could not be read')
      return refreshRefused(this.#deps, { ...this.#delivery, error: this.#error }, this.#credentials, thrown)
    }
    const database = databaseFailure(thrown)
    if (database) {
      log.error({ err: thrown, ...this.#facts }, 'publishing failed because of the database')
      return database
    }
    log.error({ err: thrown, ...this.#facts }, 'publishing failed unexpectedly')
    const ours = failure('internal_error', 'An internal error occurred in Postroom', { retryable: true })
    return { ...ours, maybeSent: true }
  }
}

type Reconcile = NonNullable<AnyAdapter['reconcile']>

const unlessNotRead = (error: unknown) => {
  if (!(error instanceof NotRead)) throw error
  return undefined
}

const isNotConnected = (error: unknown) => (error as { atConnect?: boolean }).atConnect === true

/** The call is not made: another worker may have begun with it. */
const suspended = () =>
  new PublishError('The worker was suspended for too long to send safely', {
    code: 'interrupted',
    maybeSent: false,
    retryable: true,
  })

const isFailure = (value: Failure | Act | Credentials): value is Failure => 'maybeSent' in value

const describe = (ms: number) => {
  if (ms < 120_000) return `${Math.round(ms / 1_000)} seconds`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} minutes` : `${Math.round(ms / 3_600_000)} hours`
}
