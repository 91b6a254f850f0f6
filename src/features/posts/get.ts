import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import { findPostWithReadiness, type PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import { type LockedPost, type LockedPostWithAccounts, lockPost } from '../../../db/queries/posts/lock.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { fail } from '../../base/errors.ts'
import { type PostAccess, postNotFound, type UsableForPost } from './access.ts'
import type { PostCondition } from './etag.ts'

/** A post of the user with its targets and attachments. Throws 404 if the id is unknown. */
export async function getPost(db: Db, userId: string, id: string): Promise<PostWithReadiness> {
  const [post] = isId(id) ? await findPostWithReadiness(db, { userId, id }) : []
  if (!post) throw postNotFound()
  return post
}

/** A post that the caller may see. Throws the 404 of `getPost` for any other. */
export async function readPost(db: Db, { userId, id, confirm }: PostAccess): Promise<PostWithReadiness> {
  const post = await getPost(db, userId, id)
  await confirm?.(
    db,
    post.targets.map(({ accountId }) => accountId),
  )
  return post
}

/**
 * Runs `change` in a transaction that holds the locks of a post and of all its deliveries. Neither a worker nor another
 * request can change them meanwhile. Throws 404 if the id is unknown, or if the caller may not see the post.
 */
export async function changePost<T>(
  db: Db,
  { userId, id, confirm }: PostAccess,
  change: (db: Db, locked: LockedPostWithAccounts, usable: UsableForPost | undefined) => Promise<T>,
): Promise<T> {
  for (;;) {
    const changed = await inTransaction(db, async (db) => {
      const [locked] = isId(id) ? await lockPost(db, { userId, id }) : []
      if (!locked) return undefined
      return { value: await change(db, locked, await confirm?.(db, locked.accountIds)) }
    })
    if (changed) return changed.value
    // Throws a 404, or the post was changed while the lock was awaited.
    await getPost(db, userId, id)
  }
}

/** Further requirements of a request for the post that it changes. */
export interface Conditions {
  /** Otherwise 412. */
  ifMatch?: PostCondition | undefined
  /** Otherwise 403. Default: all. */
  rights?: KeyRights
}

/** Throws 400 for a published post, and 409 for one that is being sent. One that was taken down can be deleted. */
export function requireUnpublished({ status, busy, isTakenDown }: LockedPost, change: 'edit' | 'delete'): void {
  if (status === 'published' && !(change === 'delete' && isTakenDown)) throw fail('post_published.unchangeable', change)
  if (busy) throw fail('post_busy', change)
}
