import { randomBytes } from 'node:crypto'
import { renewLease, type StagedFile, stageFile } from '../../../db/queries/staged-files.ts'
import { discardUnused, type Put } from './discard-file.ts'
import { keepLease } from './lease.ts'
import type { Library } from './library.ts'
import { putInTurn } from './put-in-turn.ts'

/**
 * Stores the bytes at `path`, which the caller deletes. `promote` gives the staged file its row. If it returns false or
 * fails, the bytes are deleted. Returns what `promote` returns.
 */
export async function storeFile(
  library: Library,
  userId: string,
  { path, mimeType }: { path: string; mimeType: string },
  promote: (file: StagedFile) => Promise<boolean>,
): Promise<boolean> {
  const { db, storage } = library
  const file = { userId, storageKey: randomBytes(16).toString('hex') }
  let put: Put = 'not started'
  let isPromoted = false
  await stageFile(db, file)
  const lease = keepLease(() => renewLease(db, file))
  try {
    put = 'started'
    await putInTurn(storage, file, path, mimeType)
    put = 'done'
    isPromoted = await promote(file)
    return isPromoted
  } finally {
    lease.end()
    // Fails if the database or the storage is unavailable. A sweep deletes the file then.
    if (!isPromoted) await discardUnused(library, file, put).catch(() => {})
  }
}
