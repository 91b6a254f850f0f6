import type { PlatformId } from '../../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import { claimNextRefresh, type RefreshDeps, refreshTokens } from './refresh.ts'
import { REFRESH_DRAIN_MS, REFRESHES_MAX } from './refresh-rules.ts'

/** Refreshes tokens that are due, several at a time. Not of a copy of a database: its tokens belong to the original. */
export function createRefresher(deps: RefreshDeps) {
  const calls = new AbortController()
  const running = new Map<Promise<void>, PlatformId>()
  let ended = Promise.withResolvers<void>()

  function end(refresh: Promise<void>): void {
    running.delete(refresh)
    ended.resolve()
    ended = Promise.withResolvers()
  }

  return {
    /** Begins the refresh of one account. Returns whether there may be more. */
    async begin(): Promise<boolean> {
      const busy = [...running.values()]
      const free = PLATFORM_IDS.filter((id) => busy.filter((platform) => platform === id).length < REFRESHES_MAX)
      const held = free.length > 0 ? await claimNextRefresh(deps, free) : undefined
      if (!held) return false
      const { accountId, platform } = held.claim
      const run: Promise<void> = refreshTokens(deps, held, calls.signal)
        .catch((error) => deps.log.error({ err: error, accountId }, 'a token refresh was not stored'))
        .finally(() => end(run))
      running.set(run, platform)
      return true
    },

    /** Resolves when the next refresh ends. */
    settled: () => ended.promise,

    /** Resolves when no refresh is running, soon after it was called. */
    async drain(): Promise<void> {
      const drained = setTimeout(() => calls.abort(), REFRESH_DRAIN_MS)
      await Promise.all(running.keys())
      clearTimeout(drained)
    },
  }
}
