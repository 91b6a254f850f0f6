import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import type { DeliveryKey } from '../../../db/queries/delivery/delivery.ts'
import { lockOwnedDeliveries, type OwnedDelivery } from '../../../db/queries/delivery/owner.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import type { PostDetail } from '../../../schemas/post.ts'
import { fail } from '../../base/errors.ts'
import { type PlannedAct, planActs } from '../../engine/delivery/plan.ts'
import type { PostAccess, UsableForPost } from '../posts/access.ts'
import { changePost, getPost } from '../posts/get.ts'

/** A delivery, and whether the caller may see and change its post. */
export type DeliveryAccess = DeliveryKey & Omit<PostAccess, 'id'>

/**
 * Runs `change` in a transaction that holds the locks of a post and of its deliveries, and returns the post
 * afterwards. Throws a 404, with one message for a missing post and another for an account that it does not go to.
 */
export async function changeDelivery(
  db: Db,
  key: DeliveryAccess,
  change: (db: Db, delivery: OwnedDelivery, usable: UsableForPost | undefined) => Promise<void>,
): Promise<PostWithReadiness> {
  const { postId: id, accountId, ...owner } = key
  return changePost(db, { ...owner, id }, async (db, _locked, usable) => {
    const [delivery] = isId(accountId) ? await lockOwnedDeliveries(db, key.userId, [key]) : []
    if (!delivery) throw fail('delivery_not_found')
    await change(db, delivery, usable)
    return getPost(db, owner.userId, id)
  })
}

/** The acts of the delivery to one account of the post. */
export function planOf(post: PostDetail, { accountId }: Pick<DeliveryKey, 'accountId'>): PlannedAct[] {
  return planActs({ ...post, ...post.targets.find((target) => target.accountId === accountId)! })
}
