import { type AppError, fail } from '../../../base/errors.ts'
import type { NamedAccount } from '../../../platforms/rules/wording.ts'
import { createAccountNames } from '../../../platforms/rules/wording.ts'
import type { QueueRefusal } from './queues.ts'

/** The error of a post that gets no slots. */
export function failQueue({ refused, accountId }: QueueRefusal, accounts: readonly NamedAccount[]): AppError {
  if (refused === 'too_long') return fail('queue_full.too_long')
  const account = accounts.find(({ id }) => id === accountId)
  if (!account) return fail('queue_full.together')
  const facts = [createAccountNames(accounts)(account), account.id] as const
  return refused === 'full' ? fail('queue_full', ...facts) : fail('queue_without_slots', ...facts)
}
