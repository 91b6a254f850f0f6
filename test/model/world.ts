import type { SentAct } from '../../db/queries/delivery/delivery.ts'
import { isOpen } from '../../db/queries/delivery/settlement.ts'
import type { DeliveryError, DeliveryState } from '../../schemas/delivery.ts'
import { decideFailed } from '../../src/engine/delivery/changes/decide-failed.ts'
import { decideNotRemoved, decideRemoved } from '../../src/engine/delivery/changes/decide-removal.ts'
import { decide, type Outcome, type Progress } from '../../src/engine/delivery/decide.ts'
import { type Failure, failure } from '../../src/engine/delivery/failures.ts'
import * as machine from '../../src/engine/delivery/machine.ts'
import { listOnNetwork } from '../../src/engine/delivery/on-network.ts'
import type { planActs } from '../../src/engine/delivery/plan.ts'
import * as timing from '../../src/engine/delivery/timing.ts'
import type { DeliveryEvent } from '../../src/engine/delivery/transitions.ts'
import type { Entry } from '../../src/engine/journal/journal-text.ts'
import type { Act } from '../../src/platforms/contract/adapter.ts'

/*
 * The world of one delivery: its row, two workers, calls on their way, and what readers see on the network. Decisions
 * are those of src/engine/delivery. Only the conditions of statements are repeated here, each beside the name of its
 * file. Time passes in whole ticks: a timer has the number of ticks that are left.
 */

const TICK_MS = 15_000
/** All timers have ended before so many ticks: a longer pause changes nothing. */
const TICKS_MAX = 4
const ticks = (ms: number) => Math.min(TICKS_MAX, Math.floor(ms / TICK_MS))
const LEASE = ticks(timing.LEASE_MS)
export const IN_FLIGHT = ticks(timing.CALL_IN_FLIGHT_MAX_MS)
const CHANGE_LEASE = ticks(timing.CHANGE_LEASE_MS)

/** The shortest pause that may be drawn. */
const random = () => 0.999

export interface Scenario {
  name: string
  guarantee: 'exactly-once' | 'reconcilable' | 'at-most-once'
  /** Whether an act that the network does not show is sent again. */
  isSentAgain: boolean
  content: Parameters<typeof planActs>[0]
  /** The kinds of its acts. */
  kinds: Act['kind'][]
  /** Failures before the first step. */
  failures: number
  /** How many acts are out before the first step. */
  sent: number
  /** How often the owner or the operator acts. */
  acts: number
  /** The database is lost once, and restored from a backup. */
  isRestored: boolean
}

export interface Row {
  state: DeliveryState
  post: 'draft' | 'scheduled' | 'published'
  sent: SentAct[]
  intent: number | null
  failures: number
  error: DeliveryError | null
  prepared: Progress['prepared']
  waitedMs: number | null
  /** Ticks until it can be claimed; negative since then. Null: never. */
  wait: number | null
  /** Ticks for which a call that was lost may still arrive, by `lost_call_at`. */
  arrives: number
  holder: number | null
  /** Changes with the token. */
  version: number
  isEarly: boolean
  isLate: boolean
  text: number
  edit: { text: number; state: 'pending' | 'failed' } | null
  /** The last attempt with an intent, and the acts of those before it that may have been carried out. */
  attempt: { act: number; outcome: string | null } | null
  lost: number[]
  attempts: number
}

type Work =
  | { kind: 'publish'; stage: 'begun' | 'calling' | 'carriedOut' | 'accepted'; isFresh: boolean }
  | { kind: 'edit'; stage: 'begun' | 'calling' | 'carriedOut'; failures: number; text: number }
  | {
      kind: 'remove'
      stage: 'begun' | 'calling' | 'carriedOut'
      failures: number
      left: number[]
      lost: number[]
      isGone: boolean
      /** The act that a late call has made, while it is removed. */
      late: number | null
    }

interface Call {
  kind: 'publish' | 'edit' | 'remove'
  act: number
  version: number
  text: number
  /** The worker that waits for the response. */
  by: number | null
  /** Ticks until it can no longer arrive; null while its worker waits for it. */
  left: number | null
}

/** An act on the network. */
interface Shown {
  act: number
  version: number
  text: number
  isGone: boolean
}

