import type { Db } from '../../db/client.ts'
import type { PostWithReadiness } from '../../db/queries/posts/detail.ts'
import { readPostSubjects } from '../../db/queries/posts/subjects.ts'
import type { MediaFacts } from '../../schemas/media.ts'
import type { PatchPost } from '../../schemas/patch-post.ts'
import { type PostWarning, WARNINGS_MAX } from '../../schemas/warning.ts'
import { createIndex, listMediaIds } from '../platforms/rules/context.ts'
import { createTextCache } from '../platforms/rules/text-cache.ts'
import { contentOf, toPostToCheck } from './content.ts'
import { type PostGap, readNearbyWarnings } from './nearby-warnings.ts'
import { findWarningError, findWarnings } from './warnings.ts'

/** A changed post, and the facts of its files. */
export interface UpdatedPost {
  post: PostWithReadiness
  media: MediaFacts[]
}

/** Adds the files of a post of the user, which its warnings need. */
export async function withMedia(db: Db, userId: string, post: PostWithReadiness): Promise<UpdatedPost> {
  const mediaIds = listMediaIds(toPostToCheck(contentOf(post)))
  const [subjects] = mediaIds.length > 0 ? await readPostSubjects(db, { userId, accountIds: [], mediaIds }) : []
  return { post, media: subjects?.media ?? [] }
}

/** The warnings of a changed post: those of a create with the same content. Paths lead into the patch. */
export async function readUpdateWarnings(
  db: Db,
  updated: UpdatedPost,
  patch: PatchPost,
  gapMs: PostGap,
): Promise<PostWarning[]> {
  const { own, post, accounts } = findOwnWarnings(updated, patch)
  const { id, userId } = updated.post
  const known = { gapMs, texts: createTextCache(), moves: [] }
  const [nearby] = await readNearbyWarnings(db, [{ id, userId, post, accounts }], known)
  return [...own, ...nearby!].slice(0, WARNINGS_MAX)
}

/** The warnings about the post itself. */
function findOwnWarnings({ post, media }: UpdatedPost, patch: PatchPost) {
  const content = contentOf(post)
  const accountIds = patch.accountIds ?? post.targets.map(({ accountId }) => accountId)
  const overrides = patch.accountOverrides?.map(({ accountId }) => accountId)
  const findOverride = createIndex(() => overrides ?? [])
  const toWarn = {
    ...toPostToCheck(content),
    scheduledAt: content.scheduledAt,
    accountTimes: content.accountTimes,
    findAccountIndex: createIndex(() => accountIds),
    findOverridePath: (id: string) => (overrides ? ['accountOverrides', findOverride(id)] : ['overrides', id]),
  }
  const accounts = post.targets.map(({ accountId: id, ...account }) => ({ id, ...account }))
  const unready = new Map(post.targets.map(({ accountId, readiness }) => [accountId, readiness]))
  return { post: toWarn, accounts, own: findWarnings(toWarn, accounts, { media, unready }) }
}

/** Throws 400 for a changed post with warnings, which a strict request does not allow. */
export const requireNoWarnings = (patch: PatchPost) => async (db: Db, changed: PostWithReadiness) => {
  const error = findWarningError(findOwnWarnings(await withMedia(db, changed.userId, changed), patch).own)
  if (error) throw error
}
