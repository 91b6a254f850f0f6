import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import { type PostSubjects, readPostSubjects } from '../../db/queries/post-subjects.ts'
import { AppError } from '../errors.ts'
import { findViolations } from '../platforms/rules/check-post.ts'
import type { PostToCheck } from '../platforms/rules/context.ts'

export type CheckedAccount = PostSubjects['accounts'][number]

/**
 * Checks a post against the limits of its networks and the access of its user, and returns its accounts. Throws 400 for
 * the first limit that it breaks, and 403 for accounts and media that the user may not use. Limits are checked only for
 * accounts and media that the user may use, so that no response reveals anything about others.
 */
export async function checkPost(
  db: Db,
  userId: string,
  post: PostToCheck & { accountIds: readonly string[] },
): Promise<CheckedAccount[]> {
  const { accountIds, mediaIds } = post
  const [subjects] = await readPostSubjects(db, {
    userId,
    accountIds: accountIds.filter(isId),
    mediaIds: mediaIds.filter(isId),
  })
  const accounts = selectInOrder(accountIds, subjects!.accounts)
  const media = selectInOrder(mediaIds, subjects!.media)
  const [violation] = findViolations(post, accounts, media)
  if (violation) throw new AppError(400, 'platform_limit', violation.message)
  checkAccess({ accountIds: findMissing(accountIds, accounts), mediaIds: findMissing(mediaIds, media) })
  return accounts
}

/** The items with these ids, in the order of the ids, repeated ones included. */
function selectInOrder<T extends { id: string }>(ids: readonly string[], found: T[]): T[] {
  const byId = new Map(found.map((item) => [item.id, item]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function findMissing(ids: readonly string[], found: { id: string }[]): string[] {
  const known = new Set(found.map(({ id }) => id))
  return [...new Set(ids)].filter((id) => !known.has(id))
}

/** Limits the ids in a message, and the length of each. */
const NAMED_MAX = 20
const ID_LENGTH_MAX = 64

function checkAccess(inaccessible: Record<string, string[]>): void {
  const parts = Object.entries(inaccessible)
    .filter(([, ids]) => ids.length > 0)
    .map(([name, ids]) => {
      const named = ids.slice(0, NAMED_MAX).map((id) => id.slice(0, ID_LENGTH_MAX).toWellFormed())
      const rest = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : ''
      return `${name}: ${named.join(', ')}${rest}`
    })
  if (parts.length > 0) throw new AppError(403, 'no_access', `You have no access to these ${parts.join('; ')}`)
}
