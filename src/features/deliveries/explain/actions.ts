import type { ChangedAccount } from '../../../../db/queries/delivery/removals.ts'
import type { ExplanationAction } from '../../../../schemas/explanation.ts'
import type * as operations from '../../../../schemas/operations/index.ts'
import { AppError } from '../../../base/errors.ts'
import { isCancellable, isResolvable, marked, retried } from '../../../engine/delivery/owner-rules.ts'
import type { Networks } from '../../../platforms/adapters.ts'
import { requireEditable } from '../edit-published.ts'
import { decideRemoval } from '../remove-delivery.ts'
import type { Facts } from './facts.ts'

/** Codes of errors that a new connection of the account mends. */
const RECONNECTED = ['reconnect_required', 'unauthorized', 'not_connected', 'no_access', 'scopes_missing']

interface Terms {
  account: ChangedAccount
  /** Whether the network can be queried about a call with an unknown outcome. */
  canReconcile: boolean
  networks: Networks
}

/** The operations that would be accepted now. */
export function listActions(
  { post, delivery }: Facts,
  { account, canReconcile, networks }: Terms,
): ExplanationAction[] {
  const { state, error, attention, pausedAt, isReachable, hasCredentials, platform } = delivery
  const actions: ExplanationAction[] = []
  const add = (operationId: keyof typeof operations, message: string) => actions.push({ operationId, message })
  const codes = [error?.code, attention?.code, !isReachable && 'no_access', !hasCredentials && 'not_connected']
  if (codes.some((code) => code && RECONNECTED.includes(code)) && state !== 'published') {
    if (networks[platform].oauth) add('createConnection', 'Get a link with which its owner connects the account again.')
    else add('connectAccount', 'Connect the account again.')
  }
  if (pausedAt && state === 'queued') add('updateAccount', 'End the pause of the account with `paused: false`.')
  if (error?.code === 'budget_used_up') {
    add('putAccountBudget', 'Raise the budget of the account, if it is the one that is used up.')
    add('putKeyBudget', 'Raise the budget of the key, if it is the one that is used up.')
  }
  if ('state' in retried(delivery, canReconcile)) {
    const query = delivery.intent !== null ? ' The network is queried first, so that nothing is sent twice.' : ''
    add('retryDelivery', `Have it tried again now, with other content if wanted.${query}`)
  }
  if (isResolvable(state))
    add('resolveDelivery', 'State whether the post is on the network, after you have looked there.')
  if (isCancellable(state)) add('cancelDelivery', 'Have nothing more of it sent.')
  if ('state' in marked(delivery)) add('markDeliveryPublished', 'State that you have published the rest by hand.')
  if (post.status !== 'published' && state !== 'publishing') {
    add('updatePost', 'Change the content or the time of the post.')
    if (state === 'waiting' || delivery.isEarly) add('publishPost', 'Publish the post now, to all its accounts.')
  }
  const known = { ...delivery, accountId: account.id, postId: post.id }
  if (isEditable(post, known, account)) add('editDelivery', 'Edit what is published.')
  if (state !== 'removing' && state !== 'removed' && !(decideRemoval(post, known, account) instanceof AppError)) {
    add('removeDelivery', 'Take down what is published.')
  }
  return actions
}

function isEditable(...args: Parameters<typeof requireEditable>): boolean {
  try {
    requireEditable(...args)
    return args[1].edit?.state !== 'pending'
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