export interface World {
  row: Row
  change: { kind: 'edit' | 'remove'; due: number; holder: number | null; failures: number } | null
  workers: (Work | null)[]
  calls: Call[]
  shown: Shown[]
  /** A call that the network has accepted and processes, or has refused since. */
  accepted: { act: number; version: number; isRefused: boolean } | null
  /** The acts that are out, by the word of the owner or the operator. */
  said: number[]
  actsLeft: number
  backup: Pick<World, 'row' | 'change'> | null
  journal: Entry[]
  isLost: boolean
}

/** One step. `good`: part of the course that ends the delivery without further faults; the lowest comes first. */
export interface Step {
  label: string
  next: World
  event?: DeliveryEvent
  good?: number
}

export function begin(scenario: Scenario, due: 'now' | 'later' | 'never'): World {
  const isScheduled = due !== 'never'
  const sent = Array.from({ length: scenario.sent }, (_, index) => ({ id: `${index + 1}`, url: null }))
  const isPublished = sent.length === scenario.kinds.length
  const row: Row = {
    state: isPublished ? 'published' : machine.initialState(isScheduled),
    post: sent.length > 0 ? 'published' : isScheduled ? 'scheduled' : 'draft',
    sent,
    intent: null,
    failures: scenario.failures,
    error: null,
    prepared: null,
    waitedMs: null,
    wait: isPublished ? null : { now: 0, later: 1, never: null }[due],
    arrives: 0,
    holder: null,
    version: 0,
    isEarly: due === 'later',
    isLate: false,
    text: 0,
    edit: null,
    attempt: null,
    lost: [],
    attempts: 0,
  }
  const shown = sent.map((_, index) => ({ act: index + 1, version: 0, text: 0, isGone: false }))
  const others = { change: null, workers: [null, null], calls: [], accepted: null, said: [], backup: null, journal: [] }
  return { row, ...others, shown, actsLeft: scenario.acts, isLost: false }
}

const LASTING = failure('content_refused', 'no')
const PASSING = failure('server_error', 'not now', { retryable: true })
const REFUSED = failure('unauthorized', 'expired', { needsAttention: true })
const OF_APP = failure('app_restricted', 'not this app', { retryable: true })
const STALE = { ...failure('upload_gone', 'again', { retryable: true }), discardsPrepared: true }
const LOST = { ...failure('timeout', 'lost', { retryable: true }), maybeSent: true }
const LOST_FOR_GOOD = { ...failure('odd', 'lost'), maybeSent: true }
const SILENT = failure('unknown_outcome', 'nothing tells')
const PREPARING = [PASSING, LASTING, REFUSED, OF_APP, STALE]

/** The acts whose calls may have been carried out, as claim-change.ts lists them. */
export const lostActs = ({ attempt, lost }: Row): number[] =>
  attempt && MAY_BE_OUT.includes(attempt.outcome) ? [...new Set([...lost, attempt.act])] : lost
const MAY_BE_OUT: (string | null)[] = [null, 'unknown', 'absent', 'said_published', 'said_not_published']

/** Whether readers see an act. */
export const isShown = ({ shown }: World, call: Pick<Call, 'act' | 'version'>) => shown.some((each) => isOf(call, each))

const isOf = ({ act, version }: Pick<Call, 'act' | 'version'>, each: Shown) =>
  each.act === act && each.version === version && !each.isGone

/** The version of what the owner publishes by hand. */
export const BY_HAND = -1
export const idOf = (act: number, version: number) => `${act}${version === BY_HAND ? ' by hand' : ''}`

export const onNetwork = (scenario: Scenario, { sent }: Row) =>
  listOnNetwork({ ...scenario.content, accountId: '', sent, publishedAt: new Date(0), fileCounts: [] })

export const canAsk = ({ guarantee }: Scenario) => guarantee !== 'at-most-once'

const at = <T>(list: readonly T[], index: number, value: T) => list.map((old, each) => (each === index ? value : old))

/** A worker ends, and no longer waits for its call. */
export const end = (world: World, worker: number): World => ({
  ...world,
  workers: at(world.workers, worker, null),
  calls: world.calls.map((call) => (call.by === worker ? { ...call, by: null, left: call.left ?? IN_FLIGHT } : call)),
})

