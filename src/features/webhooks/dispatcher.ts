import { claimWebhooks, readDueDeliveries } from '../../../db/queries/webhooks/claim.ts'
import { createSlots } from '../../base/slots.ts'
import { DRAIN_MS, LEASE_MS, PER_PROCESS_MAX, SUSPECT_PER_USER_MAX, TURN_DELIVERIES_MAX } from './timing.ts'
import { attemptsAtOnce, isSuspect, type Turn, type TurnDeps, takeTurn } from './turn.ts'

/** Sends events to webhooks, several at a time. Not of a copy of a database: its events belong to the original. */
export function createDispatcher(deps: TurnDeps) {
  const calls = new AbortController()
  const turns = new Map<Promise<void>, Turn>()
  const healthySlots = createSlots({ max: PER_PROCESS_MAX })
  const suspectSlots = createSlots({ max: PER_PROCESS_MAX, perUser: SUSPECT_PER_USER_MAX })
  let ended = Promise.withResolvers<void>()

  const free = (suspect: boolean) => {
    const busy = [...turns.values()].filter((turn) => turn.isSuspect === suspect && (suspect || !turn.isStalled))
    return PER_PROCESS_MAX - busy.length
  }

  async function claim(stopping: AbortSignal): Promise<number> {
    const healthy = free(false)
    const suspect = free(true)
    if (healthy + suspect === 0) return 0
    const now = deps.clock()
    const suspects = [...turns.values()].filter(({ isSuspect }) => isSuspect)
    const hooks = await claimWebhooks(deps.db, {
      now,
      leaseMs: LEASE_MS,
      healthy,
      suspect,
      suspectPerUser: SUSPECT_PER_USER_MAX,
      suspectUserIds: suspects.map(({ userId }) => userId),
    })
    if (hooks.length === 0) return 0
    const limitOf = (hook: (typeof hooks)[number]) => (isSuspect(hook) ? attemptsAtOnce(hook) : TURN_DELIVERIES_MAX)
    const limits = hooks.map((hook) => ({ id: hook.id, limit: limitOf(hook) }))
    const due = Map.groupBy(await readDueDeliveries(deps.db, limits, now), ({ webhookId }) => webhookId)
    for (const hook of hooks) {
      const turn: Turn = { userId: hook.userId, isSuspect: isSuspect(hook), isStalled: false }
      const slots = turn.isSuspect ? suspectSlots : healthySlots
      const options = { hook, turn, slots, deliveries: due.get(hook.id) ?? [], stopping }
      const run: Promise<void> = takeTurn(deps, { ...options, calls: calls.signal })
        .catch((error) => deps.log.error({ err: error, webhookId: hook.id }, 'the outcome of webhooks was not stored'))
        .finally(() => end(run))
      turns.set(run, turn)
    }
    return hooks.length
  }

  function end(turn: Promise<void>): void {
    turns.delete(turn)
    ended.resolve()
    ended = Promise.withResolvers()
  }

  return {
    /**
     * Claims webhooks with due events, and sends them. Sends no others of them once `stopping` has aborted. Returns how
     * many it has claimed.
     */
    claim,

    /** Resolves when the next turn of a webhook ends. */
    settled: () => ended.promise,

    /** Resolves when no attempt is running, soon after it was called. */
    async drain(): Promise<void> {
      const drained = setTimeout(() => calls.abort(), DRAIN_MS)
      await Promise.all(turns.keys())
      clearTimeout(drained)
    },
  }
}
