import { type ClaimedDelivery, claimDeliveries, readNextDue, renewLeases } from '../../db/queries/deliveries.ts'
import { PLATFORM_IDS, type PlatformId } from '../../schemas/platform.ts'
import { type Deps, Draining, deliver, LEASE_MS, LeaseLost } from './deliver.ts'

/** Networks that nothing can be sent to take no time. */
const CONCURRENCY_DEFAULT = 16

export interface Publisher {
  /** Claims what is due, as much as may be under way at a time, and begins with it. Gives how many there were. */
  claim(): Promise<number>
  /** How long until more is due, in milliseconds; undefined where nothing is. */
  nextDueInMs(): Promise<number | undefined>
  /** Renews the leases of what is under way; what was lost is stopped. */
  renew(): Promise<void>
  /** Comes back when a delivery has ended since it was asked, or `ms` have passed. */
  settled(): Promise<void>
  /** Stops what has not been sent, and comes back when nothing is under way. */
  drain(): Promise<void>
  /** Comes back when nothing is under way. */
  idle(): Promise<void>
}

interface Running {
  delivery: ClaimedDelivery
  controller: AbortController
}

/** Claims deliveries and carries them out, several at a time. Any number of them may work on one database. */
export function createPublisher(deps: Deps): Publisher {
  const { db, networks, clock, log } = deps
  const running = new Map<string, Running>()
  let ended = Promise.withResolvers<void>()

  function slots(): Map<PlatformId, number> {
    const free = new Map(PLATFORM_IDS.map((id) => [id, networks[id]?.concurrency ?? CONCURRENCY_DEFAULT]))
    for (const { delivery } of running.values()) free.set(delivery.platform, free.get(delivery.platform)! - 1)
    return new Map([...free].filter(([, count]) => count > 0))
  }

  async function run(delivery: ClaimedDelivery, controller: AbortController): Promise<void> {
    const { userId, postId, accountId, leaseToken, platform } = delivery
    try {
      await deliver(deps, delivery, controller.signal)
      log.info({ userId, postId, accountId, platform }, 'delivery settled')
    } catch (error) {
      if (error instanceof LeaseLost) log.warn({ postId, accountId, platform }, 'delivery was taken over')
      else log.error({ err: error, postId, accountId, platform }, 'delivery is left to be taken over')
    } finally {
      running.delete(leaseToken)
      ended.resolve()
      ended = Promise.withResolvers()
    }
  }

  const idle = async () => {
    while (running.size > 0) await ended.promise
  }

  return {
    async claim() {
      const free = slots()
      if (free.size === 0) return 0
      const claimed = await claimDeliveries(db, {
        platforms: [...free.keys()],
        slots: [...free.values()],
        now: clock(),
        leaseMs: LEASE_MS,
      })
      for (const delivery of claimed) {
        const controller = new AbortController()
        running.set(delivery.leaseToken, { delivery, controller })
        void run(delivery, controller)
      }
      return claimed.length
    },

    async nextDueInMs() {
      const [next] = await readNextDue(db, { platforms: [...PLATFORM_IDS], now: clock() })
      return next?.inMs ?? undefined
    },

    async renew() {
      const held = [...running.values()]
      if (held.length === 0) return
      const renewed = await renewLeases(db, {
        userIds: held.map(({ delivery }) => delivery.userId),
        postIds: held.map(({ delivery }) => delivery.postId),
        accountIds: held.map(({ delivery }) => delivery.accountId),
        leaseTokens: held.map(({ delivery }) => delivery.leaseToken),
        now: clock(),
        leaseMs: LEASE_MS,
      })
      const tokens = new Set(renewed.map(({ leaseToken }) => leaseToken))
      for (const { delivery, controller } of held) {
        if (!tokens.has(delivery.leaseToken)) controller.abort(new LeaseLost())
      }
    },

    settled: () => ended.promise,

    async drain() {
      for (const { controller } of running.values()) controller.abort(new Draining())
      await idle()
    },

    idle,
  }
}
