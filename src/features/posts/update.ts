import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import type { Db } from '../../../db/client.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import type { Mover } from '../../../db/queries/queue.ts'
import type { CreatePostQuery } from '../../../schemas/create-post.ts'
import type { PatchPost } from '../../../schemas/patch-post.ts'
import { type PostWarning, WARNINGS_MAX } from '../../../schemas/warning.ts'
import { fail } from '../../base/errors.ts'
import { isLong } from '../../base/http/requests.ts'
import type { Post } from '../../platforms/contract/post.ts'
import { listMediaIds } from '../../platforms/rules/files.ts'
import { createTextCache, type TextCache } from '../../platforms/rules/text-cache.ts'
import { type PostAccess, type Usable, withPost } from './access.ts'
import { checkPost, checkPosts } from './check.ts'
import { contentOf, fromRow, requireSize } from './content.ts'
import { readCondition } from './etag.ts'
import { type MakeRenditions, withRenditions } from './fit.ts'
import { type Conditions, changePost, getPost, requireUnpublished } from './get.ts'
import { type LoadedPost, loadPosts } from './load.ts'
import { fromPatch } from './merge-patch.ts'
import { type PostGap, readNearbyWarnings } from './nearby-warnings.ts'
import { placeInSlots } from './queue/place.ts'
import { inSlots, type Shift, shiftTimes } from './schedule.ts'
import { isScheduling, requirePostScope } from './scope.ts'
import { findWarningError, findWarnings } from './warnings.ts'
import { publishesImmediately, writeChanges } from './write-changes.ts'

export interface Updating {
  db: Db
  gapMs: PostGap
  makeRenditions: MakeRenditions
}

type UpdateRequest = Parameters<typeof withPost>[1] & { rights: KeyRights; body: PatchPost; query: CreatePostQuery }

/** The further wishes of a request for several posts. */
interface Further {
  /** Moves the post in time. */
  shift?: Shift | undefined
  /** The present of the user: a change that publishes the post immediately throws `time_in_past`. */
  refusesPastAt?: Date | undefined
  /** Runs at the end of the transaction that changes the post. */
  commit?: ((transaction: Db, row: PostWithReadiness, warnings: PostWarning[]) => Promise<void>) | undefined
}

/** Changes the post of a request. Returns it with the warnings that a create with its content would have. */
export const updateWithWarnings = (context: Updating, request: UpdateRequest & FastifyRequest) =>
  changeWithWarnings(context, request, { ifMatch: readCondition(request) })

/** The same, with more that the caller wants of the change. */
export async function changeWithWarnings(
  { db, gapMs, makeRenditions }: Updating,
  request: UpdateRequest,
  further: Further & Pick<Conditions, 'ifMatch'>,
): Promise<{ post: PostWithReadiness; warnings: PostWarning[] }> {
  const { userId, rights, body, query } = request
  requirePostScope(rights, isScheduling(body))
  const options: UpdateOptions = {
    ...further,
    rights,
    isStrict: query.strict === true,
    mover: { userId, accountIds: rights.accountIds },
    texts: createTextCache(),
  }
  const { row, post, removed } = await withRenditions(makeRenditions, () =>
    withPost(db, request, (access) => updatePost(db, access, body, options)),
  )
  const { texts } = options
  const [nearby] = await readNearbyWarnings(db, [{ ...row, post }], { gapMs, texts, moves: [] })
  return { post: row, warnings: [...findWarnings(post, texts), ...removed, ...nearby!].slice(0, WARNINGS_MAX) }
}

interface UpdateOptions extends Further, Pick<Conditions, 'ifMatch'> {
  rights: KeyRights
  /** Whether a change with warnings is rejected. */
  isStrict: boolean
  /** Whose posts make room for it at the front of a queue. */
  mover: Mover
  texts: TextCache
}

interface UpdatedPost {
  row: PostWithReadiness
  post: LoadedPost
  /** The warning that the change has removed the zone of the post. */
  removed: PostWarning[]
}

/** A time with an offset removes the zone: a caller who only moves the post may not expect that. */
function findRemovedZone(before: Post, after: Post, { scheduledAt, timeZone }: PatchPost): PostWarning[] {
  if (!before.localSchedule || after.localSchedule || !scheduledAt || timeZone !== undefined) return []
  const message = `scheduledAt has an offset, so the post no longer has the time zone ${before.localSchedule.timeZone}: to keep it, send a time without an offset`
  return [{ code: 'removed_time_zone', path: ['scheduledAt'], message }]
}

/** A long post, which is measured while no transaction waits. Another request may change it meanwhile. */
interface LongPost {
  toMeasure: Post
  usable: Usable
}

/**
 * Changes a post. Throws 404 if the id is unknown, 400 if the post is published, and 409 while it is being sent. Also
 * throws the errors of its conditions, and of `createPost` for the changed post.
 */
async function updatePost(
  db: Db,
  access: PostAccess,
  patch: PatchPost,
  { ifMatch, shift, refusesPastAt, commit, rights, isStrict, mover, texts }: UpdateOptions,
): Promise<UpdatedPost> {
  const { userId, id } = access
  const requireNoWarnings = (post: LoadedPost) => {
    const error = isStrict ? findWarningError(findWarnings(post, texts)) : undefined
    if (error) throw error
  }
  for (let isMeasured = false; ; isMeasured = true) {
    const updated = await changePost(db, access, async (db, locked, usable): Promise<UpdatedPost | LongPost> => {
      requirePostScope(rights, locked.status === 'scheduled')
      requireUnpublished(locked, 'edit')
      const row = await getPost(db, userId, id)
      ifMatch?.(row)
      const before = fromRow(row)
      const patched = fromPatch(before, patch)
      const after = shift ? shiftTimes(patched, shift) : patched
      const usableNow = {
        accountIds: usable?.accountIds ?? null,
        ...(usable?.isOwner === false && { mediaIds: listMediaIds(before) }),
      }
      if (!patch.schedule && isDeepStrictEqual(contentOf(before), contentOf(after))) {
        const [post] = await loadPosts(db, userId, [after], usableNow)
        requireNoWarnings(post!)
        await commit?.(db, row, findWarnings(post!, texts))
        return { row, post: post!, removed: [] }
      }
      if (isLong(requireSize(after)) && !isMeasured) return { toMeasure: after, usable: usableNow }
      const checked = await checkPost(db, userId, after, { usable: usableNow, texts })
      const slots = after.queue && (await placeInSlots(db, { userId, id }, checked.targets, after.queue, mover))
      const post = slots ? inSlots(checked, slots) : checked
      const change = { before, after: post, texts, keyId: access.keyId }
      if (refusesPastAt && publishesImmediately(row, change, refusesPastAt)) throw fail('time_in_past')
      await writeChanges(db, row, change)
      requireNoWarnings(post)
      const removed = findRemovedZone(before, after, patch)
      const changed = await getPost(db, userId, id)
      await commit?.(db, changed, [...findWarnings(post, texts), ...removed])
      return { row: changed, post, removed }
    })
    if ('row' in updated) return updated
    await checkPosts(db, userId, [updated.toMeasure], { usable: updated.usable, texts })
  }
}
