import { createHash, randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { withDatabaseBudget } from '../../db/budget.ts'
import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { findStoredFile, reuseMediaBySha256, sumMediaBytes } from '../../db/queries/media.ts'
import {
  findPromotedMedia,
  forgetFile,
  lockUser,
  markFileRemoved,
  markForDeletion,
  type PromotedFile,
  promoteFile,
  renewLease,
  replaceLostFile,
  type StagedFile,
  stageFile,
} from '../../db/queries/staged-files.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Media } from '../../schemas/media.ts'
import { fileTooLarge, quotaExceeded } from '../errors.ts'
import { NotStoredError, type Storage, StorageError, throwFileError } from '../storage/storage.ts'
import { describe, type FileDescription } from './file-name.ts'
import { collectBuffers } from './garbage.ts'
import { inspectFile } from './inspect.ts'
import { withinShare } from './share.ts'

/** Where media are kept: rows in `db`, bytes in `storage`. */
export interface Library {
  db: Db
  storage: Storage
  /** The folder that files are received and inspected in. It exists: a missing one is a disk that is not mounted. */
  incomingDir: string
  /** The largest file that is accepted. */
  bytesMax: number
  /** How many bytes the files of a user may have together. */
  quotaBytes?: number | undefined
  /** Whether files are published as they were uploaded. By default, their metadata is removed. */
  keepsMetadata?: boolean
  /** Called for each file that could not be written to `incomingDir`, or read from it. */
  onReceiveError?: () => void
}

/** Writes a file to `incomingDir` and returns its SHA-256. Throws a 413 if the file is too large. */
export type Save = (source: AsyncIterable<Buffer>) => Promise<Buffer>

export interface Added {
  media: Media
  /** False if the user already had a file with the same bytes. */
  isNew: boolean
}

/** A lease outlasts several failed renewals. */
export const LEASE = { renewMs: 4_000, lastsMs: 20_000 }

const ATTEMPTS_MAX = 5

/** A file that is being added to the user's media. */
export interface IncomingFile {
  save: Save
  /**
   * Inspects the saved file and stores its bytes. Returns the function that adds its row, or finds the user's media with
   * the same bytes. Throws a 400 that names the file's problem.
   */
  store(description: Partial<FileDescription>): Promise<(db: Db) => Promise<Added>>
}

/**
 * Lets `use` add a file to the user's media. If `use` fails, or adds no new media, the file's bytes are deleted.
 *
 * The file is staged before its first byte is written. One statement turns it into media at the end, which may be part of
 * a transaction. A row names each stored byte at all times, so that a sweep can find what a crash leaves behind.
 */
export const withIncomingFile = <R extends { result: Added | undefined }>(
  library: Library,
  userId: string,
  use: (file: IncomingFile) => Promise<R>,
  { renewMs = LEASE.renewMs } = {},
): Promise<R> => withinShare(userId, () => receiveFile(library, userId, use, renewMs))

async function receiveFile<R extends { result: Added | undefined }>(
  library: Library,
  userId: string,
  use: (file: IncomingFile) => Promise<R>,
  renewMs: number,
): Promise<R> {
  const { db, storage, bytesMax, onReceiveError } = library
  const file = { userId, storageKey: randomBytes(16).toString('hex') }
  const path = incomingPath(library, file)
  await stageFile(db, file)
  const leaseLost = new AbortController()
  const renewal = setInterval(
    () =>
      // Renewals do not count towards the request's database budget. If one fails, the next one makes up for it.
      withDatabaseBudget(undefined, () => renewLease(db, file)).then(
        ([lease]) => lease || leaseLost.abort(),
        () => {},
      ),
    renewMs,
  ).unref()
  let put: Put = 'not started'
  let isNew = false
  let isAway = false
  let saved: { bytes: number; sha256: Buffer } | undefined

  const receive = <T>(work: Promise<T>) =>
    work.catch((error) => {
      if (error instanceof StorageError) onReceiveError?.()
      throw error
    })
  const incoming: IncomingFile = {
    async save(source) {
      saved = await receive(save(source, path, bytesMax, leaseLost.signal))
      return saved.sha256
    },
    async store(description) {
      if (!saved) throw new Error('No file was saved before it was to be stored')
      const [known] = await reuseMediaBySha256(db, { userId, ...saved })
      const lostKey = known && (await findLostKey(library, userId, known))
      if (known && !lostKey) return async () => ({ media: known, isNew: false })
      // Before the file is inspected and stored. promoteWithinQuota counts concurrent uploads as well. A lost file counts
      // already.
      if (!known) await refuseOverQuota(library, { userId, newBytes: saved.bytes })
      const { facts, edits } = await receive(inspectFile(path, userId).catch(throwFileError))
      put = 'started'
      await storage.put(file.storageKey, path, facts.mimeType)
      put = 'done'
      if (known && lostKey) return (db) => replaceLost(db, known, { ...file, lostKey })
      const promoted = { ...describe(description), ...file, ...facts, ...saved, edits: JSON.stringify(edits) }
      return (db) => promoteWithinQuota({ ...library, db }, promoted)
    },
  }
  try {
    const outcome = await use(incoming)
    isNew = outcome.result?.isNew ?? false
    return outcome
  } catch (error) {
    isAway = error instanceof StorageError
    throw error
  } finally {
    clearInterval(renewal)
    await rm(path, { force: true }).catch(() => {})
    // Fails if the database or the storage is unavailable. A sweep deletes the file then.
    const discarded = isNew ? undefined : discard(library, file, put).catch(() => {})
    // A storage that is away would delay the response.
    if (!isAway) await discarded
  }
}

/**
 * Adds a file to the user's media, or finds the media that has the same bytes. `read` saves the file and returns what
 * describes it.
 */
export async function addMedia(
  library: Library,
  userId: string,
  read: (save: Save) => Promise<Partial<FileDescription>>,
  options?: { renewMs?: number },
): Promise<Added> {
  const add = async ({ save, store }: IncomingFile) => {
    const addRow = await store(await read(save))
    return { result: await addRow(library.db) }
  }
  const { result } = await withIncomingFile(library, userId, add, options)
  return result
}

/** The storage key of media whose bytes are lost, or are not as many as they were. */
async function findLostKey(
  { db, storage }: Library,
  userId: string,
  { id, bytes }: Media,
): Promise<string | undefined> {
  const [stored] = await findStoredFile(db, { userId, id })
  if (!stored?.storageKey) return undefined
  const size = await storage.size(stored.storageKey).catch((error) => {
    if (error instanceof NotStoredError) return undefined
    throw error
  })
  return size === bytes ? undefined : stored.storageKey
}

/** Where another request was first, its bytes stay, and these are deleted. */
async function replaceLost(db: Db, known: Media, file: StagedFile & { lostKey: string }): Promise<Added> {
  const [replaced] = await replaceLostFile(db, { ...file, id: known.id })
  return { media: replaced ?? known, isNew: false }
}

async function promote(db: Db, file: Omit<PromotedFile, 'id'>): Promise<Added> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const [added] = await promoteFile(db, { id: newId(), ...file })
    if (added) return { media: added, isNew: true }
    // A concurrent request added the same bytes. They may be deleted again before they are read here.
    const [known] = await reuseMediaBySha256(db, file)
    if (known) return { media: known, isNew: false }
  }
  throw new Error('The file was marked for deletion while it was being added: its lease had expired')
}

