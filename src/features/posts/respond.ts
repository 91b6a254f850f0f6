import type { CreatedPost } from '../../../schemas/create-post.ts'
import { type PostWarning, WARNINGS_MAX } from '../../../schemas/warning.ts'
import { toAdjustments } from './fit.ts'
import type { LoadedPost } from './load.ts'
import { listSlots, type Slots } from './schedule.ts'

/** The response for a stored post. */
export function toCreated(
  id: string,
  post: LoadedPost,
  warnings: PostWarning[],
  slots: Slots | undefined,
): CreatedPost {
  const adjustments = toAdjustments(post)
  return {
    id,
    status: post.isScheduled ? 'scheduled' : 'draft',
    ...(slots && { slots: listSlots(slots) }),
    ...(adjustments.length > 0 && { adjustments }),
    ...(warnings.length > 0 && { warnings: warnings.slice(0, WARNINGS_MAX) }),
  }
}
