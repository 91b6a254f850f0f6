import { ACCOUNT_EXAMPLES } from '../../account.ts'
import { errorOf } from '../../errors.ts'

const [{ id, platform, username }] = ACCOUNT_EXAMPLES
const NAME = `${platform} (@${username})`

/** The errors of a post that gets no slots. */
export const QUEUE_ERRORS = [
  errorOf('queue_without_slots', NAME, id),
  errorOf('queue_full', NAME, id),
  errorOf('queue_full.together'),
  errorOf('queue_full.too_long'),
]
