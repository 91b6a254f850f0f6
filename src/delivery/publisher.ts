import { type ClaimedDelivery, claimDeliveries, readNextDue } from '../../db/queries/delivery/claim.ts'
import { LEASE_MS, renewLeases } from '../../db/queries/delivery/settle.ts'
import { PLATFORM_IDS, type PlatformId } from '../../schemas/platform.ts'
import { type Deps, Draining, deliver, LEASE_MARGIN_MS, type Lease, LeaseLost } from './deliver.ts'

/** Networks that nothing can be sent to take no time. */
const CONCURRENCY_DEFAULT = 16

export interface Publisher {
  /** Claims what is due, as much as may be under way at a time, and begins with it. Gives how many there were. */
  claim(): Promise<number>
  /** How long until more is due, in milliseconds; undefined where nothing is. */
  nextDueInMs(): Promise<number | undefined>
  /**
   * Renews the leases of what is under way; what was lost is stopped, and so is what could not be renewed for too long.
   * Throws what the database throws.
   */
  renew(): Promise<void>
  /** Comes back when the next delivery has ended. */
  settled(): Promise<void>
  /** Gives back what has not been sent, and with `calls` those that are on their way as well. Comes back when it is done. */
  drain(options?: { calls: boolean }): Promise<void>
  /** Comes back when nothing is under way. */
  idle(): Promise<void>
}

interface Running {
  delivery: ClaimedDelivery
  controller: AbortController
  lease: Lease
  /** When the lease was claimed or last renewed, by `uptimeMs`, from before it was asked for. */
  renewedAt: number
}

/** Claims deliveries and carries them out, several at a time. Any number of them may work on one database. */
export function createPublisher(deps: Deps): Publisher {
  const { db, networks, clock, uptimeMs, log } = deps
  const running = new Map<string, Running>()
  let ended = Promise.withResolvers<void>()

  function slots(): Map<PlatformId, number> {
    const free = new Map(PLATFORM_IDS.map((id) => [id, networks[id]?.concurrency ?? CONCURRENCY_DEFAULT]))
    for (const { delivery } of running.values()) free.set(delivery.platform, free.get(delivery.platform)! - 1)
    return new Map([...free].filter(([, count]) => count > 0))
  }

  async function run({ delivery, lease }: Running): Promise<void> {
    const { userId, postId, accountId, leaseToken, platform } = delivery
    try {
      await deliver(deps, delivery, lease)
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
      const renewedAt = uptimeMs()
      const claimed = await claimDeliveries(db, {
        platforms: [...free.keys()],
        slots: [...free.values()],
        now: clock(),
      })
      for (const delivery of claimed) {
        const controller = new AbortController()
        const lease = { signal: controller.signal, isCalling: false }
        const each = { delivery, controller, lease, renewedAt }
        running.set(delivery.leaseToken, each)
        void run(each)
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
      const now = uptimeMs()
      try {
        const renewed = await renewLeases(db, {
          userIds: held.map(({ delivery }) => delivery.userId),
          postIds: held.map(({ delivery }) => delivery.postId),
          accountIds: held.map(({ delivery }) => delivery.accountId),
          leaseTokens: held.map(({ delivery }) => delivery.leaseToken),
          now: clock(),
        })
        const tokens = new Set(renewed.map(({ leaseToken }) => leaseToken))
        for (const each of held) each.renewedAt = tokens.has(each.delivery.leaseToken) ? now : Number.NEGATIVE_INFINITY
      } finally {
        for (const { renewedAt, controller } of held) {
          if (uptimeMs() - renewedAt > LEASE_MS - LEASE_MARGIN_MS) controller.abort(new LeaseLost())
        }
      }
    },

    settled: () => ended.promise,

    async drain({ calls } = { calls: true }) {
      for (const { controller, lease } of running.values()) {
        if (calls || !lease.isCalling) controller.abort(new Draining())
      }
      await idle()
    },

    idle,
  }
}
