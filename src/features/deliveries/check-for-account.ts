import type { Db } from '../../../db/client.ts'
import type { PostDetail } from '../../../schemas/post.ts'
import type { Post, Target } from '../../platforms/contract/post.ts'
import { listMediaIds } from '../../platforms/rules/files.ts'
import type { Usable, UsableForPost } from '../posts/access.ts'
import { checkPost } from '../posts/check.ts'
import { requireSize } from '../posts/content.ts'

/**
 * Checks what one account of a post would get, as if it was scheduled. With `deletedFiles`, its files are published and
 * stay as they are: only the text and the fields are checked. Throws the errors of `createPost`, and a 413 for a post
 * whose deliveries would be larger together than any post that a request could create. `row`: the post as it is stored.
 */
export async function checkForAccount(
  db: Db,
  userId: string,
  {
    row,
    before,
    changed,
    usable: owner,
    deletedFiles,
  }: {
    row: Pick<PostDetail, 'targets'>
    before: Post
    changed: Target
    usable: UsableForPost | undefined
    deletedFiles?: Post['deletedFiles']
  },
) {
  const isChanged = ({ accountId }: { accountId: string }) => accountId === changed.accountId
  const whole = { ...before, targets: before.targets.map((target) => (isChanged(target) ? changed : target)) }
  const otherEdits = row.targets.filter((target) => !isChanged(target)).map(({ delivery }) => delivery.edit)
  requireSize(whole, otherEdits)
  const alone = { ...before, targets: [changed] }
  const usable: Usable =
    owner?.isOwner === false
      ? { accountIds: null, mediaIds: listMediaIds(before) }
      : { accountIds: owner?.accountIds ?? null }
  const { targets } = await checkPost(db, userId, { ...alone, isScheduled: true, deletedFiles }, { usable })
  return targets[0]!
}
