import type { ClaimedDelivery } from '../../../db/queries/delivery/claim.ts'
import { renewLeases } from '../../../db/queries/delivery/renew.ts'
import { LeaseLost } from '../../base/lease-lost.ts'
import type { Deps } from './deps.ts'
import { Draining, type HeldLease } from './lease.ts'
import { LEASE_MARGIN_MS, LEASE_MS } from './timing.ts'

/** A delivery that this worker holds. */
export interface Held {
  delivery: ClaimedDelivery
  controller: AbortController
  lease: HeldLease
  /** When the lease was claimed or last renewed, by `uptimeMs`, taken before the statement. */
  renewedAt: number
}

/** The deliveries that a worker holds. */
interface HeldDeliveries {
  all(): Held[]
  /** Adds a claimed delivery. */
  add(delivery: ClaimedDelivery, renewedAt: number): Held
  remove(held: Pick<Held, 'delivery'>): void
  /** Wakes those who wait for an end: a delivery, and those that followed it, have ended. */
  end(): void
  /** Resolves when the next delivery ends. */
  settled(): Promise<void>
  /** Resolves when no delivery is held. */
  idle(): Promise<void>
  /** Renews the leases, and aborts deliveries whose lease was lost or is about to end. Throws the database's errors. */
  renew(): Promise<void>
  /** Aborts the deliveries that are not calling a network; with `calls`, all. */
  abort(options: { calls: boolean }): void
}

export function createHeldDeliveries({ db, clock, uptimeMs }: Pick<Deps, 'db' | 'clock' | 'uptimeMs'>): HeldDeliveries {
  const byToken = new Map<string, Held>()
  let ended = Promise.withResolvers<void>()
  const all = () => [...byToken.values()]
  const mayBeOver = ({ renewedAt }: Held) => uptimeMs() - renewedAt > LEASE_MS - LEASE_MARGIN_MS

  async function renewAll(held: Held[]): Promise<void> {
    const now = uptimeMs()
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
  }

  return {
    all,

    add(delivery, renewedAt) {
      const controller = new AbortController()
      const { signal } = controller
      const held: Held = {
        delivery,
        controller,
        renewedAt,
        lease: { signal, isCalling: false, mayBeOver: () => mayBeOver(held) },
      }
      byToken.set(delivery.leaseToken, held)
      return held
    },

    remove: ({ delivery }) => void byToken.delete(delivery.leaseToken),

    end() {
      ended.resolve()
      ended = Promise.withResolvers()
    },

    settled: () => ended.promise,

    async idle() {
      while (byToken.size > 0) await ended.promise
    },

    async renew() {
      const held = all()
      if (held.length === 0) return
      await renewAll(held).finally(() => {
        for (const each of held) if (mayBeOver(each)) each.controller.abort(new LeaseLost())
      })
    },

    abort({ calls }) {
      for (const { controller, lease } of byToken.values()) {
        if (calls || !lease.isCalling) controller.abort(new Draining())
      }
    },
  }
}
