import type { Db } from '../../../db/client.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import type { QueuedDelivery } from '../../../db/queries/queue.ts'
import type { PostWarning } from '../../../schemas/warning.ts'
import { AppError } from '../../base/errors.ts'
import type { Post } from '../../platforms/contract/post.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'
import { type CheckedPost, type CheckPostsOptions, checkPosts } from './check.ts'
import { takeSlots } from './queue/place.ts'
import { inSlots, type Slots } from './schedule.ts'
import { findWarningError, findWarnings } from './warnings.ts'

/** A post of a batch before it is written, in the slots that it takes. */
export interface PreparedPost extends CheckedPost {
  /** All but those about other posts near it. */
  warnings: PostWarning[]
  slots?: Slots
}

interface Options extends Omit<CheckPostsOptions, 'usable'> {
  rights: KeyRights
  /** Whether a post with warnings is rejected. */
  isStrict?: boolean
  texts: TextCache
}

/**
 * Checks posts, finds their warnings, and takes slots in the order of the request. `moves`: the deliveries whose slots
 * they take. The caller stores these.
 */
export async function preparePosts(
  db: Db,
  userId: string,
  posts: readonly Post[],
  { rights, isStrict = false, ...options }: Options,
): Promise<{ prepared: PreparedPost[]; moves: QueuedDelivery[] }> {
  const checked = await checkPosts(db, userId, posts, { ...options, usable: rights })
  const warned = checked.map((each): PreparedPost => {
    const warnings = findWarnings(each.post, options.texts)
    const rejection = each.rejection ?? (isStrict ? findWarningError(warnings) : undefined)
    return { ...each, warnings, rejection }
  })
  const wanted = warned.map(({ post, rejection }) => ({ ...post, queue: rejection ? undefined : post.queue }))
  const { taken, moves } = await takeSlots(db, wanted, { userId, accountIds: rights.accountIds })
  const prepared = warned.map((each, index): PreparedPost => {
    const slots = taken[index]
    if (!slots) return each
    if (slots instanceof AppError) return { ...each, rejection: slots }
    return { ...each, post: inSlots(each.post, slots), slots }
  })
  return { prepared, moves }
}
