import { LRUCache } from 'lru-cache'
import { readNextDue } from '../../db/queries/delivery/backlog.ts'
import { type ClaimedDelivery, claimDeliveries } from '../../db/queries/delivery/claim.ts'
import { renewLeases } from '../../db/queries/delivery/renew.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import { LeaseLost } from '../lease-lost.ts'
import { deliver } from './deliver.ts'
import type { Deps } from './deps.ts'
import { Draining, type HeldLease } from './lease.ts'
import { CLAIMED } from './machine.ts'
import { createReadings } from './readings.ts'
import { LEASE_MARGIN_MS, LEASE_MS } from './timing.ts'

/**
 * How many accounts a publisher remembers to have sent to. Only to these does a delivery lead to the next one: for an account
 * with a single due delivery, looking for another costs a tenth of the throughput.
 */
const RECENT_ACCOUNTS_MAX = 1_000

export interface Publisher {
  /**
   * Claims due deliveries up to each network's concurrency, and starts them. Returns their number. On an account that was
   * sent to lately, each is followed by the next due one, while the network has a free slot.
   */
  claim(): Promise<number>
  /** From now on, no delivery is followed by the next one of its account. */
  stop(): void
  /** Whether the last claim found that this database may be worked on: it is not a restored one. */
  isReady(): boolean
  /** Milliseconds until the next delivery is due; undefined if none is scheduled. */
  nextDueInMs(): Promise<number | undefined>
  /** Renews the leases, and stops deliveries whose lease was lost or is about to end. Throws the database's errors. */
  renew(): Promise<void>
  /** Resolves when the next delivery ends. */
  settled(): Promise<void>
  /** Gives back the deliveries that are not calling a network; with `calls`, aborts the others. Resolves when all end. */
  drain(options?: { calls: boolean }): Promise<void>
  /** Resolves when no delivery is running. */
  idle(): Promise<void>
  /** Writes the rest of the journal. */
  close(): Promise<void>
}

interface Running {
  delivery: ClaimedDelivery
  controller: AbortController
  lease: HeldLease
  /** When the lease was claimed or last renewed, by `uptimeMs`, taken before the statement. */
  renewedAt: number
}

/** Claims deliveries and carries them out, several at a time. Any number of publishers may work on one database. */
export function createPublisher(deps: Deps): Publisher {
  const { db, networks, journal, clock, uptimeMs, log } = deps
  const running = new Map<string, Running>()
  const readings = createReadings(uptimeMs)
  const recentAccounts = new LRUCache<string, true>({ max: RECENT_ACCOUNTS_MAX })
  let ended = Promise.withResolvers<void>()
  let isReady = false
  let isStopping = false

  function slots(): Map<PlatformId, number> {
    const free = new Map(PLATFORM_IDS.map((id) => [id, networks[id].concurrency]))
    for (const { delivery } of running.values()) free.set(delivery.platform, free.get(delivery.platform)! - 1)
    return new Map([...free].filter(([, count]) => count > 0))
  }

  function hold(delivery: ClaimedDelivery, renewedAt: number): Running {
    const controller = new AbortController()
    const held = { delivery, controller, lease: { signal: controller.signal, isCalling: false }, renewedAt }
    running.set(delivery.leaseToken, held)
    return held
  }

  /** Carries out a delivery, and those of its account that follow it. */
  async function run(first: Running): Promise<void> {
    for (let held: Running | undefined = first; held; ) held = await carryOut(held)
    ended.resolve()
    ended = Promise.withResolvers()
  }

  /** Returns the next delivery of the account, if it was claimed. */
  async function carryOut({ delivery, lease }: Running): Promise<Running | undefined> {
    const { userId, postId, accountId, leaseToken, platform } = delivery
    const facts = { userId, postId, accountId, platform }
    const isRecent = recentAccounts.has(accountId)
    recentAccounts.set(accountId, true)
    const mayGoOn = () => isRecent && !isStopping && slots().has(platform)
    let next: Awaited<ReturnType<typeof deliver>>
    try {
      next = await deliver({ ...deps, readings }, delivery, lease, mayGoOn)
    } catch (error) {
      if (error instanceof LeaseLost) log.warn(facts, 'delivery was taken over')
      else log.error({ ...facts, err: error }, 'delivery is left to be taken over')
    }
    running.delete(leaseToken)
    if (!next) return undefined
    const held = hold(next.delivery, next.claimedAt)
    if (isStopping) held.controller.abort(new Draining())
    // Workers of a restored database send nothing.
    if (await journal.begin()) return held
    running.delete(next.delivery.leaseToken)
    return undefined
  }

  const idle = async () => {
    while (running.size > 0) await ended.promise
  }

  return {
    async claim() {
      const free = slots()
      if (free.size === 0) return 0
      isReady = await journal.isReady()
      if (!isReady) return 0
      const renewedAt = uptimeMs()
      const claimed = await claimDeliveries(db, {
        platforms: [...free.keys()],
        slots: [...free.values()],
        leaseMs: LEASE_MS,
        state: CLAIMED,
        now: clock(),
      })
      // Workers of a restored database send nothing: the leases end, and `restore finish` decides.
      if (claimed.length > 0 && !(await journal.begin())) return 0
      for (const held of claimed.map((delivery) => hold(delivery, renewedAt))) void run(held)
      return claimed.length
    },

    stop: () => {
      isStopping = true
    },

    isReady: () => isReady,

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
          leaseMs: LEASE_MS,
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
      isStopping = true
      for (const { controller, lease } of running.values()) {
        if (calls || !lease.isCalling) controller.abort(new Draining())
      }
      await idle()
    },

    idle,

    close: () => journal.close(),
  }
}
