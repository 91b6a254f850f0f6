import type { Db } from '../../../db/client.ts'
import type { Post, Target } from '../../platforms/contract/post.ts'
import { listMediaIds } from '../../platforms/rules/files.ts'
import type { Usable, UsableForPost } from '../posts/access.ts'
import { checkPost } from '../posts/check.ts'
import { requireSize } from '../posts/content.ts'

/**
 * Checks what one account of a post would get, as if it was scheduled. With `deletedFiles`, its files are published and
 * stay as they are: only the text and the fields are checked. Throws the errors of `createPost`.
 */
export async function checkForAccount(
  db: Db,
  userId: string,
  {
    before,
    changed,
    usable: owner,
    deletedFiles,
  }: {
    before: Post
    changed: Target
    usable: UsableForPost | undefined
    deletedFiles?: Post['deletedFiles']
  },
) {
  const alone = { ...before, targets: [changed] }
  requireSize(alone)
  const usable: Usable =
    owner?.isOwner === false
      ? { accountIds: null, mediaIds: listMediaIds(before) }
      : { accountIds: owner?.accountIds ?? null }
  const { targets } = await checkPost(db, userId, { ...alone, isScheduled: true, deletedFiles }, { usable })
  return targets[0]!
}
