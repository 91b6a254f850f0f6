import { OperatorError } from '../../../errors.ts'
import { isPast, PAST_TIME } from '../../../posts/schedule.ts'
import type { CreatePost } from '../../../sdk/index.ts'

/** Throws an OperatorError for a new post that would be published immediately. */
export function requireFuture(
  body: Pick<CreatePost, 'scheduledAt' | 'timeZone' | 'fold' | 'accountOverrides' | 'schedule'>,
) {
  if (isPast({ accountOverrides: [], ...body })) {
    throw new OperatorError(`${PAST_TIME}: ${body.scheduledAt}`)
  }
}
