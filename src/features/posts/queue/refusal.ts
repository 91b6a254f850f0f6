import { type AppError, fail } from '../../../base/errors.ts'
import type { NamedAccount } from '../../../platforms/rules/wording.ts'
import { createAccountNames } from '../../../platforms/rules/wording.ts'
import type { QueueRefusal } from './queues.ts'

/** The error of a post that gets no slots. */
export function failQueue(
  { refused, accountId }: QueueRefusal,
  targets: readonly { account: NamedAccount }[],
): AppError {
  if (refused === 'too_long') return fail('queue_full.too_long')
  const account = targets.find(({ account }) => account.id === accountId)?.account
  if (!account) return fail('queue_full.together')
  const facts = [createAccountNames(targets)(account), account.id] as const
  return refused === 'full' ? fail('queue_full', ...facts) : fail('queue_without_slots', ...facts)
}
