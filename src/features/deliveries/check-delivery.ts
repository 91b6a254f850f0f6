import { findDeliveryMetrics } from '../../../db/queries/numbers/find.ts'
import type { DeliveryCheck } from '../../../schemas/delivery-check.ts'
import { fail } from '../../base/errors.ts'
import { isTakenDown } from '../../engine/delivery/machine.ts'
import { describePresence } from '../../engine/numbers/describe.ts'
import { isGranted } from '../../engine/numbers/mode.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { isRead, offeredTo } from '../../platforms/offered-metrics.ts'
import type { PostAccess } from '../posts/access.ts'
import { readPost } from '../posts/get.ts'
import { type MetricsContext, readNow } from './metrics.ts'

/** Asks the network now whether it shows a post. Throws 404 for an unknown delivery, and 409 if it cannot be asked. */
export async function checkDelivery(
  context: MetricsContext,
  post: PostAccess,
  accountId: string,
): Promise<DeliveryCheck> {
  const { targets } = await readPost(context.db, post)
  if (!targets.some((target) => target.accountId === accountId)) throw fail('delivery_not_found')
  const read = async () => {
    const key = { userId: post.userId, postId: post.id, accountId }
    return (await findDeliveryMetrics(context.db, [key], { withHistory: false }))[0]!
  }
  const delivery = await read()
  if (delivery.publishedAt === null) throw fail('delivery_not_published')
  if (isTakenDown(delivery.state)) throw fail('delivery_removed')
  if (!delivery.hasId) throw fail('delivery_without_id')
  const { name, metrics } = NETWORKS[delivery.platform]
  const offered = offeredTo(delivery)
  if (!isRead(metrics)) throw fail('check_not_offered', name, metrics.note!)
  if (context.mode === 'on' && metrics.price) throw fail('metrics_off.paid', name)
  const canAsk = metrics.tellsPresence || offered.some((rule) => isGranted(rule, delivery))
  if (context.mode !== 'off' && !canAsk) {
    throw fail('check_scope_missing', offered[0]!.scope!, delivery.platform)
  }
  const error = (await readNow(context, post, accountId)).get(accountId)
  const row = await read()
  return describePresence(error ? { ...row, error } : row)
}
