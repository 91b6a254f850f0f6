import type { FastifyRequest } from 'fastify'
import type { Db } from '../../../db/client.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import { readPostSubjects } from '../../../db/queries/posts/subjects.ts'
import type { CreatePostQuery } from '../../../schemas/create-post.ts'
import type { MediaFacts } from '../../../schemas/media.ts'
import type { PatchPost } from '../../../schemas/patch-post.ts'
import { type PostWarning, WARNINGS_MAX } from '../../../schemas/warning.ts'
import { createIndex, listMediaIds } from '../../platforms/rules/context.ts'
import { createTextCache } from '../../platforms/rules/text-cache.ts'
import { withPost } from './access.ts'
import { contentOf, toPostToCheck } from './content.ts'
import { readCondition } from './etag.ts'
import { type MakeRenditions, withRenditions } from './fit.ts'
import { type PostGap, readNearbyWarnings } from './nearby-warnings.ts'
import { isScheduling, requirePostScope } from './scope.ts'
import { updatePost } from './update.ts'
import { findWarningError, findWarnings } from './warnings.ts'

interface Updating {
  db: Db
  gapMs: PostGap
  makeRenditions: MakeRenditions
}

type UpdateRequest = FastifyRequest &
  Parameters<typeof withPost>[1] & { rights: KeyRights; body: PatchPost; query: CreatePostQuery }

/** A changed post, and the facts of its files. */
interface UpdatedPost {
  post: PostWithReadiness
  media: MediaFacts[]
}

/** Changes the post of a request. Returns it with the warnings that a create with its content would have. */
export async function updateWithWarnings(
  { db, gapMs, makeRenditions }: Updating,
  request: UpdateRequest,
): Promise<{ post: PostWithReadiness; warnings: PostWarning[] }> {
  const { userId, rights, body, query } = request
  requirePostScope(rights, isScheduling(body))
  const options = {
    ifMatch: readCondition(request),
    rights,
    confirm: query.strict === true ? requireNoWarnings(body) : undefined,
    mover: { userId, accountIds: rights.accountIds },
  }
  const updated = await withRenditions(makeRenditions, () =>
    withPost(db, request, async (access) => withMedia(db, access.userId, await updatePost(db, access, body, options))),
  )
  return { post: updated.post, warnings: await readUpdateWarnings(db, updated, body, gapMs) }
}

/** Adds the files of a post of the user, which its warnings need. */
async function withMedia(db: Db, userId: string, post: PostWithReadiness): Promise<UpdatedPost> {
  const mediaIds = listMediaIds(toPostToCheck(contentOf(post)))
  const [subjects] = mediaIds.length > 0 ? await readPostSubjects(db, { userId, accountIds: [], mediaIds }) : []
  return { post, media: subjects?.media ?? [] }
}

/** The warnings of a changed post: those of a create with the same content. Paths lead into the patch. */
async function readUpdateWarnings(
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
const requireNoWarnings = (patch: PatchPost) => async (db: Db, changed: PostWithReadiness) => {
  const error = findWarningError(findOwnWarnings(await withMedia(db, changed.userId, changed), patch).own)
  if (error) throw error
}
