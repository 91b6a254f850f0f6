import type { Db } from '../../../db/client.ts'
import { type CredentialsRow, findCredentials } from '../../../db/queries/credentials.ts'
import type { DeliveryKey } from '../../../db/queries/delivery/delivery.ts'
import type { OwnedDelivery } from '../../../db/queries/delivery/owner.ts'
import { requeueDeliveries } from '../../../db/queries/delivery/retry.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import type { RetryDelivery } from '../../../schemas/retry-delivery.ts'
import { fail } from '../../base/errors.ts'
import { requeued } from '../../engine/delivery/machine.ts'
import { retried } from '../../engine/delivery/owner-rules.ts'
import { EARLIER_CALLS } from '../../engine/delivery/timing.ts'
import type { Networks } from '../../platforms/adapters.ts'
import type { Act } from '../../platforms/contract/adapter.ts'
import { canQuery } from '../../platforms/contract/can-query.ts'
import type { Credentials } from '../../platforms/contract/io.ts'
import type { PostCondition } from '../posts/etag.ts'
import { getPost } from '../posts/get.ts'
import { editDelivery } from './edit-delivery.ts'
import { changeDelivery, type DeliveryAccess, planOf } from './own-delivery.ts'

/** The error for each reason why a delivery is not retried. */
export const NOT_RETRIED = {
  draft: 'post_is_draft',
  notDue: 'delivery_not_due',
  publishing: 'delivery_in_progress',
  published: 'delivery_published',
  mediaDeleted: 'media_deleted',
  unconfirmed: 'delivery_unconfirmed',
  removed: 'delivery_removed',
} as const

export interface RetryContext {
  db: Db
  networks: Networks
  /** Decrypts the credentials of an account, or throws; undefined if the operator has configured no key. */
  openCredentials: ((accountId: string, row: CredentialsRow) => Credentials) | undefined
}

/**
 * Makes one delivery due now, with other content if `edit` has some. Only acts that were not sent go out; an
 * unconfirmed one is looked up on its network first. Throws 404 if the user has no such delivery, 409 if there is
 * nothing to retry, 412 if `ifMatch` does not hold, and the errors of `editDelivery`.
 */
export function retryDelivery(
  context: RetryContext,
  key: DeliveryAccess,
  edit: RetryDelivery = {},
  ifMatch?: PostCondition,
): Promise<PostWithReadiness> {
  return changeDelivery(context.db, key, async (db, delivery, usable) => {
    const next = retried(delivery, await canReconcile({ ...context, db }, key, delivery))
    if ('obstacle' in next) throw fail(NOT_RETRIED[next.obstacle])
    if (ifMatch || Object.keys(edit).length > 0) {
      const post = await getPost(db, key.userId, key.postId)
      ifMatch?.(post)
      await editDelivery(db, key, { delivery, post, edit, usable })
    }
    const due = { ...key, next: next.state, event: requeued(delivery.state) }
    await requeueDeliveries(db, key.userId, [due], { ...EARLIER_CALLS, keyId: key.keyId })
  })
}

/** Whether the network can be queried about a call with an unknown outcome; false without such a call. */
export async function canReconcile(context: RetryContext, key: DeliveryKey, delivery: OwnedDelivery): Promise<boolean> {
  if (delivery.intent === null && delivery.state !== 'unconfirmed') return false
  const adapter = context.networks[delivery.platform]
  const { act, credentials } = typeof adapter.guarantee === 'function' ? await findAct(context, key, delivery) : {}
  return canQuery(adapter, act, credentials)
}

/** The act of the call, and the credentials that it was made with, if they can be read. */
async function findAct(
  { db, openCredentials }: RetryContext,
  key: DeliveryKey,
  { sent }: OwnedDelivery,
): Promise<{ act?: Pick<Act, 'kind' | 'postType'>; credentials?: Credentials }> {
  const post = await getPost(db, key.userId, key.postId)
  const planned = planOf(post, key)[sent.length]
  const row = planned && (await findCredentials(db, key.accountId))
  if (!row || !openCredentials) return {}
  try {
    const credentials = openCredentials(key.accountId, row)
    return { act: { kind: planned.kind, postType: post.postType }, credentials }
  } catch {
    // The worker that gets the delivery reports credentials that cannot be decrypted.
    return {}
  }
}