export const put = (world: World, row: Partial<Row>): World => ({ ...world, row: { ...world.row, ...row } })

/** Only the journal of a scenario with a restore is kept. */
const log = (scenario: Scenario, world: World, entry: Omit<Entry, 'userId' | 'postId' | 'accountId' | 'at'>): World =>
  scenario.isRestored && !world.isLost
    ? { ...world, journal: [...world.journal, { ...NO_KEY, at: new Date(world.row.attempts), ...entry }] }
    : world
export const NO_KEY = { userId: '', postId: '', accountId: '' }

/** Commits an outcome, as settle.ts does for the worker that holds the lease. Any other worker ends. */
function settle(scenario: Scenario, world: World, worker: number, outcome: Outcome): World {
  const { row } = world
  if (row.holder !== worker) return end(world, worker)
  const decision = decide(progressOf(scenario, row), outcome, random)
  const { state, sent: act, failures, error, prepared } = decision
  const mayBeOut = isOpen(decision)
  const isNewCall = outcome.event === 'unknown' && outcome.isNewCall
  const sent = act ? [...row.sent, act] : row.sent
  const isOut = state === 'published' || mayBeOut || sent.length > 0
  const isWaiting = state === 'queued' && decision.isWaiting
  const settled = log(scenario, world, {
    act: row.sent.length + 1,
    attempt: row.attempts + (row.intent === null ? 1 : 0),
    state,
    ...(act && { sent: act }),
    ...(mayBeOut && { isOpen: true }),
    ...(error && { error }),
    ...(decision.outcome && { outcome: decision.outcome }),
  })
  const after = put(decision.outcome !== null || (state !== 'queued' && state !== 'publishing') ? settled : world, {
    state,
    sent,
    failures,
    error,
    prepared,
    intent: mayBeOut ? row.intent : null,
    // settle.ts and unpublish.ts
    post:
      act || mayBeOut
        ? 'published'
        : decision.mayUnpublish && !isOut && row.post === 'published'
          ? 'scheduled'
          : row.post,
    waitedMs: isWaiting ? (row.waitedMs ?? 0) : null,
    isLate: row.isLate && !isWaiting,
    wait: state === 'publishing' ? row.wait : state === 'queued' ? ticks(decision.retryInMs) : null,
    arrives: isNewCall ? IN_FLIGHT : row.arrives,
    holder: state === 'publishing' ? worker : null,
    attempts: row.attempts + (row.intent === null && decision.outcome === 'failed' ? 1 : 0),
    attempt: row.intent !== null && decision.outcome ? { act: row.intent, outcome: decision.outcome } : row.attempt,
  })
  const work = world.workers[worker] as Work & { kind: 'publish' }
  const ended = end(after, worker)
  return state === 'publishing' ? { ...ended, workers: at(ended.workers, worker, { ...work, stage: 'begun' }) } : ended
}

const progressOf = (scenario: Scenario, { sent, failures, error, prepared, waitedMs }: Row): Progress => ({
  left: scenario.kinds.slice(sent.length),
  nextPauseMs: 0,
  sentBefore: sent.length,
  leftOut: sent.find((act) => act.error !== undefined)?.error ?? null,
  failures,
  error,
  prepared,
  waitedMs: prepared && waitedMs,
  canReconcile: canAsk(scenario),
  callInFlightMs: timing.CALL_IN_FLIGHT_MAX_MS,
})

/** A response that is still waited for although its call can no longer arrive is lost. */
const whenLost = ({ calls }: World, worker: number) => (calls.some(({ by }) => by === worker) ? undefined : 1)

