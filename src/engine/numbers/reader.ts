import { DRAIN_MS, TURNS_MAX } from './timing.ts'
import { claimNextTurn, discover, type TurnDeps, takeTurn } from './turn.ts'

/** Reads the numbers of posts that are due, a few accounts at a time. */
export function createReader(deps: TurnDeps) {
  const calls = new AbortController()
  const running = new Set<Promise<void>>()
  let ended = Promise.withResolvers<void>()

  function end(turn: Promise<void>): void {
    running.delete(turn)
    ended.resolve()
    ended = Promise.withResolvers()
  }

  return {
    /** Finds new posts, and begins the turn of one account. Returns whether there may be more to do. */
    async begin(): Promise<boolean> {
      const isBehind = await discover(deps)
      const turn = running.size < TURNS_MAX ? await claimNextTurn(deps) : undefined
      if (!turn) return isBehind
      const run: Promise<void> = takeTurn(deps, turn, calls.signal)
        .catch((error) => deps.log.error({ err: error, accountId: turn.accountId }, 'numbers were not stored'))
        .finally(() => end(run))
      running.add(run)
      return true
    },

    /** Resolves when the next turn ends. */
    settled: () => ended.promise,

    /** Resolves when no turn is running, soon after it was called. */
    async drain(): Promise<void> {
      const drained = setTimeout(() => calls.abort(), DRAIN_MS)
      await Promise.all(running)
      clearTimeout(drained)
    },
  }
}
