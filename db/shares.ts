import { budgetSpent } from './budget.ts'

interface Share {
  inUse: number
  waiting: { resolve(): void; timer: NodeJS.Timeout }[]
  /** Undefined for a user, whose places depend on the other owners. */
  size: number | undefined
}

/**
 * Limits the connections of each owner, so that the slow requests of one leave connections to others. An owner is a
 * user, or all requests of a kind that have no user.
 */
export interface Shares {
  /** Takes a place of the owner. Undefined if one is free, otherwise a promise that rejects after `ms`. */
  enter(userId: string, ms: number): Promise<void> | undefined
  leave(userId: string): void
}

interface Sizes {
  alone: number
  shared: number
  /** The places of the owners that are not users, by name. */
  others: Map<string, number>
}

/**
 * A user may use `alone` places while no other owner uses one, and `shared` places otherwise. Each is at least 1. A
 * user that has more than `shared` when another owner comes keeps them, but gets no more.
 */
export function createShares({ alone, shared, others }: Sizes): Shares {
  /** The shares of users that use at least one place. */
  const shares = new Map<string, Share>()

  const isFree = ({ inUse, size }: Share) => inUse < (size ?? (shares.size > 1 ? shared : alone))

  function shareOf(userId: string): Share {
    const existing = shares.get(userId)
    if (existing) return existing
    const share: Share = { inUse: 0, waiting: [], size: others.get(userId) }
    shares.set(userId, share)
    return share
  }

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

  function admitWaiting(share: Share): void {
    while (share.waiting.length > 0 && isFree(share)) {
      const { resolve, timer } = share.waiting.shift()!
      clearTimeout(timer)
      share.inUse++
      resolve()
    }
  }

  return {
    enter(userId, ms) {
      const share = shareOf(userId)
      if (!isFree(share)) return wait(share, ms)
      share.inUse++
      return undefined
    },
    leave(userId) {
      const share = shares.get(userId)!
      share.inUse--
      admitWaiting(share)
      if (share.inUse > 0) return
      shares.delete(userId)
      // If one user is left, it may use more.
      if (shares.size === 1) for (const last of shares.values()) admitWaiting(last)
    },
  }
}
