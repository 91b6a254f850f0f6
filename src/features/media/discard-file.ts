import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  findPromotedMedia,
  forgetFile,
  markFileRemoved,
  markForDeletion,
  type StagedFile,
} from '../../../db/queries/staged-files.ts'
import type { Library } from './library.ts'

/** How far storing the bytes has come. */
export type Put = 'not started' | 'started' | 'done'

/** Deletes the bytes of a file that became no media. */
export async function discardUnused(library: Library, file: StagedFile, put: Put): Promise<void> {
  if (put !== 'not started') await discardFile(library, file)
  // A storage that reported a failure may still store the file later. The row stays, so that a sweep looks again.
  if (put !== 'started') await forgetFile(library.db, file)
}

export const incomingPath = ({ incomingDir }: Library, { storageKey }: StagedFile) => join(incomingDir, storageKey)

/**
 * Deletes a file's bytes unless the file belongs to one of the user's media. Only the database can say whether it does:
 * a statement whose result was lost may have been committed. Returns whether this call deleted the bytes.
 */
export async function discardFile(library: Library, file: StagedFile): Promise<boolean> {
  const { db, storage } = library
  const [marked] = await markForDeletion(db, file)
  // A file that is neither staged nor promoted was swept before its last byte was written.
  if (!marked && (await findPromotedMedia(db, file)).length > 0) return false
  await rm(incomingPath(library, file), { force: true })
  await storage.remove(file.storageKey)
  return markFileRemoved(db, file)
}