/** Uploads of one user wait for each other while there is a quota, so that all of them are counted. */
async function promoteWithinQuota(library: Library, file: Omit<PromotedFile, 'id'>): Promise<Added> {
  if (library.quotaBytes === undefined) return promote(library.db, file)
  return inTransaction(library.db, async (db) => {
    await lockUser(db, file)
    const added = await promote(db, file)
    if (added.isNew)
      await refuseOverQuota({ ...library, db }, { userId: file.userId, newBytes: file.bytes, isCounted: true })
    return added
  })
}

/** Throws 409 if the user's files, with `newBytes` more unless they are counted already, exceed the quota. */
async function refuseOverQuota(
  { db, quotaBytes }: Library,
  { userId, newBytes, isCounted = false }: { userId: string; newBytes: number; isCounted?: boolean },
): Promise<void> {
  if (quotaBytes === undefined) return
  const usedBytes = (await sumMediaBytes(db, userId)) - (isCounted ? newBytes : 0)
  if (usedBytes + newBytes > quotaBytes) throw quotaExceeded({ newBytes, usedBytes, quotaBytes })
}

/** How far storing the bytes has come. */
type Put = 'not started' | 'started' | 'done'

async function discard(library: Library, file: StagedFile, put: Put): Promise<void> {
  if (put !== 'not started') await discardFile(library, file)
  // A storage that reported a failure may still store the file later. The row stays, so that a sweep looks again.
  if (put !== 'started') await forgetFile(library.db, file)
}

/** Otherwise V8 keeps about 50 MB of unused buffers before it collects them. */
const COLLECT_BYTES = 2 ** 20

async function save(source: AsyncIterable<Buffer>, path: string, bytesMax: number, signal: AbortSignal) {
  const hash = createHash('sha256')
  let bytes = 0
  let collectedAt = 0
  let readError: unknown
  async function* measured(chunks: AsyncIterable<Buffer>) {
    try {
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
    } catch (error) {
      readError = error
      throw error
    }
  }
  // A stream that opens its own file can do so after it has failed, and leaves the file behind.
  const file = await open(path, 'wx', 0o600).catch(throwFileError)
  try {
    await pipeline(source, measured, file.createWriteStream(), { signal })
  } catch (error) {
    // What remains are failures to write.
    if (error === readError) throw error
    throwFileError(error)
  } finally {
    await file.close()
  }
  return { bytes, sha256: hash.digest() }
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
