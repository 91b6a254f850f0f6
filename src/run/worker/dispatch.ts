import { setTimeout as pause } from 'node:timers/promises'
import { createDispatcher } from '../../features/webhooks/dispatcher.ts'
import { CLAIM_EVERY_MS, POLL_MS } from '../../features/webhooks/timing.ts'
import type { TurnDeps } from '../../features/webhooks/turn.ts'
import type { Task } from './loop.ts'

/** Sends events to webhooks. */
export function dispatch(deps: TurnDeps): Task {
  const dispatcher = createDispatcher(deps)
  return {
    outage: { begin: 'webhooks cannot be claimed', end: 'webhooks are claimed again' },
    retryMs: POLL_MS,
    kind: 'webhooks',
    round: async (stop) => ((await dispatcher.claim(stop)) > 0 ? POLL_MS : null),
    async wake() {
      // A turn that ends makes room for others.
      await dispatcher.settled()
      await pause(CLAIM_EVERY_MS)
    },
    end: dispatcher.drain,
  }
}
