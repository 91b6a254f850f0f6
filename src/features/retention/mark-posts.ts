import type { Db } from '../../../db/client.ts'
import { NO_ID } from '../../../db/id.ts'
import {
  correctMarks,
  endUnmarked,
  findUnmarkedOrganization,
  type MarkWalk,
  nextAccountOf,
  readMarks,
} from '../../../db/queries/retention/post-marks.ts'
import type { Pace } from './pace.ts'

/** The place at which the next sweep of this process goes on. Another process begins at the start. */
export interface MarkProgress {
  walk?: MarkWalk | undefined
}

/**
 * Corrects which organisation posts belong to, where accounts were moved or version 1.0 had made posts before the
 * upgrade. Lists of the organisation are exact before too, but slower. Returns the number of posts that were wrong.
 */
export async function markPosts(db: Db, pace: Pace, progress: MarkProgress): Promise<number> {
  let corrected = 0
  do {
    const walk: MarkWalk | undefined = progress.walk ?? (await pace.run(() => findUnmarkedOrganization(db)))
    progress.walk = walk
    if (!walk) break
    const { limit } = pace
    const posts = await pace.run(() => readMarks(db, walk, limit))
    const wrong = posts.filter(({ isWrong }) => isWrong)
    if (wrong.length > 0) await pace.run(() => correctMarks(db, wrong))
    corrected += wrong.length
    const last = posts.at(-1)
    if (last && posts.length === limit) {
      progress.walk = { ...walk, userId: last.userId, postId: last.postId }
    } else {
      const accountId = await pace.run(() => nextAccountOf(db, walk))
      progress.walk = accountId ? { ...walk, accountId, userId: NO_ID, postId: NO_ID } : undefined
      if (!accountId) await pace.run(() => endUnmarked(db, walk))
    }
  } while (!pace.isOver())
  return corrected
}
