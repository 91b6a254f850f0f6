import type { Db } from '../../db/client.ts'
import { ALL_RIGHTS } from '../http/rights.ts'
import { listMediaIds } from '../platforms/rules/context.ts'
import type { UsableForPost } from '../posts/access.ts'
import { checkPost } from '../posts/check.ts'
import { type PostContent, requireSize, type TargetContent, toPostToCheck } from '../posts/content.ts'

/** Checks what one account of a post would get, as if it was scheduled. Throws the errors of `createPost`. */
export async function checkForAccount(
  db: Db,
  userId: string,
  { before, changed, usable }: { before: PostContent; changed: TargetContent; usable: UsableForPost | undefined },
) {
  const alone = { ...before, targets: [changed] }
  requireSize(alone)
  const mayAddFiles = usable?.isOwner !== false
  const usableFiles = mayAddFiles ? {} : { mediaIds: listMediaIds(toPostToCheck(before)) }
  const asked = { ...toPostToCheck(alone), scheduled: true }
  return checkPost(db, userId, asked, { ...ALL_RIGHTS, ...usableFiles })
}
