import type { Db } from '../../../db/client.ts'
import { type AppError, fail } from '../../base/errors.ts'
import { inPieces } from '../../base/http/pieces.ts'
import type { Post } from '../../platforms/contract/post.ts'
import { createTextCache, type TextCache } from '../../platforms/rules/text-cache.ts'
import type { Violation } from '../../platforms/rules/violation.ts'
import { type CheckOptions, checkInPieces } from '../../platforms/violations.ts'
import type { Usable } from './access.ts'
import { fitPosts } from './fit.ts'
import { type LoadedPost, loadPosts } from './load.ts'

/** A post, and all limits that it breaks. */
export interface CheckedPost {
  post: LoadedPost
  violations: Violation[]
  /** Why it cannot be stored: the first limit that it breaks, or else ids that the user may not use. */
  rejection: AppError | undefined
}

export interface CheckPostsOptions {
  usable?: Usable | undefined
  /** Measured once for all posts. */
  texts?: TextCache | undefined
  /** Whether renditions are only planned. */
  isPlan?: boolean | undefined
  /** Gets the counters of each post. */
  addCounts?: readonly CheckOptions['addCount'][] | undefined
}

/**
 * Loads posts, makes their files fit, and finds the limits that they break. Limits are checked only for accounts and
 * files that the user may use. A transaction is not kept waiting between pieces of the work: measure long texts before
 * it. Throws `RenditionsMissing`, unless renditions are only planned.
 */
export async function checkPosts(
  db: Db,
  userId: string,
  posts: readonly Post[],
  { usable, texts = createTextCache(), isPlan = false, addCounts }: CheckPostsOptions = {},
): Promise<CheckedPost[]> {
  const fitted = await fitPosts(db, userId, await loadPosts(db, userId, posts, usable), { isPlan })
  const checked: CheckedPost[] = []
  for (const [index, post] of fitted.entries()) {
    const pieces = checkInPieces(post, { texts, addCount: addCounts?.[index] })
    const violations = await inPieces(pieces, { canPause: !db.isTransaction })
    checked.push({ post, violations, rejection: findRejection(post, violations) })
  }
  return checked
}

/** Checks a post, and returns it with its accounts and files. Throws the error of a post that cannot be stored. */
export async function checkPost(db: Db, userId: string, post: Post, options?: CheckPostsOptions): Promise<LoadedPost> {
  const [checked] = await checkPosts(db, userId, [post], options)
  if (checked!.rejection) throw checked!.rejection
  return checked!.post
}

function findRejection({ inaccessible }: LoadedPost, [violation]: Violation[]): AppError | undefined {
  if (violation) return fail('platform_limit', violation.message)
  const parts = Object.entries(inaccessible)
    .filter(([, ids]) => ids.length > 0)
    .map(([name, ids]) => {
      const named = ids.slice(0, NAMED_MAX).map(shortenId)
      const rest = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : ''
      return `${name}: ${named.join(', ')}${rest}`
    })
  return parts.length > 0 ? fail('no_access.several', parts.join('; ')) : undefined
}

/** Limits the ids in a message, and the length of each. */
const NAMED_MAX = 20
const ID_LENGTH_MAX = 64

export const shortenId = (id: string) => id.slice(0, ID_LENGTH_MAX).toWellFormed()
