import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import { deleteUnusedMedia, findMedia, lockDeliveriesOfMedia, updateAltText } from '../../db/queries/media.ts'
import type { StagedFile } from '../../db/queries/staged-files.ts'
import { hasSqlstate, SQLSTATE } from '../../db/sqlstate.ts'
import { inTransaction } from '../../db/transaction.ts'
import { MEDIA_DELETED } from '../../schemas/delivery.ts'
import type { Media } from '../../schemas/media.ts'
import { MEDIA_IN_USE, MEDIA_NOT_FOUND } from '../../schemas/messages.ts'
import { DELETE_MEDIA } from '../delivery/states.ts'
import { AppError } from '../errors.ts'

/** The user's file with this id. Throws a 404 if there is none. */
export async function getMedia(db: Db, userId: string, id: string): Promise<Media> {
  const [media] = isId(id) ? await findMedia(db, { userId, id }) : []
  if (!media) throw new AppError(404, 'media_not_found', MEDIA_NOT_FOUND)
  return media
}

/** Changes the alt text of the user's file, and returns the file. Throws a 404 if there is none with this id. */
export async function updateMedia(db: Db, userId: string, id: string, altText: string | null): Promise<Media> {
  if (isId(id)) await updateAltText(db, { userId, id, altText: altText || null })
  return getMedia(db, userId, id)
}

/** Error of a delivery that can no longer be retried: it would be sent without a file that its owner attached. */
const FILE_DELETED = { code: MEDIA_DELETED, message: 'A file of the post was deleted', retryable: false }

/**
 * Deletes the user's file, and returns its staged bytes for the caller to discard. Throws a 404 if there is no file with
 * this id. Throws a 409 while a draft, a scheduled post or an unfinished delivery uses the file.
 */
export async function deleteMedia(db: Db, userId: string, id: string): Promise<StagedFile | undefined> {
  const inUse = new AppError(409, 'media_in_use', MEDIA_IN_USE)
  const [found] = isId(id)
    ? await inTransaction(db, async (db) => {
        await lockDeliveriesOfMedia(db, { userId, id })
        return deleteUnusedMedia(db, { userId, id, ...DELETE_MEDIA, error: JSON.stringify(FILE_DELETED) })
      }).catch((error) => {
        throw hasSqlstate(error, SQLSTATE.FOREIGN_KEY_VIOLATION) ? inUse : error
      })
    : []
  if (!found) throw new AppError(404, 'media_not_found', MEDIA_NOT_FOUND)
  if (found.used) throw inUse
  return found.storageKey === null ? undefined : { userId, storageKey: found.storageKey }
}
