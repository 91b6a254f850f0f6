import { createHash } from 'node:crypto'
import { listStoredMedia, type StoredMedia } from '../../../db/queries/stored-media.ts'
import { NotStoredError, type Storage } from '../../base/storage/storage.ts'
import type { Library } from './library.ts'

interface BrokenFile {
  id: string
  userId: string
  /** `size`: another number of bytes is stored. `checksum`: other bytes are. */
  problem: 'missing' | 'size' | 'checksum'
}

const PAGE = 1_000
const CONCURRENCY = 16

/**
 * Compares all media with the bytes that are stored: their presence and size, and with `checksums` their SHA-256. Files
 * that are deleted meanwhile may be reported.
 */
export async function verifyMedia(
  library: Pick<Library, 'db' | 'storage'>,
  { checksums }: { checksums: boolean },
): Promise<{ checked: number; broken: BrokenFile[] }> {
  const broken: BrokenFile[] = []
  let checked = 0
  for (let page: StoredMedia[] = []; ; ) {
    page = await listStoredMedia(library.db, { after: page.at(-1), count: PAGE })
    broken.push(...(await findBroken(library.storage, page, { checksums })))
    checked += page.length
    if (page.length < PAGE) return { checked, broken }
  }
}

/** Compares the given media with the bytes that are stored, as `verifyMedia` does. */
export async function findBroken(
  storage: Storage,
  media: readonly StoredMedia[],
  { checksums }: { checksums: boolean },
): Promise<BrokenFile[]> {
  const broken: BrokenFile[] = []
  for (let from = 0; from < media.length; from += CONCURRENCY) {
    const some = media.slice(from, from + CONCURRENCY)
    const problems = await Promise.all(some.map((file) => findProblem(storage, file, checksums)))
    for (const [index, problem] of problems.entries()) {
      const { id, userId } = some[index]!
      if (problem) broken.push({ id, userId, problem })
    }
  }
  return broken
}

async function findProblem(
  storage: Storage,
  { storageKey, bytes, sha256 }: StoredMedia,
  checksums: boolean,
): Promise<BrokenFile['problem'] | undefined> {
  try {
    if ((await storage.size(storageKey)) !== bytes) return 'size'
    if (!checksums || !sha256) return undefined
    const hash = createHash('sha256')
    for await (const chunk of await storage.read(storageKey)) hash.update(chunk)
    return hash.digest().equals(sha256) ? undefined : 'checksum'
  } catch (error) {
    if (error instanceof NotStoredError) return 'missing'
    throw error
  }
}
