import type { OwnedDelivery, OwnKey } from '../../../db/queries/delivery/owner.ts'
import type { ChangedAccount } from '../../../db/queries/delivery/removals.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import { ownFilesOf } from '../../../schemas/create-post.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { type ActOnNetwork, listOnNetwork } from '../../engine/delivery/on-network.ts'
import type { EditRule, RemovalRule } from '../../platforms/contract/changes.ts'
import { findObstacle } from '../../platforms/find-obstacle.ts'
import { platforms } from '../../platforms/limits.ts'

/** The error for each reason why a delivery is neither taken down nor edited in its state. */
export const NOT_CHANGED = {
  publishing: 'delivery_in_progress',
  unconfirmed: 'delivery_unconfirmed',
  unpublished: 'delivery_not_published',
  queued: 'delivery_not_published.queued',
  removed: 'delivery_removed',
} as const

/** The target of the delivery, and its acts that are on the network. */
export function readPublished(
  post: PostWithReadiness,
  { accountId, sent, deletedFiles }: Pick<OwnedDelivery & OwnKey, 'accountId' | 'sent' | 'deletedFiles'>,
) {
  const target = post.targets.find((target) => target.accountId === accountId)!
  const files = ownFilesOf({ ...target, threadMedia: target.threadMedia ?? null }) ?? [post.mediaIds]
  const deletedFrom = (number: number) => deletedFiles?.filter(({ part }) => part === number) ?? []
  const acts = listOnNetwork({
    ...post,
    ...target,
    sent,
    publishedAt: new Date(target.delivery.publishedAt ?? 0),
    fileCounts: sent.map((_, index) => (files[index]?.length ?? 0) + deletedFrom(index + 1).length),
  })
  return { target, acts }
}

/** Why the network of the account leaves an act as it is, in a sentence for its owner; undefined if it does not. */
export function findRefusal(
  rule: RemovalRule | EditRule,
  act: ActOnNetwork,
  { platform, externalId }: Pick<ChangedAccount, 'externalId'> & { platform: PlatformId },
): string | undefined {
  const kind = externalId === null ? undefined : platforms[platform].findAccountKind?.(externalId)
  return findObstacle(rule, { ...act, id: act.id ?? '' }, kind, new Date())
}
