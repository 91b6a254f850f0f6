import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import { type CredentialsRow, findCredentials } from '../../db/queries/credentials.ts'
import type { DeliveryKey } from '../../db/queries/delivery/delivery.ts'
import {
  lockDelivery,
  type OwnedDelivery,
  requeueDelivery,
  resolveDelivery as saveResolution,
} from '../../db/queries/delivery/owner.ts'
import { unpublish } from '../../db/queries/delivery/settle.ts'
import type { ResolveDelivery } from '../../schemas/delivery.ts'
import type { ErrorCode } from '../../schemas/error-codes.ts'
import { DELIVERY_NOT_FOUND, NOT_RETRIED, NOT_UNCONFIRMED } from '../../schemas/messages.ts'
import type { PostDetail } from '../../schemas/post.ts'
import { planActs } from '../delivery/plan.ts'
import { type RetryObstacle, resolved, retried } from '../delivery/states.ts'
import { NAME_KEPT_MS } from '../delivery/timing.ts'
import { AppError, invalidRequest } from '../errors.ts'
import type { Credentials } from '../platforms/adapter.ts'
import type { Networks } from '../platforms/adapters.ts'
import { getPost } from './publish.ts'

export interface RetryContext {
  db: Db
  networks: Networks
  /** Decrypts the credentials of an account, or throws; undefined if the operator has configured no key. */
  openCredentials: ((accountId: string, row: CredentialsRow) => Credentials) | undefined
}

/**
 * Makes one delivery due now. Only acts that were not sent go out; an unconfirmed one is looked up on its network first.
 * Throws 404 where the user has no such delivery, 409 where there is nothing to retry.
 */
export async function retryDelivery(context: RetryContext, key: DeliveryKey): Promise<PostDetail> {
  const { db } = context
  await db.transaction().execute(async (db) => {
    const delivery = await lockOwnDelivery(db, key)
    const isQueried = delivery.state === 'unconfirmed' && (await canReconcile({ ...context, db }, key, delivery))
    const next = retried(delivery, isQueried)
    if ('obstacle' in next) throw new AppError(409, OBSTACLE_CODES[next.obstacle], NOT_RETRIED[next.obstacle])
    await requeueDelivery(db, key, { state: next.state, nameKeptMs: NAME_KEPT_MS })
  })
  return getPost(db, key.userId, key.postId)
}

const OBSTACLE_CODES: Record<RetryObstacle, ErrorCode> = {
  draft: 'post_is_draft',
  notDue: 'delivery_not_due',
  publishing: 'delivery_in_progress',
  published: 'delivery_published',
  mediaDeleted: 'media_deleted',
  unconfirmed: 'delivery_unconfirmed',
}

/** Whether the network can be queried about the act whose call has an unknown outcome. */
async function canReconcile(
  { db, networks, openCredentials }: RetryContext,
  key: DeliveryKey,
  { platform, sent }: OwnedDelivery,
): Promise<boolean> {
  const { reconcile, guarantee } = networks[platform] ?? {}
  if (typeof guarantee !== 'function') return reconcile !== undefined
  const post = await getPost(db, key.userId, key.postId)
  const act = planOf(post, key)[sent.length]
  const row = act && (await findCredentials(db, key.accountId))
  if (!row || !openCredentials) return true
  try {
    const credentials = openCredentials(key.accountId, row)
    return guarantee({ kind: act.kind, postType: post.postType }, credentials) !== 'at-most-once'
  } catch {
    // The worker that gets the delivery reports credentials that cannot be decrypted.
    return true
  }
}

/**
 * Settles an unconfirmed delivery by what its owner has seen on the network. Throws 404 where the user has no such
 * delivery, 409 where it is in another state, 400 for an invalid `url`.
 */
export async function resolveDelivery(
  db: Db,
  key: DeliveryKey,
  { outcome, url }: ResolveDelivery,
): Promise<PostDetail> {
  if (url !== undefined) assertUrl(url, outcome)
  await db.transaction().execute(async (db) => {
    const delivery = await lockOwnDelivery(db, key)
    if (delivery.state !== 'unconfirmed') throw new AppError(409, 'delivery_not_unconfirmed', NOT_UNCONFIRMED)
    const post = await getPost(db, key.userId, key.postId)
    const plan = planOf(post, key)
    const sent = outcome === 'published' ? [{ id: null, url: url ?? null }] : []
    const missing = plan[delivery.sent.length + sent.length]
    const error = missing ? (outcome === 'published' ? ORPHANED : NOT_THERE) : null
    await saveResolution(db, key, { state: resolved(missing?.kind), sent, error, outcome: `said_${outcome}` })
    if (outcome === 'not_published') await unpublish(db, key)
  })
  return getPost(db, key.userId, key.postId)
}

/** The acts of the delivery to one account of the post. */
function planOf(post: PostDetail, key: DeliveryKey) {
  const { captionOverride, threadParts } = post.targets.find(({ accountId }) => accountId === key.accountId)!
  return planActs({ ...post, captionOverride, threadParts })
}

const ORPHANED = {
  code: 'parent_unknown',
  message: 'The id that the rest would reply to is unknown: publish it by hand',
  retryable: false,
}
const NOT_THERE = { code: 'not_published', message: 'The owner did not find it on the network', retryable: true }

/** Throws a 404, with one message for a missing post and another for an account that it does not go to. */
async function lockOwnDelivery(db: Db, key: DeliveryKey) {
  const delivery = isId(key.postId) && isId(key.accountId) ? await lockDelivery(db, key) : undefined
  if (delivery) return delivery
  await getPost(db, key.userId, key.postId)
  throw new AppError(404, 'delivery_not_found', DELIVERY_NOT_FOUND)
}

function assertUrl(url: string, outcome: ResolveDelivery['outcome']): void {
  const path = ['url']
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw invalidRequest([{ code: 'invalid_string', validation: 'url', path, message: 'Invalid url' }])
  }
  if (outcome === 'not_published') {
    throw invalidRequest([{ code: 'custom', path, message: 'Only a published act has a url' }])
  }
}
