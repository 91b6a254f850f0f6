import type { Db } from '../../../db/client.ts'
import { listMediaIds, type PostToCheck } from '../../platforms/rules/context.ts'
import type { Usable, UsableForPost } from '../posts/access.ts'
import { checkPost } from '../posts/check.ts'
import { type PostContent, requireSize, type TargetContent, toPostToCheck } from '../posts/content.ts'

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
    usable,
    deletedFiles,
  }: {
    before: PostContent
    changed: TargetContent
    usable: UsableForPost | undefined
    deletedFiles?: PostToCheck['deletedFiles']
  },
) {
  const alone = { ...before, targets: [changed] }
  requireSize(alone)
  const mayAddFiles = usable?.isOwner !== false
  const usableFiles: Usable = mayAddFiles
    ? { accountIds: usable?.accountIds ?? null }
    : { accountIds: null, mediaIds: listMediaIds(toPostToCheck(before)) }
  const asked = { ...toPostToCheck(alone), scheduled: true, ...(deletedFiles && { deletedFiles }) }
  return checkPost(db, userId, asked, usableFiles)
}
