import type { ClaimedDelivery } from '../../../db/queries/delivery/claim.ts'
import type { ClaimedChange } from '../../../db/queries/delivery/claim-change.ts'
import type { SentAct } from '../../../db/queries/delivery/delivery.ts'
import { isSentByAnother } from '../../../db/queries/delivery/limits.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { PostPoll } from '../../../schemas/post-poll.ts'
import { untilStored } from '../../base/until-stored.ts'
import type { OnNetwork } from '../../platforms/contract/adapter.ts'
import { groupByPart } from './act.ts'
import type { Deps } from './deps.ts'
import { planActs } from './plan.ts'
import { OTHER_CALLS_SINCE_MS } from './timing.ts'

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
  poll?: PostPoll | null | undefined
  /** The number of files of each of the first acts. */
  fileCounts: readonly number[]
}

/** A claimed delivery as `listOnNetwork` takes it. */
export const publishedOf = ({ delivery, publishedAt }: ClaimedChange) => ({
  ...delivery,
  publishedAt,
  fileCounts: groupByPart(delivery.media).map(({ length }) => length),
})

/** The acts of a delivery that are on its network, in order. A thumbnail or a playlist item goes with its post. */
export function listOnNetwork(published: Published): ActOnNetwork[] {
  const plan = planActs(published)
  return published.sent.flatMap(({ error, removedAt, ...act }, index) => {
    const kind = plan[index]?.kind ?? 'post'
    if (error || removedAt || (kind !== 'post' && kind !== 'comment')) return []
    return [describeOnNetwork(published, { kind, number: index + 1 }, act)]
  })
}

/** An act of a delivery, which has this id on its network. */
export const describeOnNetwork = (
  { accountId, postType, fields, poll, publishedAt, fileCounts }: Published,
  { number, kind }: Pick<ActOnNetwork, 'number' | 'kind'>,
  act: Pick<SentAct, 'id' | 'url' | 'ref'>,
): ActOnNetwork => {
  const fileCount = fileCounts[number - 1] ?? 0
  const shown = { ...(poll && { poll }), ...fields }
  return { ...act, accountId, number, kind, postType, publishedAt, fileCount, fields: shown }
}

/** Whether another post sent an act with this id: a network that is searched by content may find it. */
export async function isOfAnother(
  { deps, delivery }: { deps: Deps; delivery: ClaimedDelivery },
  id: string | null,
): Promise<{ isSent: boolean; isKnown: boolean }> {
  // An id of null means that the network has confirmed this act itself.
  if (id === null) return { isSent: false, isKnown: true }
  const { db, attemptsKeptMs: keptMs, clock } = deps
  const { postId, accountId, startedAt } = delivery
  const since = new Date(startedAt.getTime() - OTHER_CALLS_SINCE_MS)
  const [found] = await untilStored(deps, () =>
    isSentByAnother(db, { postId, accountId, id, since, keptMs, now: clock() }),
  )
  return found!
}
