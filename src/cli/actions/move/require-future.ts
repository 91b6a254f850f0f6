import { OperatorError } from '../../../base/errors.ts'
import type { CreatePost } from '../../../clients/sdk/index.ts'
import { isPast, PAST_TIME } from '../../../features/posts/schedule.ts'

/** Throws an OperatorError for a new post that would be published immediately. */
export function requireFuture(
  body: Pick<CreatePost, 'scheduledAt' | 'timeZone' | 'fold' | 'accountOverrides' | 'schedule'>,
) {
  if (isPast({ accountOverrides: [], ...body })) {
    throw new OperatorError(`${PAST_TIME}: ${body.scheduledAt}`)
  }
}