/** The steps of a worker that publishes, as deliver.ts, reconcile.ts and send.ts order them. */
function* publishing(scenario: Scenario, world: World, worker: number): Generator<Step> {
  const { row, accepted } = world
  const work = world.workers[worker] as Work & { kind: 'publish' }
  const settled = (label: string, outcome: Outcome, good?: number): Step => ({
    label: `worker ${worker}: ${label}`,
    next: settle(scenario, world, worker, outcome),
    ...(row.holder === worker && { event: outcome.event }),
    ...(good !== undefined && { good }),
  })
  const act = row.sent.length + 1
  const id = `${act}`
  const sent = (how: 'published' | 'found') => ({ event: 'sent', act: { id, url: null }, how }) as const
  const wait = { prepared: { act, state: 0 }, afterMs: TICK_MS }
  const goodIfLost = whenLost(world, worker)
  // A worker learns from its next statement that its lease is lost.
  if (row.holder !== worker) return yield settled('finds that its lease is lost', { event: 'absent' }, 0)
  if (work.stage !== 'begun') {
    if (work.stage === 'carriedOut') yield settled('gets the id', sent('published'), 0)
    if (work.stage === 'accepted') yield settled('the act is processed', { event: 'processing', ...wait }, 0)
    if (work.stage === 'calling') {
      for (const reason of [PASSING, LASTING]) {
        const refused = { ...world, calls: world.calls.filter(({ by }) => by !== worker) }
        const next = settle(scenario, refused, worker, { event: 'failed', reason, wasIntended: true })
        yield { label: `worker ${worker}: the network refuses: ${reason.code}`, next, event: 'failed' }
      }
    }
    for (const reason of [LOST, LOST_FOR_GOOD]) {
      yield settled(`the response is lost: ${reason.code}`, { event: 'unknown', reason, isNewCall: true }, goodIfLost)
    }
    return
  }
  const isOpenCall = row.intent !== null
  yield settled('gives it back', { event: 'released', retryInMs: TICK_MS, accountRestsMs: 0, isOpen: isOpenCall })
  if (isOpenCall) {
    if (!canAsk(scenario)) {
      const reason = failure('interrupted', 'lost')
      return yield settled('cannot ask', { event: 'unknown', reason, isNewCall: false }, 0)
    }
    yield settled('has no credentials', { event: 'unknown', reason: LASTING, isNewCall: false })
    if (row.arrives > 0 && row.waitedMs === null) {
      const retryInMs = row.arrives * TICK_MS
      return yield settled('is too early', { event: 'released', retryInMs, accountRestsMs: 0, isOpen: true }, 0)
    }
    yield settled('asks in vain', { event: 'unknown', reason: PASSING, isNewCall: false })
    if (isShown(world, { act, version: row.version }))
      return yield settled('finds the act', sent(row.waitedMs === null ? 'found' : 'published'), 0)
    if (accepted?.act === act && accepted.version === row.version) {
      // After a day, the network has dropped it.
      const isExpired = (row.waitedMs ?? 0) > timing.NETWORK_WAIT_MAX_MS
      const later = { event: 'processing', ...wait } as const
      if (!accepted.isRefused) {
        const next = settle(scenario, isExpired ? { ...world, accepted: null } : world, worker, later)
        return yield { label: `worker ${worker}: the act is processed`, next, event: 'processing', good: 4 }
      }
      const next = settle(scenario, { ...world, accepted: null }, worker, { event: 'rejected', words: 'no' })
      return yield { label: `worker ${worker}: the act was rejected`, next, event: 'rejected', good: 0 }
    }
    if (scenario.isSentAgain) yield settled('the act is absent', { event: 'absent' }, 0)
    else yield settled('the act does not show', { event: 'unknown', reason: SILENT, isNewCall: false }, 0)
    return
  }
  if (row.isLate) return yield settled('is late', { event: 'late', reason: failure('too_late', 'late') }, 0)
  if (act > scenario.kinds.length) {
    // Nothing is left: the worker returns, and the delivery stays as it is.
    return yield { label: `worker ${worker}: has nothing to do`, next: end(world, worker), good: 0 }
  }
  for (const reason of PREPARING) {
    yield settled(`fails to prepare: ${reason.code}`, { event: 'failed', reason, wasIntended: false })
  }
  yield settled('prepare takes time', { event: 'later', ...wait })
  yield settled('fails to intend', { event: 'failed', reason: PASSING, wasIntended: true })
  // held.ts: no call begins when the lease may be over.
  if (work.isFresh) yield { label: `worker ${worker}: calls`, next: intend(scenario, world, worker, act), good: 0 }
  else yield settled('was suspended', { event: 'failed', reason: PASSING, wasIntended: true }, 0)
}

