import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { type Storage, throwFileError } from '../../base/storage/storage.ts'

/** Copies stored bytes to a new file. Throws a NotStoredError without any, and the reason of `signal` if it aborts. */
export async function copyStored(
  { storage }: { storage: Pick<Storage, 'read'> },
  storageKey: string,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  // Before the file is opened: nobody would close it after an error.
  const stored = await storage.read(storageKey)
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  await pipeline(stored, file, { ...(signal && { signal }) }).catch((error) => {
    signal?.throwIfAborted()
    throwFileError(error)
  })
}
