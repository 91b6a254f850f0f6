import { randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StorageError, throwFileError } from './storage.ts'

/** One block: a disk without space may still have room for the name of an empty file. */
const CONTENT = Buffer.alloc(4096, 'postroom ')

/** Writes, flushes, reads and deletes a small file in `folder`. Throws a StorageError if one of them fails. */
export async function checkFolder(folder: string): Promise<void> {
  const path = join(folder, `check-${randomUUID()}`)
  try {
    const file = await open(path, 'wx+', 0o600)
    try {
      await file.writeFile(CONTENT)
      await file.sync()
      const { buffer } = await file.read(Buffer.alloc(CONTENT.length), 0, CONTENT.length, 0)
      if (!buffer.equals(CONTENT)) throw new StorageError(`${folder} returns other bytes than were written`)
    } finally {
      await file.close()
      await rm(path, { force: true })
    }
  } catch (error) {
    throwFileError(error)
  }
}