/** Commits an intent, as intend.ts does, and calls the network. */
function intend(scenario: Scenario, world: World, worker: number, act: number): World {
  const { row, workers, calls } = world
  const attempts = row.attempts + 1
  const intended = put(world, {
    intent: act,
    waitedMs: null,
    prepared: { act, state: 1 },
    lost: lostActs(row),
    attempt: { act, outcome: null },
    attempts,
  })
  const call: Call = { kind: 'publish', act, version: row.version, text: row.text, by: worker, left: null }
  return {
    ...log(scenario, intended, { act, attempt: attempts, startedAt: new Date(0), token: `${row.version}` }),
    workers: at(workers, worker, { kind: 'publish', stage: 'calling', isFresh: true }),
    calls: [...calls, call],
  }
}

/** The steps of a worker that removes or edits, as changes/remove.ts and changes/edit.ts order them. */
function* changing(scenario: Scenario, world: World, worker: number): Generator<Step> {
  const { row, change } = world
  const work = world.workers[worker] as Exclude<Work, { kind: 'publish' }>
  const step = (label: string, next: World, good?: number, event?: DeliveryEvent): Step => ({
    label: `worker ${worker}: ${label}`,
    next,
    ...(good !== undefined && { good }),
    ...(event && { event }),
  })
  // settle-change.ts, claim-change.ts: any other worker has lost the change.
  if (!change || change.holder !== worker) return yield step('finds that its change is lost', end(world, worker), 0)
  const act = work.kind === 'edit' ? 1 : (work.late ?? work.left.at(-1))
  const isByHand = row.sent[act! - 1]?.id === idOf(act!, BY_HAND) && !(work.kind === 'remove' && work.late !== null)
  const version = isByHand ? BY_HAND : row.version
  const call = () => ({
    ...world,
    change: { ...change, due: CHANGE_LEASE },
    workers: at(world.workers, worker, { ...work, stage: 'calling' as const }),
    calls: [
      ...world.calls,
      { kind: work.kind, act: act!, version, text: work.kind === 'edit' ? work.text : 0, by: worker, left: null },
    ],
  })
  const goodIfLost = whenLost(world, worker)
  const again = (due: number, failures: number): World['change'] => ({ ...change, holder: null, due, failures })

  if (work.kind === 'edit') {
    const fail = (reason: Failure) => {
      const { isRetried, isLost, failures, retryInMs } = decideFailed({ ...work, isReserved: false }, reason, random)
      const edit = { text: work.text, state: isRetried ? ('pending' as const) : ('failed' as const) }
      const next = put(end(world, worker), { edit, arrives: isLost ? IN_FLIGHT : row.arrives })
      return { ...next, change: isRetried ? again(ticks(retryInMs), failures) : null }
    }
    if (work.stage === 'begun') return yield step('edits', call(), 0)
    if (work.stage === 'carriedOut') {
      const [first, ...others] = row.sent
      const sent = [{ ...first!, edits: (first!.edits ?? 0) + 1 }, ...others]
      yield step(
        'the edit is out',
        { ...put(end(world, worker), { sent, text: work.text, edit: null }), change: null },
        0,
      )
    } else {
      const refused = { ...world, calls: world.calls.filter(({ by }) => by !== worker) }
      yield step('the edit is refused', { ...fail(LASTING), calls: refused.calls })
    }
    for (const reason of [LOST, LOST_FOR_GOOD]) {
      yield step(`the edit's response is lost: ${reason.code}`, fail(reason), goodIfLost)
    }
    return
  }

  const before = { failures: work.failures, isReserved: false }
  const settleRemoval = (decision: ReturnType<typeof decideRemoved>, from = world): World => {
    const { state, removed, error, failures, retryInMs, keepsLease } = decision
    const sent = row.sent.map((each, index) => (removed.includes(index + 1) ? { ...each, removedAt: 'then' } : each))
    const next = put(log(scenario, from, removalEntry(act ?? 1, decision)), { state, sent, error })
    if (keepsLease) {
      const left = work.left.slice(0, -1)
      return { ...next, workers: at(next.workers, worker, { ...work, stage: 'begun', left, failures: 0 }) }
    }
    return { ...end(next, worker), change: state === 'removing' ? again(ticks(retryInMs), failures) : null }
  }
  const fail = (reason: Failure, from = world) => settleRemoval(decideNotRemoved(before, reason, random), from)
  /** Nothing has failed: the removal goes on later. */
  const postpone = (due: number) => ({ ...end(world, worker), change: again(due, work.failures) })

  if (work.stage === 'calling') {
    const refused = { ...world, calls: world.calls.filter(({ by }) => by !== worker) }
    for (const reason of [PASSING, LASTING])
      yield step(`the removal is refused: ${reason.code}`, fail(reason, refused), undefined, 'notRemoved')
  }
  if (work.stage !== 'begun') {
    if (work.stage === 'carriedOut') {
      if (work.late !== null) yield step('removed a late act', fail(CAME_BACK), 0, 'notRemoved')
      else
        yield step(
          `removed act ${act}`,
          settleRemoval(decideRemoved(act!, work.left.length - 1 + work.lost.length)),
          0,
          'removed',
        )
    }
    for (const reason of [LOST, LOST_FOR_GOOD]) {
      yield step(`the removal's response is lost: ${reason.code}`, fail(reason), goodIfLost, 'notRemoved')
    }
    return
  }
  yield step('has no credentials', fail(LASTING), undefined, 'notRemoved')
  if (act !== undefined) {
    return yield step(`removes act ${act}`, log(scenario, call(), { act, removal: 'removing' }), 0)
  }
  if (work.lost.length === 0) return yield step('nothing is left', settleRemoval(decideRemoved(null, 0)), 0, 'removed')
  if (row.arrives > 0) return yield step('waits for a late call', postpone(row.arrives), 0, 'notRemoved')
  yield step('asks in vain', fail(PASSING), undefined, 'notRemoved')
  const late = work.lost.find((each) => isShown(world, { act: each, version: row.version }))
  if (late === undefined) yield step('nothing came late', settleRemoval(decideRemoved(null, 0)), 0, 'removed')
  else yield step('finds a late act', { ...world, workers: at(world.workers, worker, { ...work, late }) }, 0)
}

