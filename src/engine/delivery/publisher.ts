import { LRUCache } from 'lru-cache'
import { claimDeliveries, claimDeliveriesOf } from '../../../db/queries/delivery/claim.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import { LeaseLost } from '../../base/lease-lost.ts'
import { type Changer, createChanger } from './changes/changer.ts'
import { deliver } from './deliver.ts'
import type { Deps } from './deps.ts'
import { createHeldDeliveries, type Held } from './held.ts'
import { Draining } from './lease.ts'
import { CLAIMED } from './machine.ts'
import { createReadings } from './readings.ts'
import type { RunDeps } from './run.ts'
import { factsOf } from './settled.ts'
import { LEASE_MS } from './timing.ts'

/**
 * How many accounts a publisher remembers to have sent to. Only to these does a delivery lead to the next one: for an
 * account with a single due delivery, looking for another costs a tenth of the throughput.
 */
const RECENT_ACCOUNTS_MAX = 1_000

export interface Publisher {
  /**
   * Claims due deliveries up to each network's concurrency, and starts them. Returns their number. On an account that
   * was sent to lately, each is followed by the next due one, while the network has a free slot.
   */
  claim(): Promise<number>
  /** From now on, no delivery is followed by the next one of its account. */
  stop(): void
  /** Whether the last claim found that this database may be worked on: it is not a restored one. */
  isReady(): boolean
  /** Renews the leases, and stops deliveries whose lease was lost or is about to end. Throws the database's errors. */
  renew(): Promise<void>
  /** Resolves when the next delivery ends. */
  settled(): Promise<void>
  /**
   * Gives back the deliveries that are not calling a network; with `calls`, aborts the others. Resolves when all end.
   */
  drain(options?: { calls: boolean }): Promise<void>
  /** Resolves when no delivery is running. */
  idle(): Promise<void>
  /** Ends what `changes` has begun, and writes the rest of the journal. */
  close(): Promise<void>
  /** Changes what was published, with the same dependencies. */
  changes: Changer
  /** A publisher for the sandbox accounts of one user, at the time that `clock` returns. Close this one alone. */
  ofUser(userId: string, clock: Deps['clock']): Publisher
}

/**
 * Claims deliveries and carries them out, several at a time. Any number of publishers may work on one database. The
 * closure is long because its short functions share what is held, and whether the worker stops.
 */
export function createPublisher(deps: Deps, userId?: string): Publisher {
  const { db, networks, journal, clock, uptimeMs } = deps
  const held = createHeldDeliveries(deps)
  const runDeps = { ...deps, readings: createReadings(uptimeMs) }
  const changes = createChanger(deps, userId)
  const recentAccounts = new LRUCache<string, true>({ max: RECENT_ACCOUNTS_MAX })
  let isReady = false
  let isStopping = false

  function slots(): Map<PlatformId, number> {
    const free = new Map(PLATFORM_IDS.map((id) => [id, networks[id].concurrency]))
    for (const { delivery } of held.all()) free.set(delivery.platform, free.get(delivery.platform)! - 1)
    return new Map([...free].filter(([, count]) => count > 0))
  }

  /** Carries out a delivery, and those of its account that follow it. */
  async function run(first: Held): Promise<void> {
    for (let current: Held | undefined = first; current; ) current = await carryOut(current)
    held.end()
  }

  /** Returns the next delivery of the account, if it was claimed. */
  async function carryOut(current: Held): Promise<Held | undefined> {
    const { accountId, platform } = current.delivery
    const isRecent = recentAccounts.has(accountId)
    recentAccounts.set(accountId, true)
    const claimed = await deliverHeld(runDeps, current, () => isRecent && !isStopping && slots().has(platform))
    held.remove(current)
    if (!claimed) return undefined
    const next = held.add(claimed.delivery, claimed.claimedAt)
    if (isStopping) next.controller.abort(new Draining())
    // A restored database is never sent from.
    if (await journal.begin()) return next
    held.remove(next)
    return undefined
  }

  return {
    async claim() {
      const free = slots()
      if (free.size === 0) return 0
      isReady = await journal.isReady()
      if (!isReady) return 0
      const renewedAt = uptimeMs()
      const terms = { leaseMs: LEASE_MS, state: CLAIMED, now: clock() }
      const claimed =
        userId === undefined
          ? await claimDeliveries(db, { platforms: [...free.keys()], slots: [...free.values()], ...terms })
          : await claimDeliveriesOf(db, { userId, ...terms })
      // A restored database is never sent from: the leases end, and `restore finish` decides.
      if (claimed.length > 0 && !(await journal.begin())) return 0
      for (const each of claimed.map((delivery) => held.add(delivery, renewedAt))) void run(each)
      return claimed.length
    },

    stop: () => {
      isStopping = true
    },

    isReady: () => isReady,

    renew: held.renew,
    settled: held.settled,

    async drain(options = { calls: true }) {
      isStopping = true
      held.abort(options)
      await held.idle()
    },

    idle: held.idle,
    async close() {
      await changes.drain()
      await journal.close()
    },
    changes,
    ofUser: (userId, clock) => createPublisher({ ...deps, clock }, userId),
  }
}

/**
 * Carries out one delivery. Returns the next one, if it was claimed. An error is logged: another worker takes it over.
 */
async function deliverHeld(deps: RunDeps, { delivery, lease }: Held, mayGoOn: () => boolean) {
  try {
    return await deliver(deps, delivery, lease, mayGoOn)
  } catch (error) {
    const facts = factsOf(delivery)
    if (error instanceof LeaseLost) deps.log.warn(facts, 'delivery was taken over')
    else deps.log.error({ ...facts, err: error }, 'delivery is left to be taken over')
    return undefined
  }
}
