import { listDeliveryEvents, readCircumstances, readOtherCalls } from '../../../../db/queries/delivery/explain.ts'
import { readChangedAccounts } from '../../../../db/queries/delivery/removals.ts'
import type { DeliveryExplanation, ExplanationWait } from '../../../../schemas/explanation.ts'
import { describeDuration } from '../../../base/duration.ts'
import { fail } from '../../../base/errors.ts'
import { RESTING } from '../../../engine/delivery/failures.ts'
import type { PostAccess } from '../../posts/access.ts'
import { readPost } from '../../posts/get.ts'
import { planOf } from '../own-delivery.ts'
import { canReconcile, type RetryContext } from '../retry.ts'
import { listActions } from './actions.ts'
import { type Facts, firstDueAt } from './facts.ts'
import { EXPLAINING_EVENTS, listSteps } from './steps.ts'
import { findNext, listWaits } from './waits.ts'

/** Says why a delivery is in its state. Throws 404 for an unknown one. */
export async function explainDelivery(
  context: RetryContext,
  access: PostAccess,
  accountId: string,
): Promise<DeliveryExplanation> {
  const { db, networks } = context
  const post = await readPost(db, access)
  const target = post.targets.find((target) => target.accountId === accountId)
  const key = { userId: access.userId, postId: post.id, accountId }
  const delivery = target && (await readCircumstances(db, key))
  if (!target || !delivery) throw fail('delivery_not_found')
  const facts: Facts = {
    post,
    target,
    delivery,
    plan: planOf(post, key),
    firstDueAt: firstDueAt(post, target.scheduledAt),
  }
  const { now, startedAt, changedAt, platform, state } = delivery
  const isDue = facts.firstDueAt !== null && facts.firstDueAt < now
  const from = isDue ? facts.firstDueAt! : new Date(post.createdAt)
  const others = isDue ? await readOtherCalls(db, { ...key, from, to: startedAt ?? now, codes: RESTING }) : undefined
  const times = changedAt && changedAt > from ? [from, changedAt] : [from]
  const events = await listDeliveryEvents(db, key, { types: EXPLAINING_EVENTS, from: times })
  const [account] = await readChangedAccounts(db, [accountId])
  const reconciles = await canReconcile(context, key, delivery)
  const waits = listWaits(facts)
  return {
    postId: post.id,
    accountId,
    platform,
    state,
    now: now.toISOString(),
    summary: summarize(facts, waits),
    steps: listSteps(facts, others, events),
    waits,
    next: findNext(facts, waits),
    actions: listActions(facts, { account: account!, canReconcile: reconciles, networks }),
  }
}

/** Why the delivery is in its state. */
function summarize({ target, delivery, firstDueAt }: Facts, [wait]: ExplanationWait[]): string {
  const { state, now, dueAt, error, edit } = delivery
  const why = error ? `: ${error.message}` : '.'
  switch (state) {
    case 'waiting':
    case 'removing':
      return wait!.message
    case 'queued': {
      const lateMs = now.getTime() - (firstDueAt ?? dueAt ?? now).getTime()
      const late = lateMs > 0 ? `It was due ${describeDuration(lateMs)} ago. ` : ''
      return `${late}${wait!.message}${error ? ` The last error: ${error.message}` : ''}`
    }
    case 'publishing':
      return 'A worker is sending it.'
    case 'published': {
      const { publishedAt, latenessMs } = target.delivery
      const late = latenessMs === null ? '' : `, ${describeDuration(latenessMs)} after it was due`
      const missing = error ? ` What follows the post is missing: ${error.message}` : ''
      const editing = edit
        ? edit.state === 'pending'
          ? ' An edit of it is under way.'
          : ' An edit of it has failed.'
        : ''
      return `It was published${publishedAt ? ` at ${publishedAt}` : ''}${late}.${missing}${editing}`
    }
    case 'failed':
      return `It has failed, and is not tried again automatically${why}`
    case 'cancelled':
      return 'It was cancelled: nothing more of it is sent until it is retried.'
    case 'unconfirmed':
      return `It may have been published, and its network cannot tell${why}`
    case 'missed':
      return `It was not sent in time, and is not sent automatically${why}`
    case 'removed':
      return 'It was taken down, and the network has confirmed that it is gone.'
    case 'remove_failed':
      return `It could not be taken down, and that is not tried again automatically${why}`
  }
}
