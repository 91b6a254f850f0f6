import type { ClaimedDelivery } from '../../../db/queries/delivery/claim.ts'
import type { PreparedAct, SentAct } from '../../../db/queries/delivery/delivery.ts'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import { LeaseLost } from '../../base/lease-lost.ts'
import type { Act, AnyAdapter, Wait } from '../../platforms/contract/adapter.ts'
import type { Credentials, Io } from '../../platforms/contract/io.ts'
import { buildAct } from './act.ts'
import type { Outcome } from './decide.ts'
import type { Deps } from './deps.ts'
import { type Failure, isFailure } from './failures.ts'
import { type HeldLease, suspended } from './lease.ts'
import type { PlannedAct } from './plan.ts'
import type { Readings } from './readings.ts'
import { ACT_MAX_MS, ACT_WITH_FILES_MAX_MS } from './timing.ts'
import { withinTime } from './within-time.ts'

export type RunDeps = Deps & { readings: Readings }

/** A delivery that a worker carries out, with all that stays the same until it ends. */
export interface Run {
  deps: RunDeps
  delivery: ClaimedDelivery
  lease: HeldLease
  adapter: AnyAdapter
  credentials: Credentials
  plan: readonly PlannedAct[]
  /** The acts that were built, by number. */
  built: Map<number, Act | Failure>
  /** By `uptimeMs`. */
  claimedAt: number
}

/** The progress of a delivery, which each outcome changes. */
export interface State {
  sent: readonly SentAct[]
  /** Number of the attempt, in the delivery's history, whose outcome is next. */
  attempt: number
  failures: number
  error: DeliveryError | null
  /** The stored state of the current act. */
  prepared: PreparedAct | null
  /** How long the delivery has waited for its network; null if it does not wait. */
  waitedMs: number | null
  /** When the current attempt began, by `uptimeMs`. */
  startedAt: number
}

/** An act of the delivery. It is built once, because it is needed up to four times. */
export function actOf(run: Run, state: State, planned: PlannedAct): Act | Failure {
  const act = run.built.get(planned.number) ?? buildAct(run.deps, run.delivery, planned, state.sent)
  run.built.set(planned.number, act)
  return act
}

/** The current act; undefined if none is left or it cannot be sent. */
export function currentAct(run: Run, state: State): Act | undefined {
  const planned = run.plan[state.sent.length]
  const act = planned && actOf(run, state, planned)
  return act && !isFailure(act) ? act : undefined
}

/** Calls a method of the adapter, for as long as an act may take. */
export function callAdapter<T>(
  { deps, lease, credentials }: Run,
  { media }: Act,
  work: (io: Io) => Promise<T>,
): Promise<T> {
  const limitMs = media.length > 0 ? ACT_WITH_FILES_MAX_MS : ACT_MAX_MS
  const fetch: Io['fetch'] = async (input, init) => {
    if (lease.mayBeOver()) throw suspended({ maybeSent: lease.isCalling })
    return deps.fetch(input, init)
  }
  return withinTime(limitMs, lease.signal, (signal) => work({ credentials, fetch, signal }))
}

/** The outcome of a delivery that is given back as it is. Throws if another worker holds it by now. */
export function released(
  { lease: { signal } }: Run,
  { retryInMs = 0, accountRestsMs = 0, isOpen = false } = {},
): Outcome<'released'> {
  if (signal.reason instanceof LeaseLost) throw signal.reason
  return { event: 'released', retryInMs, accountRestsMs, isOpen }
}

/** The outcome of an act that waits for its network. */
export const waitOf = <Event extends 'later' | 'processing'>(
  event: Event,
  act: number,
  { state, afterMs }: Wait<unknown>,
) => ({ event, prepared: { act, state }, afterMs })
