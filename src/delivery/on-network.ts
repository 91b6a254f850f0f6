import type { SentAct } from '../../db/queries/delivery/delivery.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { OnNetwork } from '../platforms/contract/adapter.ts'
import { planActs } from './plan.ts'

/** An act that is on the network, as far as is known. Its id is null where nothing tells it. */
export interface ActOnNetwork extends Omit<OnNetwork, 'id'> {
  id: string | null
  /** Counted from 1. */
  number: number
}

type Published = Parameters<typeof planActs>[0] & {
  platform: PlatformId
  accountId: string
  sent: readonly SentAct[]
  publishedAt: Date
  /** The number of files of each of the first acts. */
  fileCounts: readonly number[]
}

/** The acts of a delivery that are on its network, in order. A thumbnail or a playlist item goes with its post. */
export function listOnNetwork({ sent, publishedAt, fileCounts, ...delivery }: Published): ActOnNetwork[] {
  const plan = planActs(delivery)
  const { accountId, postType, fields } = delivery
  return sent.flatMap(({ error, removedAt, ...act }, index) => {
    const kind = plan[index]?.kind ?? 'post'
    if (error || removedAt || (kind !== 'post' && kind !== 'comment')) return []
    const number = index + 1
    const fileCount = fileCounts[index] ?? 0
    return [{ ...act, accountId, number, kind, postType, publishedAt, fileCount, fields: fields ?? {} }]
  })
}
