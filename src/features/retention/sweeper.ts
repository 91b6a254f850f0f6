import type { Db } from '../../../db/client.ts'
import type { Now } from '../../../db/queries/clock.ts'
import { beginSweep, endSweep, renewSweep } from '../../../db/queries/retention/sweeps.ts'
import { LeaseLost } from '../../base/lease-lost.ts'
import type { Library } from '../media/library.ts'
import { addSearchTexts } from '../media/search-texts.ts'
import { sweepStagedFiles } from '../media/sweep.ts'
import { type MarkProgress, markPosts } from './mark-posts.ts'
import {
  removeExpiredKeys,
  removeExpiredOAuth,
  removeOldAttempts,
  removeOldConnections,
  removeOldEvents,
  removeOldMetricPoints,
  removeOldPosts,
  removeOldSandboxCalls,
  removeOldWebhookDeliveries,
  removeUnusedMedia,
} from './old-rows.ts'
import { Pace } from './pace.ts'

/** After how many milliseconds old data are removed; null where they are kept. */
export interface Retention {
  postsMs: number | null
  attemptsMs: number | null
  sandboxCallsMs: number | null
  unusedMediaMs: number | null
  eventsMs: number
}

export interface SweeperDeps {
  library: Library
  retention: Retention
  clock: () => Now
  /** Kept from sweep to sweep. */
  marking: MarkProgress
  /** Resolves after `ms`, or rejects when `signal` aborts. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>
  log: {
    info(facts: object, message: string): void
    warn(facts: object, message: string): void
    error(facts: object, message: string): void
  }
}

export interface Removed {
  idempotencyKeys: number
  connections: number
  /** Rows of the tables of OAuth. */
  oauth: number
  sandboxCalls: number
  events: number
  webhookDeliveries: number
  posts: number
  attempts: number
  metricPoints: number
  /** Files that no post uses. */
  media: number
  /** Files whose bytes were deleted: those of removed media, and what crashes left behind. */
  files: number
}

export const SWEEP_EVERY_MS = 3_600_000
/** After an error. Another worker may try earlier. */
export const RETRY_MS = 600_000
/** A step with more to do continues in the next sweep, which is due immediately then. */
const STEP_MS = 600_000

/** The log of webhooks. */
const WEBHOOK_DELIVERIES_KEPT_MS = 30 * 86_400_000

/** The daily numbers of posts. */
const METRIC_POINTS_KEPT_MS = 400 * 86_400_000

const LEASE_MS = 120_000
const RENEW_EVERY_MS = 20_000
const REST_MAX_MS = 60_000

/** The share of one core that the worker and Postgres use together. */
const ROWS_SHARE = 0.01
/** While there are files to delete. Deleting one mostly waits for the storage. */
const FILES_SHARE = 0.1

/**
 * Sweeps if no worker has done so for an hour and none is at it. Returns what was removed, and undefined if no sweep
 * was due or `signal` ended it. Everything that it does can be interrupted anywhere and repeated.
 */
export async function sweepIfDue(deps: SweeperDeps, signal: AbortSignal): Promise<Removed | undefined> {
  const { library, clock, log } = deps
  const { db } = library
  const begun = await beginSweep(db, { leaseMs: LEASE_MS, now: clock() })
  if (!begun) return undefined
  const { leaseToken, startedAt } = begun
  let renewedAt = performance.now()
  const rest = async (ms: number) => {
    await deps.pause(Math.min(ms, REST_MAX_MS), signal)
    signal.throwIfAborted()
    if (performance.now() - renewedAt < RENEW_EVERY_MS) return
    if (!(await renewSweep(db, leaseToken, { leaseMs: LEASE_MS, now: clock() }))) throw new LeaseLost()
    renewedAt = performance.now()
  }
  const beganAt = performance.now()
  try {
    const { removed, markedPosts, isComplete } = await sweep(deps, startedAt, rest)
    await endSweep(db, leaseToken, { isFinished: true, nextInMs: isComplete ? SWEEP_EVERY_MS : 0, now: clock() })
    log.info(
      { removed, markedPosts, isComplete, durationMs: Math.round(performance.now() - beganAt) },
      'old data removed',
    )
    return removed
  } catch (error) {
    if (signal.aborted) await endSweep(db, leaseToken, { isFinished: false, nextInMs: 0, now: clock() })
    else if (error instanceof LeaseLost) log.warn({}, 'another worker has taken over the sweep')
    else throw error
    return undefined
  }
}

async function sweep(
  { library, retention, marking, log }: SweeperDeps,
  startedAt: Date,
  rest: (ms: number) => Promise<void>,
): Promise<{ removed: Removed; markedPosts: number; isComplete: boolean }> {
  const { db } = library
  let isComplete = true
  const step = async (work: (db: Db, pace: Pace, before: Date) => Promise<number>, keptMs: number | null) => {
    if (keptMs === null) return 0
    const pace = new Pace({ share: ROWS_SHARE, lastsMs: STEP_MS, rest })
    const count = await work(db, pace, new Date(startedAt.getTime() - keptMs))
    isComplete &&= !pace.wasCutShort
    return count
  }
  const removed = {
    idempotencyKeys: await step(removeExpiredKeys, 0),
    connections: await step(removeOldConnections, 0),
    oauth: await step(removeExpiredOAuth, 0),
    sandboxCalls: await step(removeOldSandboxCalls, retention.sandboxCallsMs),
    events: await step(removeOldEvents, retention.eventsMs),
    webhookDeliveries: await step(removeOldWebhookDeliveries, WEBHOOK_DELIVERIES_KEPT_MS),
    posts: await step(removeOldPosts, retention.postsMs),
    attempts: await step(removeOldAttempts, retention.attemptsMs),
    metricPoints: await step(removeOldMetricPoints, METRIC_POINTS_KEPT_MS),
    media: await step(removeUnusedMedia, retention.unusedMediaMs),
  }
  const markedPosts = await step((db, pace) => markPosts(db, pace, marking), 0)
  await step(addSearchTexts, 0)
  const pace = new Pace({ share: FILES_SHARE, lastsMs: STEP_MS, rest })
  const { removed: files, failures } = await sweepStagedFiles(library, pace)
  isComplete &&= !pace.wasCutShort
  if (failures.length > 0) log.warn({ count: failures.length, first: failures[0] }, 'files could not be deleted')
  return { removed: { ...removed, files }, markedPosts, isComplete }
}
