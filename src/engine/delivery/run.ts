import type { ClaimedDelivery } from '../../../db/queries/delivery/claim.ts'
import type { PreparedAct, SentAct } from '../../../db/queries/delivery/delivery.ts'
import { isSentByAnother, restSharedLimit } from '../../../db/queries/delivery/limits.ts'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import { LeaseLost } from '../../base/lease-lost.ts'
import { untilStored } from '../../base/until-stored.ts'
import type { Act, AnyAdapter, Wait } from '../../platforms/contract/adapter.ts'
import type { Credentials, Io } from '../../platforms/contract/io.ts'
import { Moved, PublishError } from '../../platforms/contract/publish-error.ts'
import { refreshRefused, storeMoved } from './account.ts'
import { buildAct } from './act.ts'
import type { Outcome } from './decide.ts'
import type { Deps } from './deps.ts'
import { databaseFailure, type Failure, failure, isOfApp, restMs } from './failures.ts'
import { type HeldLease, suspended } from './lease.ts'
import { openFile } from './open-file.ts'
import type { PlannedAct } from './plan.ts'
import type { Readings } from './readings.ts'
import { ACT_MAX_MS, ACT_WITH_FILES_MAX_MS, OTHER_CALLS_SINCE_MS, SHARED_REST_KEPT_MS } from './timing.ts'
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

/** The facts of a delivery that log lines have. */
export const factsOf = ({ userId, postId, accountId, platform }: ClaimedDelivery) => ({
  userId,
  postId,
  accountId,
  platform,
})

/** An act as its adapter gets it, or why it can never be sent. */
export function build(
  { deps, delivery }: Pick<Run, 'delivery'> & { deps: Deps },
  { sent }: Pick<State, 'sent'>,
  planned: PlannedAct,
) {
  const { storage, addressOf } = deps
  return buildAct(delivery, planned, sent, { open: (key, range) => openFile(storage, key, range), addressOf })
}

/** An act of the delivery. It is built once, because it is needed up to four times. */
export function actOf(run: Run, state: State, planned: PlannedAct): Act | Failure {
  const act = run.built.get(planned.number) ?? build(run, state, planned)
  run.built.set(planned.number, act)
  return act
}

export const isFailure = (value: Failure | Act | Credentials): value is Failure => 'maybeSent' in value

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

/** Whether another post sent an act with this id: a network that is searched by content may find it. */
export async function isOfAnother(
  { deps, delivery }: Pick<Run, 'delivery'> & { deps: Deps },
  id: string | null,
): Promise<{ isSent: boolean; isKnown: boolean }> {
  // An id of null means that the network has confirmed this act itself.
  if (id === null) return { isSent: false, isKnown: true }
  const { db, attemptsKeptMs: keptMs, clock } = deps
  const { postId, accountId, startedAt } = delivery
  const since = new Date(startedAt.getTime() - OTHER_CALLS_SINCE_MS)
  const [found] = await untilStored(deps, () =>
    isSentByAnother(db, { postId, accountId, id, since, keptMs, now: clock() }),
  )
  return found!
}

/**
 * Why an act did not succeed. Adapters throw PublishErrors; one with a cause is a failure of our storage. Any other
 * error is a mistake of ours, which may have come after the call.
 */
export async function reasonOf(
  { deps, delivery, credentials }: Pick<Run, 'delivery' | 'credentials'> & { deps: Deps },
  state: Pick<State, 'error'>,
  thrown: unknown,
): Promise<Failure> {
  const { log } = deps
  const facts = factsOf(delivery)
  if (thrown instanceof PublishError) {
    const { cause } = thrown
    if (cause !== undefined) log.error({ err: cause, ...facts }, 'a file of the post could not be read')
    if (thrown instanceof Moved) await storeMoved(deps, delivery, thrown)
    return refreshRefused(deps, { ...delivery, error: state.error }, credentials, thrown)
  }
  const database = databaseFailure(thrown)
  if (database) {
    log.error({ err: thrown, ...facts }, 'publishing failed because of the database')
    return database
  }
  log.error({ err: thrown, ...facts }, 'publishing failed unexpectedly')
  const ours = failure('internal_error', 'An internal error occurred in Postroom', { retryable: true })
  return { ...ours, maybeSent: true }
}

/**
 * Rests all accounts that share a rate limit, or whose app the network restricts. An error is logged only: each of them
 * would get its own refusal.
 */
export async function restShared(
  { db, clock, log }: Deps,
  { accountId }: ClaimedDelivery,
  refusal: Failure,
): Promise<void> {
  const { limitKey: key, retryAfterMs = 0, code, message } = refusal
  if (key === undefined) return
  const ms = restMs(retryAfterMs)
  const reason = isOfApp(refusal) ? { code, message } : null
  if (reason) log.error({ key, restMs: ms, reason: message }, 'a network restricts the app: all its accounts rest')
  const rest = { accountId, key, ms, reason, keptMs: SHARED_REST_KEPT_MS, now: clock() }
  await restSharedLimit(db, rest).catch((error) => log.error({ err: error, key }, 'a shared rest could not be stored'))
}
