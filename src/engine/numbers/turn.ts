import { discoverDeliveries, EVENTS_MAX } from '../../../db/queries/numbers/discover.ts'
import { storeReadings } from '../../../db/queries/numbers/store.ts'
import { claimTurn, endTurn, findDuePosts, type MetricTurn } from '../../../db/queries/numbers/turns.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { listCallMaxima } from './mode.ts'
import { type ReadDeps, readPosts } from './read.ts'
import {
  CALLS_PER_TURN,
  coolDownMs,
  ENDS_AFTER_MS,
  FIRST_AFTER_MS,
  GONE_AFTER_MS,
  POSTPONE_MS,
  POSTS_PER_TURN,
  SOON_MS,
  TURN_LEASE_MS,
  TURN_MAX_MS,
  TURN_PAUSE_MS,
} from './timing.ts'

export interface TurnDeps extends ReadDeps {
  /** The networks that are read. */
  platforms: PlatformId[]
}

/** Finds deliveries that were published since the last call. Returns whether there may be more. */
export async function discover({ db, platforms, clock }: TurnDeps): Promise<boolean> {
  const limits = { firstAfterMs: FIRST_AFTER_MS, endsAfterMs: ENDS_AFTER_MS, limit: EVENTS_MAX }
  const [found] = await discoverDeliveries(db, { platforms, ...limits, now: clock() })
  return found!.count === EVENTS_MAX
}

/** Claims the account that has been due for the longest; undefined if none is. */
export function claimNextTurn({ db, platforms, clock }: TurnDeps): Promise<MetricTurn | undefined> {
  const callMaxima = listCallMaxima(platforms)
  return claimTurn(db, { platforms, callMaxima, leaseMs: TURN_LEASE_MS, postponeMs: POSTPONE_MS, now: clock() })
}

/** Reads the posts of a claimed account that are due, and stores their numbers. `signal` aborts the calls. */
export async function takeTurn(deps: TurnDeps, turn: MetricTurn, signal?: AbortSignal): Promise<void> {
  const { db, clock } = deps
  const { accountId, leaseToken } = turn
  const { postsPerCall, callsPerDayMax } = NETWORKS[turn.platform].metrics
  const limit = Math.min(POSTS_PER_TURN, CALLS_PER_TURN * postsPerCall)
  const posts = await findDuePosts(db, { accountId, soonMs: SOON_MS, limit, now: clock() })
  const { readings, failure } = await readPosts(deps, turn, posts, {
    limitMs: TURN_MAX_MS,
    ...(signal && { signal }),
  })
  if (readings.length > 0) await storeReadings(db, readings, { confirmMs: GONE_AFTER_MS, now: clock() })
  const failures = failure ? turn.failures + 1 : 0
  const restMs = failure ? coolDownMs(failures, failure.retryAfterMs) : TURN_PAUSE_MS
  const calls = callsPerDayMax === undefined ? 0 : Math.ceil(posts.length / postsPerCall)
  await endTurn(db, { accountId, leaseToken, restMs, failures, calls, now: clock() })
}
