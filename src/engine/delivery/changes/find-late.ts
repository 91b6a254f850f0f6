import type { ClaimedRemoval } from '../../../../db/queries/delivery/claim-change.ts'
import type { Act } from '../../../platforms/contract/adapter.ts'
import { canQuery } from '../../../platforms/contract/can-query.ts'
import type { Credentials } from '../../../platforms/contract/io.ts'
import { buildAct } from '../act.ts'
import type { Deps } from '../deps.ts'
import { isFailure } from '../failures.ts'
import { type ActOnNetwork, describeOnNetwork, isOfAnother, publishedOf } from '../on-network.ts'
import { planActs } from '../plan.ts'
import { createReadings } from '../readings.ts'
import { CHANGE_CALL_MAX_MS } from '../timing.ts'
import { withinTime } from '../within-time.ts'

/** An act of which the response to a call was lost. */
export interface LostAct {
  number: number
  act: Act
}

/**
 * The acts that lost calls may have made in the end, and that the network can be queried for. The last one is first.
 */
export function listQueryable(
  deps: Deps,
  { delivery, publishedAt, lostActs }: ClaimedRemoval,
  credentials: Credentials,
): LostAct[] {
  const begun = { ...delivery, startedAt: delivery.startedAt ?? publishedAt }
  const plan = planActs(delivery)
  const adapter = deps.networks[delivery.platform]
  return lostActs.flatMap((number) => {
    const planned = plan[number - 1]
    if (planned?.kind !== 'post' && planned?.kind !== 'comment') return []
    const act = buildAct(deps, begun, planned, delivery.sent.slice(0, number - 1))
    return isFailure(act) || !canQuery(adapter, act, credentials) ? [] : [{ number, act }]
  })
}

/** Queries the network for acts that lost calls have made. Leaves out those that other posts have sent. */
export function findLate(
  deps: Deps,
  change: ClaimedRemoval,
  lost: LostAct[],
  { credentials, stop }: { credentials: Credentials; stop: AbortSignal },
): Promise<ActOnNetwork[]> {
  const { delivery } = change
  const { reconcile } = deps.networks[delivery.platform]
  const { reading } = createReadings(deps.uptimeMs).begin(delivery.accountId)
  return withinTime(CHANGE_CALL_MAX_MS, stop, async (signal) => {
    const late: ActOnNetwork[] = []
    for (const { number, act } of lost) {
      const found = await reconcile!(act, { credentials, fetch: deps.fetch, signal, reading }, null)
      if (typeof found === 'string' || !('id' in found) || found.id === null) continue
      const { isSent, isKnown } = await isOfAnother({ deps, delivery }, found.id)
      if (isKnown && !isSent) late.push(describeOnNetwork(publishedOf(change), { number, kind: act.kind }, found))
    }
    return late
  })
}
