import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import type { KeyRights } from '../../db/queries/keys.ts'
import { findListedPosts } from '../../db/queries/listed-posts.ts'
import { deleteUnusedMedia, findMedia, lockDeliveriesOfMedia, updateAltText } from '../../db/queries/media.ts'
import type { StagedFile } from '../../db/queries/staged-files.ts'
import { hasSqlstate, SQLSTATE } from '../../db/sqlstate.ts'
import { inTransaction } from '../../db/transaction.ts'
import { MEDIA_DELETED } from '../../schemas/delivery.ts'
import type { MediaDetail } from '../../schemas/media.ts'
import { MEDIA_IN_USE } from '../../schemas/messages.ts'
import { DELETE_MEDIA } from '../delivery/states.ts'
import { AppError } from '../errors.ts'
import { type FileAccess, mediaNotFound } from './access.ts'

/** The user's file with this id. Throws a 404 if there is none. */
export async function getMedia(db: Db, userId: string, id: string): Promise<MediaDetail> {
  const [media] = isId(id) ? await findMedia(db, { userId, id }) : []
  if (!media) throw mediaNotFound()
  return media
}

/** Changes the alt text of a file. Throws a 404 if there is none with this id. */
export async function updateMedia(db: Db, { userId, id, shared }: FileAccess, altText: string | null): Promise<void> {
  if (!isId(id)) return
  await shared?.confirm(db)
  await updateAltText(db, { userId, id, altText: altText || null })
}

/** A file with those of its posts that the caller may see. Throws a 404 if there is none with this id. */
export async function showMedia(
  db: Db,
  { userId, id, shared }: FileAccess,
  { accountIds }: KeyRights,
): Promise<MediaDetail> {
  const media = await getMedia(db, userId, id)
  if (shared) return { ...media, postIds: shared.postIds.slice(0, POSTS_MAX) }
  if (!accountIds) return media
  const listed = await findListedPosts(db, { userId, ids: media.postIds, accountIds })
  return { ...media, postIds: media.postIds.filter((id) => listed.some((post) => post.id === id)) }
}

/** As for a file of the caller. */
const POSTS_MAX = 100

/** Error of a delivery that can no longer be retried: it would be sent without a file that its owner attached. */
const FILE_DELETED = { code: MEDIA_DELETED, message: 'A file of the post was deleted', retryable: false }

/**
 * Deletes a file, and returns its staged bytes for the caller to discard. Throws a 404 if there is no file with
 * this id. Throws a 409 while a draft, a scheduled post or an unfinished delivery uses the file.
 */
export async function deleteMedia(db: Db, { userId, id, shared }: FileAccess): Promise<StagedFile | undefined> {
  const inUse = new AppError(409, 'media_in_use', MEDIA_IN_USE)
  const [found] = isId(id)
    ? await inTransaction(db, async (db) => {
        await lockDeliveriesOfMedia(db, { userId, id })
        await shared?.confirm(db)
        return deleteUnusedMedia(db, { userId, id, ...DELETE_MEDIA, error: JSON.stringify(FILE_DELETED) })
      }).catch((error) => {
        throw hasSqlstate(error, SQLSTATE.FOREIGN_KEY_VIOLATION) ? inUse : error
      })
    : []
  if (!found) throw mediaNotFound()
  if (found.used) throw inUse
  return found.storageKey === null ? undefined : { userId, storageKey: found.storageKey }
}
