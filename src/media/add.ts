import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { withDatabaseBudget } from '../../db/budget.ts'
import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { findMediaBySha256 } from '../../db/queries/media.ts'
import {
  type AdoptedFile,
  adoptFile,
  claimFile,
  doomFile,
  forgetFile,
  isAdopted,
  type LooseFile,
  markFileRemoved,
  renewFile,
} from '../../db/queries/staged-files.ts'
import type { Media } from '../../schemas/media.ts'
import { fileTooLarge } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'
import { collectBuffers } from './garbage.ts'
import { inspectFile } from './inspect.ts'

/** A user's media: what is known of them, their bytes, and the way in. */
export interface Library {
  db: Db
  storage: Storage
  /** A folder for files that are on their way in; made when the first one comes. */
  incomingDir: string
  /** A larger file is refused. */
  bytesMax: number
}

/** Writes one file to where it is looked at. Gives the SHA-256 of its bytes. Throws a 413 where it is too large. */
export type Save = (source: AsyncIterable<Buffer>) => Promise<Buffer>

export interface Added {
  media: Media
  /** False where the user had the same bytes already. */
  isNew: boolean
}

/** A claim outlives several renewals that fail. */
export const LEASE = { renewMs: 4_000, lastsMs: 20_000 }

const ATTEMPTS_MAX = 5

/** A file on its way into the user's media. */
export interface IncomingFile {
  save: Save
  /**
   * Inspects the saved file and stores its bytes. Returns the function that adds its row, or finds the user's media with
   * the same bytes. Throws a 400 that says what is wrong with the file.
   */
  store(altText: string | null): Promise<(db: Db) => Promise<Added>>
}

/**
 * Lets `use` bring a file into the user's media. If `use` fails, or returns no new media, nothing of the file stays.
 *
 * The file is claimed in the database before its first byte is written, and the claim becomes the row of the media in
 * one statement at the end, which may be part of a transaction. So every byte belongs to a row at every moment, and a
 * sweep finds what a crash leaves.
 */
export async function withIncomingFile<R extends { result: Added | undefined }>(
  library: Library,
  userId: string,
  use: (file: IncomingFile) => Promise<R>,
  { renewMs = LEASE.renewMs } = {},
): Promise<R> {
  const { db, storage, incomingDir, bytesMax } = library
  const file = { userId, storageKey: randomBytes(16).toString('hex') }
  const path = incomingPath(library, file)
  await mkdir(incomingDir, { recursive: true, mode: 0o700 })
  await claimFile(db, file)
  const givenUp = new AbortController()
  // A renewal that fails is made up for by the next one.
  const renewal = setInterval(
    () =>
      // No part of what the request waits for.
      withDatabaseBudget(undefined, () => renewFile(db, file)).then(
        ([claim]) => claim || givenUp.abort(),
        () => {},
      ),
    renewMs,
  ).unref()
  let put: 'not yet' | 'begun' | 'done' = 'not yet'
  let isNew = false
  let saved: { bytes: number; sha256: Buffer } | undefined

  const incoming: IncomingFile = {
    async save(source) {
      saved = await save(source, path, bytesMax, givenUp.signal)
      return saved.sha256
    },
    async store(altText) {
      if (!saved) throw new Error('There is no file')
      const [known] = await findMediaBySha256(db, { userId, ...saved })
      if (known) return async () => ({ media: known, isNew: false })
      const facts = await inspectFile(path)
      put = 'begun'
      await storage.put(file.storageKey, path, facts.mimeType)
      put = 'done'
      const adopted = { altText: altText || null, ...file, ...facts, ...saved }
      return (db) => adopt(db, adopted)
    },
  }
  try {
    const outcome = await use(incoming)
    isNew = outcome.result?.isNew ?? false
    return outcome
  } finally {
    clearInterval(renewal)
    await rm(path, { force: true }).catch(() => {})
    // Where this fails, the database or the storage being away, a sweep does it.
    if (!isNew) await clear(library, file, put).catch(() => {})
  }
}

/**
 * Adds a file to the user's media, or finds the media that has the same bytes. `read` saves the file and returns its alt
 * text.
 */
export async function addMedia(
  library: Library,
  userId: string,
  read: (save: Save) => Promise<string | null>,
  options?: { renewMs?: number },
): Promise<Added> {
  const add = async ({ save, store }: IncomingFile) => {
    const addRow = await store(await read(save))
    return { result: await addRow(library.db) }
  }
  const { result } = await withIncomingFile(library, userId, add, options)
  return result
}

async function adopt(db: Db, file: Omit<AdoptedFile, 'id'>): Promise<Added> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const [added] = await adoptFile(db, { id: newId(), ...file })
    if (added) return { media: added, isNew: true }
    // Another request has brought the same bytes at the same moment, if nobody has deleted them since.
    const [known] = await findMediaBySha256(db, file)
    if (known) return { media: known, isNew: false }
  }
  throw new Error('The file was given up while it was being added')
}

async function clear(library: Library, file: LooseFile, put: 'not yet' | 'begun' | 'done'): Promise<void> {
  if (put !== 'not yet') await discardFile(library, file)
  // A storage that has failed may have taken the file all the same, later: the claim stays, for a sweep to look again.
  if (put !== 'begun') await forgetFile(library.db, file)
}

/** V8 would let some fifty megabytes of used-up buffers come together. */
const COLLECT_BYTES = 2 ** 20

async function save(source: AsyncIterable<Buffer>, path: string, bytesMax: number, signal: AbortSignal) {
  const hash = createHash('sha256')
  let bytes = 0
  let collectedAt = 0
  async function* measured(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > bytesMax) throw fileTooLarge(bytesMax)
      hash.update(chunk)
      yield chunk
      if (bytes - collectedAt > COLLECT_BYTES) {
        collectBuffers()
        collectedAt = bytes
      }
    }
  }
  // A stream that opens it by itself may do so after it has failed, and leave a file behind.
  const file = await open(path, 'wx', 0o600)
  try {
    await pipeline(source, measured, file.createWriteStream(), { signal })
  } finally {
    await file.close()
  }
  return { bytes, sha256: hash.digest() }
}

export const incomingPath = ({ incomingDir }: Library, { storageKey }: LooseFile) => join(incomingDir, storageKey)

/**
 * Removes a file unless it belongs to one of the user's media. Whether it does is for the database to say: a statement
 * whose answer was lost may have been carried out. Gives whether this is what removed it.
 */
export async function discardFile(library: Library, file: LooseFile): Promise<boolean> {
  const { db, storage } = library
  const [doomed] = await doomFile(db, file)
  // Neither loose nor adopted: a sweep was here before the last byte was.
  if (!doomed && (await isAdopted(db, file)).length > 0) return false
  await rm(incomingPath(library, file), { force: true })
  await storage.remove(file.storageKey)
  return markFileRemoved(db, file)
}
