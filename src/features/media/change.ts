import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { writePostsUpdated } from '../../../db/queries/events/post.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import { deleteUnusedMedia, findMedia, lockDeliveriesOfMedia } from '../../../db/queries/media.ts'
import {
  listUnpublishedUses,
  lockDescription,
  lockUnpublishedDeliveries,
  touchPosts,
  type UnpublishedUse,
  updateDescription,
} from '../../../db/queries/media-description.ts'
import type { StagedFile } from '../../../db/queries/staged-files.ts'
import { hasSqlstate, SQLSTATE } from '../../../db/sqlstate.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { MEDIA_DELETED } from '../../../schemas/delivery.ts'
import type { Issue } from '../../../schemas/error.ts'
import { ALT_TEXT_DELIVERIES_MAX } from '../../../schemas/errors.ts'
import { type MediaDetail, POST_IDS_MAX, type UpdateMedia } from '../../../schemas/media.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { isListed, requireScope } from '../../base/http/rights.ts'
import { type FileAccess, mediaNotFound } from './access.ts'
import { hideDescription } from './file-name.ts'
import { searchTextOf } from './search-texts.ts'

/** The user's file with this id. Throws 404 if the id is unknown. */
async function getMedia(db: Db, userId: string, id: string): Promise<MediaDetail> {
  const [media] = isId(id) ? await findMedia(db, { userId, id }) : []
  if (!media) throw mediaNotFound()
  return media
}

/**
 * Changes the description of a file, and the version of each post that may still publish it. Throws 403 if the key
 * could not change one of these posts. Throws 409 if they have too many deliveries to be changed in one transaction.
 */
export async function updateMedia(
  db: Db,
  { userId, id, shared }: FileAccess,
  change: UpdateMedia,
  rights: KeyRights,
): Promise<void> {
  if (change.altText === undefined && change.focus === undefined) throw invalidRequest([NO_CHANGE])
  if (!isId(id)) return
  await inTransaction(db, async (db) => {
    const limit = ALT_TEXT_DELIVERIES_MAX + 1
    const locked = await lockUnpublishedDeliveries(db, { userId, id, limit })
    await shared?.confirm(db)
    const [before] = await lockDescription(db, { userId, id })
    if (!before) return
    const { altText = before.altText, focus = before.focus } = change
    const after = { altText: altText || null, focus }
    const changed = (['altText', 'focus'] as const).filter((name) => !isDeepStrictEqual(before[name], after[name]))
    if (changed.length === 0) return
    if (locked.length === limit) throw tooManyUses()
    const uses = await listUnpublishedUses(db, { userId, id, limit })
    if (uses.length === limit) throw tooManyUses()
    requireMayChange(uses, rights)
    await updateDescription(db, { userId, id, ...after, searchText: searchTextOf({ ...before, ...after }) })
    const ids = uses.map(({ postId }) => postId)
    await touchPosts(db, { userId, ids })
    await writePostsUpdated(db, { userId, ids }, changed)
  })
}

/** `altText` was the only property in version 1.0. */
const NO_CHANGE: Issue = {
  code: 'invalid_type',
  expected: 'string',
  received: 'undefined',
  path: ['altText'],
  message: 'Required',
}

const tooManyUses = () => fail('media_in_too_many_posts')

/** A file that is going to be published is changed only by a key that may publish it. */
function requireMayChange(uses: readonly UnpublishedUse[], rights: KeyRights): void {
  const approved = uses.filter(({ isApproved }) => isApproved)
  if (approved.length > 0) requireScope(rights, 'posts:publish')
  if (!approved.every(({ accountIds }) => accountIds.every((id) => isListed(rights, id)))) {
    throw fail('media_used_elsewhere.otherAccounts')
  }
}

/** A file with those of its posts that the caller may see. Throws 404 if the id is unknown. */
export async function showMedia(db: Db, { userId, id, shared }: FileAccess): Promise<MediaDetail> {
  const media = await getMedia(db, userId, id)
  if (!shared) return media
  const shown = shared.isResent ? hideDescription(media) : media
  return { ...shown, postIds: shared.postIds.slice(0, POST_IDS_MAX.detail) }
}

/** Error of a delivery that can no longer be retried: it would be sent without a file that its owner attached. */
const FILE_DELETED = { code: MEDIA_DELETED, message: 'A file of the post was deleted', retryable: false }

/** The states of the deliveries that cannot do without the deleted file, and the state that they get. */
export type EndedDelivery = Pick<Parameters<typeof deleteUnusedMedia>[1], 'from' | 'to'>

/**
 * Deletes a file, and returns its staged bytes for the caller to discard. Throws a 404 if there is no file with this
 * id. Throws 409 while a draft, a scheduled post or an unfinished delivery uses the file. Throws 403 if the key could
 * not decide about a failed delivery that would need it. `ended`: what such a delivery becomes.
 */
export async function deleteMedia(
  db: Db,
  { userId, id, shared }: FileAccess,
  { ended, rights }: { ended: EndedDelivery; rights: KeyRights },
): Promise<StagedFile | undefined> {
  const inUse = fail('media_in_use')
  const [found] = isId(id)
    ? await inTransaction(db, async (db) => {
        await lockDeliveriesOfMedia(db, { userId, id })
        await shared?.confirm(db)
        const uses = await listUnpublishedUses(db, { userId, id, limit: null })
        const deleted = await deleteUnusedMedia(db, {
          userId,
          id,
          ...ended,
          error: JSON.stringify(FILE_DELETED),
        })
        if (deleted[0]?.used === false) requireMayChange(uses, rights)
        return deleted
      }).catch((error) => {
        throw hasSqlstate(error, SQLSTATE.FOREIGN_KEY_VIOLATION) ? inUse : error
      })
    : []
  if (!found) throw mediaNotFound()
  if (found.used) throw inUse
  return found.storageKey === null ? undefined : { userId, storageKey: found.storageKey }
}
