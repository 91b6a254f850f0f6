import type { DeliveryKey } from '../../../db/queries/delivery/delivery.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { To } from '../delivery/transitions.ts'
import type { Entry } from './journal-text.ts'

/**
 * `asked`: queued, and the network is queried first. `edited`: published, and edited since the backup. The others are
 * states.
 */
export type Outcome = To<'restore'> | 'asked' | 'edited'

/** The changes that `restore finish` has made, or would make. */
export interface RestoreReport {
  /** `complete`: it has everything that was sent since the backup. */
  journal: 'complete' | 'incomplete'
  /** Deliveries that were sent, and whose posts the backup does not have. */
  notInBackup: number
  /** Deliveries that were changed, by network and by their new state. */
  outcomes: { network: PlatformId; outcome: Outcome; deliveries: number }[]
  /** Each of these deliveries. Those that somebody has to look at come first. */
  deliveries: ReportedDelivery[]
  /** Each delivery of `notInBackup`. */
  lost: LostDelivery[]
}

interface ReportedDelivery extends DeliveryKey {
  network: PlatformId
  outcome: Outcome
}

interface LostDelivery extends DeliveryKey {
  /** The address of the post on its network; null if the journal has none. */
  externalUrl: string | null
}

interface Change {
  platform: PlatformId
  outcome: Outcome
  delivery: DeliveryKey
}

export function countOutcomes(changes: Change[]): RestoreReport['outcomes'] {
  const counts = new Map<string, RestoreReport['outcomes'][number]>()
  for (const { platform: network, outcome } of changes) {
    const key = `${network} ${outcome}`
    const each = counts.get(key) ?? { network, outcome, deliveries: 0 }
    counts.set(key, { ...each, deliveries: each.deliveries + 1 })
  }
  return [...counts.keys()].sort().map((key) => counts.get(key)!)
}

const OUTCOMES: Outcome[] = [
  ...(['unconfirmed', 'asked', 'missed', 'failed', 'remove_failed', 'edited', 'queued', 'removing'] as const),
  ...(['published', 'removed'] as const),
]

export const listDeliveries = (changes: Change[]): ReportedDelivery[] =>
  changes
    .map(({ platform: network, outcome, delivery: { userId, postId, accountId } }) => {
      return { userId, postId, accountId, network, outcome }
    })
    .sort((a, b) => OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome))

/** A delivery by its entries of the journal. */
export function lostDelivery(entries: Entry[]): LostDelivery {
  const { userId, postId, accountId } = entries[0]!
  const url = entries.find(({ sent }) => sent?.url)?.sent?.url ?? null
  return { userId, postId, accountId, externalUrl: url }
}
