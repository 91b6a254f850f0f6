import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../base/log.ts'
import type { Publisher } from '../../engine/delivery/publisher.ts'
import { DRAIN_MS, POLL_EVERY_MS, RENEW_EVERY_MS, RESPONSE_GRACE_MS } from '../../engine/delivery/timing.ts'
import type { Task } from './loop.ts'

/** Publishes due deliveries. Their leases are renewed until the last one has ended. */
export function publish(publisher: Publisher, log: Log): Task {
  const renewals = setInterval(() => {
    publisher.renew().catch((error) => log.error({ err: error }, 'leases could not be renewed'))
  }, RENEW_EVERY_MS)
  return {
    outage: { begin: 'due deliveries cannot be claimed', end: 'due deliveries are claimed again' },
    retryMs: POLL_EVERY_MS,
    kind: 'deliveries',

    async round() {
      if ((await publisher.claim()) > 0) return 0
      return publisher.isReady() ? null : POLL_EVERY_MS
    },

    async wake() {
      await publisher.settled()
      // Deliveries that settle in one batch free their slots together.
      await nextTurn()
    },

    async end() {
      try {
        publisher.stop()
        await Promise.race([publisher.idle(), pause(DRAIN_MS, undefined, { ref: false })])
        await Promise.race([publisher.drain({ calls: false }), pause(RESPONSE_GRACE_MS, undefined, { ref: false })])
        await publisher.drain()
      } finally {
        clearInterval(renewals)
        await publisher.close()
      }
    },
  }
}
