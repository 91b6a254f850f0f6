import { budgetSpent } from './budget.ts'

interface Share {
  inUse: number
  waiting: { resolve(): void; timer: NodeJS.Timeout }[]
}

/** What each user may have of a pool, so that the slow requests of one leave connections to others. */
export interface Shares {
  /** Takes one of the user's places. Undefined if one is free; else a promise, which rejects after `ms`. */
  enter(userId: string, ms: number): Promise<void> | undefined
  leave(userId: string): void
}

export function createShares(perUser: number): Shares {
  const shares = new Map<string, Share>()

  function wait(share: Share, ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        share.waiting.splice(share.waiting.indexOf(waiter), 1)
        reject(budgetSpent())
      }, ms)
      const waiter = { resolve, timer }
      share.waiting.push(waiter)
    })
  }

  return {
    enter(userId, ms) {
      const share = shares.get(userId) ?? { inUse: 0, waiting: [] }
      if (share.inUse >= perUser) return wait(share, ms)
      share.inUse++
      shares.set(userId, share)
      return undefined
    },
    leave(userId) {
      const share = shares.get(userId)!
      const next = share.waiting.shift()
      if (next) {
        // It takes over the place.
        clearTimeout(next.timer)
        next.resolve()
      } else if (--share.inUse === 0) shares.delete(userId)
    },
  }
}