const CAME_BACK = failure('late_call', 'it came late', { retryable: true })

const removalEntry = (act: number, { state, removed, error }: ReturnType<typeof decideRemoved>) => ({
  act,
  removal: state,
  isGone: removed.includes(act),
  ...(error && { error }),
})

/** The steps of a free worker. */
function* claiming(scenario: Scenario, world: World, worker: number): Generator<Step> {
  const { row, change, workers } = world
  // claim.ts: one whose time has come, also from a worker whose lease has ended.
  if (row.wait !== null && row.wait <= 0 && (row.state === 'queued' || row.state === 'publishing')) {
    const isOfCrashed = row.state === 'publishing' && row.intent !== null
    const arrives = isOfCrashed ? Math.max(0, IN_FLIGHT + row.wait) : row.arrives
    const claimed = put(world, { state: machine.CLAIMED, wait: LEASE, holder: worker, isEarly: false, arrives })
    const next = {
      ...claimed,
      workers: at(workers, worker, { kind: 'publish', stage: 'begun', isFresh: true } as const),
    }
    yield { label: `worker ${worker}: claims`, next, event: 'claim', good: 2 }
  }
  // claim-change.ts
  if (change && change.due <= 0) {
    const { failures, kind } = change
    const left = onNetwork(scenario, row).map(({ number }) => number)
    const isQueryable = (act: number) => ['post', 'comment'].includes(scenario.kinds[act - 1]!)
    const lost = canAsk(scenario) ? lostActs(row).filter(isQueryable) : []
    const work: Work =
      kind === 'edit'
        ? { kind, stage: 'begun', failures, text: row.edit!.text }
        : { kind, stage: 'begun', failures, left, lost, isGone: left.length === 0, late: null }
    const held = { ...change, holder: worker, due: CHANGE_LEASE }
    yield {
      label: `worker ${worker}: claims the ${kind === 'edit' ? 'edit' : 'removal'}`,
      next: { ...world, change: held, workers: at(workers, worker, work) },
      good: 2,
    }
  }
}

