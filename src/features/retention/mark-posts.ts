import type { Db } from '../../../db/client.ts'
import { firstIdAt, NO_ID } from '../../../db/id.ts'
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
 * Corrects which organisation posts belong to, where accounts were moved or version 1.0 has made posts. Lists of the
 * organisation are exact before too, but slower. Processes of 1.0 have to be gone at `before`. Returns the number of
 * posts that were wrong.
 */
export async function markPosts(db: Db, pace: Pace, before: Date, progress: MarkProgress): Promise<number> {
  let corrected = 0
  for (let done = NO_ID; ; ) {
    const walk: MarkWalk | undefined = progress.walk ?? (await pace.run(() => findUnmarkedOrganization(db, done)))
    progress.walk = walk
    if (!walk) return corrected
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
      if (!accountId) {
        await pace.run(() => endUnmarked(db, walk, firstIdAt(before)))
        done = walk.organizationId
      }
    }
    if (pace.isOver()) return corrected
  }
}
