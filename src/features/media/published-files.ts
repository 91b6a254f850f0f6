import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { findEdits, saveEdits } from '../../../db/queries/stored-media.ts'
import type { MediaType } from '../../../schemas/media.ts'
import { AppError } from '../../base/errors.ts'
import { NotStoredError, type Storage, throwFileError, UnpublishableError } from '../../base/storage/storage.ts'
import { copyStored } from './copy-stored.ts'
import { planFile } from './inspect.ts'
import type { Library } from './library.ts'
import { applyEdits, type Plan } from './metadata/edits.ts'

/** Reading throws an UnpublishableError if the metadata of a file cannot be removed. */
export type PublishedFiles = Pick<Storage, 'size' | 'read'>

/**
 * The stored files as networks get them: without metadata, unless the operator keeps it. Bluesky, for one, stores and
 * shows the bytes that it gets, and asks its clients to remove metadata:
 * https://docs.bsky.app/docs/advanced-guides/posts#images-embeds. Each file keeps its length, so ranges stay the same.
 */
export function publishedFiles(library: Omit<Library, 'bytesMax'>): PublishedFiles {
  const { db, storage, keepsMetadata } = library
  if (keepsMetadata) return storage
  /** By storage key: an adapter may read several parts of a file at the same time. */
  const plans = new Map<string, Promise<Plan>>()

  async function editsOf(key: string): Promise<Plan> {
    const [file] = await findEdits(db, { storageKey: key })
    if (!file) throw new NotStoredError(key, new Error('it belongs to no media'))
    if (typeof file.edits === 'string') return file.edits
    const plan = plans.get(key) ?? planStored(library, key, file).finally(() => plans.delete(key))
    plans.set(key, plan)
    return plan
  }

  return {
    size: storage.size,
    async read(key, range) {
      const edits = await editsOf(key)
      const stored = await storage.read(key, range)
      if (edits === '') return stored
      const edited = Readable.from(applyEdits(stored, range?.from ?? 0, edits), { objectMode: false })
      return edited.once('close', () => stored.destroy())
    },
  }
}

/** Plans and saves the edits of a file that an older version stored. */
async function planStored(
  { db, storage, incomingDir }: Omit<Library, 'bytesMax'>,
  key: string,
  { userId, mimeType }: { userId: string; mimeType: string },
): Promise<Plan> {
  const path = join(incomingDir, `plan-${randomUUID()}`)
  try {
    await copyStored({ storage }, key, path)
    const edits = await planFile(path, userId, mimeType as MediaType).catch((error) => {
      if (error instanceof AppError) throw new UnpublishableError(error.message, { cause: error })
      throwFileError(error)
    })
    await saveEdits(db, { storageKey: key, edits: JSON.stringify(edits) })
    return edits
  } finally {
    await rm(path, { force: true }).catch(() => {})
  }
}
