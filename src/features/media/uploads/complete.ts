import { completeUpload, type FoundUpload, leaseUpload, listParts } from '../../../../db/queries/uploads.ts'
import { hasSqlstate, SQLSTATE } from '../../../../db/sqlstate.ts'
import { fail } from '../../../base/errors.ts'
import type { Storage } from '../../../base/storage/storage.ts'
import { type Added, type PlacedFile, withIncomingFile, withinQuota } from '../add.ts'
import { keepLease, LEASE } from '../lease.ts'
import type { Library } from '../library.ts'
import type { UploadBody } from './body.ts'
import { discardParts } from './discard-parts.ts'
import { requireUpload } from './show.ts'

interface Writer {
  userId: string
  id: string
  writer: string
}

const ATTEMPTS_MAX = 5

/**
 * Checks and stores the file of an upload: its parts, or a whole body. Throws the error of a file that is rejected, and
 * 409 if another request has taken over.
 */
export async function completeFile(
  library: Library,
  writer: Writer,
  { sha256 }: Pick<FoundUpload, 'sha256'>,
  body?: UploadBody,
): Promise<void> {
  const { db, storage, bytesMax } = library
  const hold = async () => {
    const renew = () => leaseUpload(db, { ...writer, seconds: LEASE.lastsMs / 1_000 })
    if ((await renew()).length === 0) throw fail('upload_taken_over')
    return keepLease(renew)
  }
  // Nobody takes over from here on. A body may never end: it is received before.
  let lease = body ? undefined : await hold()
  const parts = body ? [] : await listParts(db, writer)
  try {
    await withIncomingFile(library, writer.userId, async (file) => {
      const actual = await file.save(body ? body.take(bytesMax + 1) : readParts(storage, parts))
      if (body?.error) throw body.error
      lease ??= await hold()
      await requireUpload(library, writer)
      if (sha256 && !sha256.equals(actual)) throw fail('upload_checksum', actual.toString('hex'))
      const placed = await file.place({ counts: parts.length === 0 })
      return { result: await complete(library, writer, placed) }
    })
  } finally {
    lease?.end()
  }
  discardParts(library, writer.userId, parts)
}

async function* readParts(storage: Storage, parts: readonly { storageKey: string }[]): AsyncGenerator<Buffer> {
  for (const { storageKey } of parts) yield* await storage.read(storageKey)
}

async function complete(library: Library, writer: Writer, placed: PlacedFile): Promise<Added> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withinQuota(library, placed, async (db) => {
        const [media] = await completeUpload(db, { ...writer, ...placed })
        if (!media) throw fail('upload_taken_over')
        return { media, isNew: true }
      })
    } catch (error) {
      // The same bytes were added at the same time. The next attempt finds them.
      if (!hasSqlstate(error, SQLSTATE.UNIQUE_VIOLATION) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}
