import { setTimeout as pause } from 'node:timers/promises'
import type { PlatformId } from '../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import { logOutages } from '../log.ts'
import { claimNextRefresh, type RefreshDeps, refreshTokens } from './refresh.ts'
import { REFRESH_DRAIN_MS, REFRESH_POLL_MS, REFRESHES_MAX } from './refresh-rules.ts'

/**
 * Refreshes tokens that are due until `stop` resolves, and returns when all calls have ended, soon after. Nothing is refreshed while
 * `isReady` returns false: tokens in a copy of a database belong to the original.
 */
export async function runRefresher(deps: RefreshDeps, isReady: () => boolean, stop: Promise<unknown>): Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  void stop.then(() => stopping.abort())
  const calls = new AbortController()
  const running = new Map<Promise<void>, PlatformId>()

  /** Returns whether there may be more. */
  async function step(): Promise<boolean> {
    const busy = [...running.values()]
    const free = PLATFORM_IDS.filter((id) => busy.filter((platform) => platform === id).length < REFRESHES_MAX)
    const held = isReady() && free.length > 0 ? await claimNextRefresh(deps, free) : undefined
    if (!held) return false
    const { accountId, platform } = held.claim
    const run: Promise<void> = refreshTokens(deps, held, calls.signal)
      .catch((error) => deps.log.error({ err: error, accountId }, 'a token refresh was not stored'))
      .finally(() => running.delete(run))
    running.set(run, platform)
    return true
  }

  const outages = logOutages(deps.log, {
    begin: 'tokens that are due for refreshing cannot be claimed',
    end: 'tokens that are due for refreshing are claimed again',
  })
  while (!signal.aborted) {
    try {
      const hasClaimed = await step()
      outages.worked()
      if (hasClaimed) continue
    } catch (error) {
      outages.failed(error)
    }
    await Promise.race([...running.keys(), pause(REFRESH_POLL_MS, undefined, { signal }).catch(() => {})])
  }
  const drained = setTimeout(() => calls.abort(), REFRESH_DRAIN_MS)
  await Promise.all(running.keys())
  clearTimeout(drained)
}
