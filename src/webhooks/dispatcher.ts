import { setTimeout as pause } from 'node:timers/promises'
import { claimWebhooks, readDueDeliveries } from '../../db/queries/webhooks/claim.ts'
import { logOutages } from '../log.ts'
import { createSlots } from '../slots.ts'
import {
  CLAIM_EVERY_MS,
  DRAIN_MS,
  LEASE_MS,
  PER_PROCESS_MAX,
  POLL_MS,
  SUSPECT_PER_USER_MAX,
  TURN_DELIVERIES_MAX,
} from './timing.ts'
import { attemptsAtOnce, isSuspect, type Turn, type TurnDeps, takeTurn } from './turn.ts'

/**
 * Sends events to webhooks until `stop` resolves, and returns when all attempts have ended, soon after. Nothing is sent while
 * `isReady` returns false: the webhooks of a copy of a database get the events of the original.
 */
export async function runDispatcher(deps: TurnDeps, isReady: () => boolean, stop: Promise<unknown>): Promise<void> {
  const stopping = new AbortController()
  const calls = new AbortController()
  void stop.then(() => stopping.abort())
  const turns = new Map<Promise<void>, Turn>()
  const healthySlots = createSlots({ max: PER_PROCESS_MAX })
  const suspectSlots = createSlots({ max: PER_PROCESS_MAX, perUser: SUSPECT_PER_USER_MAX })

  const free = (suspect: boolean) => {
    const busy = [...turns.values()].filter((turn) => turn.isSuspect === suspect && (suspect || !turn.isStalled))
    return PER_PROCESS_MAX - busy.length
  }

  /** Returns how many webhooks it has claimed. */
  async function claim(): Promise<number> {
    const [healthy, suspect] = [free(false), free(true)]
    if (!isReady() || healthy + suspect === 0) return 0
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
      const options = { hook, turn, slots, deliveries: due.get(hook.id) ?? [], stopping: stopping.signal }
      const run: Promise<void> = takeTurn(deps, { ...options, calls: calls.signal })
        .catch((error) => deps.log.error({ err: error, webhookId: hook.id }, 'the outcome of webhooks was not stored'))
        .finally(() => turns.delete(run))
      turns.set(run, turn)
    }
    return hooks.length
  }

  const outages = logOutages(deps.log, { begin: 'webhooks cannot be claimed', end: 'webhooks are claimed again' })
  while (!stopping.signal.aborted) {
    try {
      await claim()
      outages.worked()
    } catch (error) {
      outages.failed(error)
    }
    const wait = (ms: number) => pause(ms, undefined, { signal: stopping.signal }).catch(() => {})
    // A turn that ends makes room for others.
    await Promise.race([...turns.keys(), wait(POLL_MS)])
    await wait(CLAIM_EVERY_MS)
  }
  const drained = setTimeout(() => calls.abort(), DRAIN_MS)
  await Promise.all(turns.keys())
  clearTimeout(drained)
}