/** Steps of the network: with calls that are on their way, and with an act that it processes. */
function* network(scenario: Scenario, world: World): Generator<Step> {
  const { calls, shown, accepted, workers } = world
  const stagesAfter = (by: number | null, stage: 'carriedOut' | 'accepted') =>
    by === null ? workers : at(workers, by, { ...workers[by]!, stage } as Work)
  for (const call of calls) {
    const { kind, act, version, text, by } = call
    const rest = { ...world, calls: calls.filter((other) => other !== call), workers: stagesAfter(by, 'carriedOut') }
    const post: Shown = { act, version, text, isGone: false }
    if (kind === 'publish') {
      const isKnown = scenario.guarantee === 'exactly-once' && isShown(world, call)
      yield { label: `act ${act} is out`, next: { ...rest, shown: isKnown ? shown : [...shown, post] }, good: 1 }
      const next = { ...rest, workers: stagesAfter(by, 'accepted') }
      // An act that cannot be queried is either out or dropped when its owner looks.
      if (scenario.guarantee === 'at-most-once') {
        yield { label: `act ${act} is accepted, and out`, next: { ...next, shown: [...shown, post] } }
        yield { label: `act ${act} is accepted, and dropped`, next }
      } else if (accepted === null && !isKnown) {
        yield { label: `act ${act} is accepted`, next: { ...next, accepted: { act, version, isRefused: false } } }
      }
    } else {
      const isIt = (each: Shown) => isOf(call, each)
      const changed = shown.map((each) =>
        isIt(each) ? { ...each, ...(kind === 'edit' ? { text } : { isGone: true }) } : each,
      )
      // The worst network publishes an edit as a new post.
      const next = kind === 'edit' && !shown.some(isIt) ? [...shown, post] : changed
      yield { label: `act ${act}: the ${kind} is out`, next: { ...rest, shown: next }, good: 1 }
    }
  }
  if (accepted && !accepted.isRefused) {
    const post = { act: accepted.act, version: accepted.version, text: 0, isGone: false }
    yield {
      label: `act ${accepted.act} was processed`,
      next: { ...world, accepted: null, shown: [...shown, post] },
      good: 1,
    }
    yield { label: `act ${accepted.act} is rejected`, next: { ...world, accepted: { ...accepted, isRefused: true } } }
    yield { label: `act ${accepted.act} was dropped`, next: { ...world, accepted: null } }
  }
}

/** Time passes: one tick, or a day. */
function* time(world: World): Generator<Step> {
  const { row, change, calls, workers } = world
  const isIdle = workers.every((work) => work === null) && calls.length === 0
  const next: World = {
    ...put(world, {
      wait: row.wait === null ? null : Math.max(row.wait - 1, -IN_FLIGHT),
      arrives: Math.max(row.arrives - 1, 0),
      isEarly: false,
    }),
    change: change && { ...change, due: Math.max(change.due - 1, 0) },
    // A worker ends its call when its lease ends. Such a call may still arrive for a while.
    calls: calls
      .map((call) => ({ ...call, left: call.left === null ? IN_FLIGHT : call.left - 1 }))
      .filter(({ left }) => left > 0),
    workers: workers.map((work) => (work?.kind === 'publish' ? { ...work, isFresh: false } : work)),
  }
  const isMoving = (row.wait ?? -IN_FLIGHT) > -IN_FLIGHT || row.arrives > 0 || row.isEarly || (change?.due ?? 0) > 0
  if (isMoving || calls.length > 0) yield { label: 'time passes', next, good: 3 }
  if (isIdle && row.wait !== null && !row.isLate) {
    const waitedMs = row.waitedMs === null ? null : timing.NETWORK_WAIT_MAX_MS + 1
    const past = put(next, { wait: -IN_FLIGHT, arrives: 0, isLate: true, waitedMs })
    // Networks process no act for longer. The service waits to be told.
    const accepted = row.waitedMs === null ? null : world.accepted
    yield { label: 'a day passes', next: { ...past, accepted, change: change && { ...change, due: 0 } } }
  }
}

/** The steps of all but the owner. */
export function* steps(scenario: Scenario, world: World): Generator<Step> {
  const free = world.workers.indexOf(null)
  for (const [worker, work] of world.workers.entries()) {
    if (work) {
      yield* work.kind === 'publish' ? publishing(scenario, world, worker) : changing(scenario, world, worker)
      yield { label: `worker ${worker}: dies`, next: end(world, worker) }
    } else if (worker === free) yield* claiming(scenario, world, worker)
  }
  yield* network(scenario, world)
  yield* time(world)
}
