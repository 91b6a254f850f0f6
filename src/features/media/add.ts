import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Db } from '../../../db/client.ts'
import { newId } from '../../../db/id.ts'
import { reuseMediaBySha256 } from '../../../db/queries/media.ts'
import {
  lockUser,
  type PromotedFile,
  promoteFile,
  renewLease,
  replaceLostFile,
  type StagedFile,
  stageFile,
} from '../../../db/queries/staged-files.ts'
import { findStoredFile, sumMediaBytes } from '../../../db/queries/stored-media.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { Media } from '../../../schemas/media.ts'
import { fail } from '../../base/errors.ts'
import { NotStoredError, StorageError, throwFileError } from '../../base/storage/storage.ts'
import { discardUnused, incomingPath, type Put } from './discard-file.ts'
import { describe, type FileDescription } from './file-name.ts'
import { inspectFile } from './inspect.ts'
import { keepLease } from './lease.ts'
import type { Library } from './library.ts'
import { putInTurn } from './put-in-turn.ts'
import { saveFile } from './save-file.ts'
import { searchTextOf } from './search-texts.ts'
import { countIncoming, withinShare } from './share.ts'

/** Writes a file to `incomingDir` and returns its SHA-256. Throws a 413 if the file is too large. */
export type Save = (source: AsyncIterable<Buffer>) => Promise<Buffer>

export interface Added {
  media: Media
  /** False if the user already had a file with the same bytes. */
  isNew: boolean
}

const ATTEMPTS_MAX = 5

/** A file that is being added to the user's media. */
interface IncomingFile {
  save: Save
  /**
   * Inspects the saved file and stores its bytes. Returns the function that adds its row, or finds the user's media
   * with the same bytes. Throws a 400 that names the file's problem.
   */
  store(description: Partial<FileDescription>, id?: string): Promise<(db: Db) => Promise<Added>>
  /**
   * Inspects the saved file and stores its bytes, whether or not the user has them. Throws what `store` throws.
   * `counts` is false if the quota counts its bytes already.
   */
  place(options: { counts: boolean }): Promise<PlacedFile>
}

/** A file whose bytes are stored, and that is still staged. */
export type PlacedFile = Omit<PromotedFile, 'id' | 'searchText' | keyof FileDescription>

/**
 * Lets `use` add a file to the user's media. If `use` fails, or adds no new media, the file's bytes are deleted.
 *
 * The file is staged before its first byte is written. One statement turns it into media at the end, which may be part
 * of a transaction. A row names each stored byte at all times, so that a sweep can find what a crash leaves behind.
 */
export const withIncomingFile = <R extends { result: Added | undefined }>(
  library: Library,
  userId: string,
  use: (file: IncomingFile) => Promise<R>,
  { renewMs }: { renewMs?: number } = {},
): Promise<R> => withinShare(userId, () => receiveFile(library, userId, use, renewMs))

async function receiveFile<R extends { result: Added | undefined }>(
  library: Library,
  userId: string,
  use: (file: IncomingFile) => Promise<R>,
  renewMs: number | undefined,
): Promise<R> {
  const { db, storage, bytesMax, quotaBytes = Infinity, onReceiveError } = library
  const file = { userId, storageKey: randomBytes(16).toString('hex') }
  const path = incomingPath(library, file)
  await stageFile(db, file)
  const lease = keepLease(() => renewLease(db, file), renewMs)
  // Only the whole file shows whether the quota has room for it: the user may have the same bytes.
  const received = countIncoming(userId, quotaBytes + bytesMax)
  let put: Put = 'not started'
  let isNew = false
  let isAway = false
  let saved: { bytes: number; sha256: Buffer } | undefined

  const receive = <T>(work: Promise<T>) =>
    work.catch((error) => {
      if (error instanceof StorageError) onReceiveError?.()
      throw error
    })
  const place = async ({ counts }: { counts: boolean }): Promise<PlacedFile> => {
    if (!saved) throw new Error('No file was saved before it was to be stored')
    // Before the file is inspected and stored. withinQuota counts concurrent uploads as well.
    if (counts) await refuseOverQuota(library, { userId, newBytes: saved.bytes })
    const { facts, edits } = await receive(inspectFile(path, userId).catch(throwFileError))
    put = 'started'
    await putInTurn(storage, file, path, facts.mimeType)
    put = 'done'
    return { ...file, ...facts, ...saved, edits: JSON.stringify(edits) }
  }
  const incoming: IncomingFile = {
    place,
    async save(source) {
      saved = await receive(saveFile(received.count(source), path, bytesMax, lease.lost))
      return saved.sha256
    },
    async store(description, id = newId()) {
      if (!saved) throw new Error('No file was saved before it was to be stored')
      const [known] = await reuseMediaBySha256(db, { userId, ...saved })
      const lostKey = known && (await findLostKey(library, userId, known))
      if (known && !lostKey) return async () => ({ media: known, isNew: false })
      // A lost file counts already.
      const placed = await place({ counts: !known })
      if (known && lostKey) return (db) => replaceLost(db, known, { ...file, lostKey })
      const described = describe(description)
      const promoted = { id, ...described, searchText: searchTextOf(described), ...placed }
      return (db) => withinQuota({ ...library, db }, promoted, (db) => promote(db, promoted))
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
    lease.end()
    await rm(path, { force: true }).catch(() => {})
    received.end()
    // Fails if the database or the storage is unavailable. A sweep deletes the file then.
    const discarded = isNew ? undefined : discardUnused(library, file, put).catch(() => {})
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
  { id, ...options }: { renewMs?: number; id?: string } = {},
): Promise<Added> {
  const add = async ({ save, store }: IncomingFile) => {
    const addRow = await store(await read(save), id)
    return { result: await addRow(library.db) }
  }
  const { result } = await withIncomingFile(library, userId, add, options)
  return result
}

/** The storage key of media whose bytes are lost, or are not as many as they were. */
export async function findLostKey(
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

/** If another request was first, its bytes stay, and these are deleted. */
async function replaceLost(db: Db, known: Media, file: StagedFile & { lostKey: string }): Promise<Added> {
  const [replaced] = await replaceLostFile(db, { ...file, id: known.id })
  return { media: replaced ?? known, isNew: false }
}

async function promote(db: Db, file: PromotedFile): Promise<Added> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const [added] = await promoteFile(db, file)
    if (added) return { media: added, isNew: true }
    // A concurrent request added the same bytes. They may be deleted again before they are read here.
    const [known] = await reuseMediaBySha256(db, file)
    if (known) return { media: known, isNew: false }
  }
  throw new Error('The file was marked for deletion while it was being added: its lease had expired')
}

/**
 * Adds bytes by `add`, unless the quota is exceeded then. Uploads of one user wait for each other while there is a
 * quota, so that all of them are counted.
 */
export async function withinQuota<A extends Pick<Added, 'isNew'>>(
  library: Library,
  { userId, bytes }: { userId: string; bytes: number },
  add: (db: Db) => Promise<A>,
): Promise<A> {
  if (library.quotaBytes === undefined) return add(library.db)
  return inTransaction(library.db, async (db) => {
    await lockUser(db, { userId })
    const added = await add(db)
    if (added.isNew) await refuseOverQuota({ ...library, db }, { userId, newBytes: bytes, isCounted: true })
    return added
  })
}

/** Throws 409 if the user's files, with `newBytes` more unless they are counted already, exceed the quota. */
export async function refuseOverQuota(
  { db, quotaBytes }: Pick<Library, 'db' | 'quotaBytes'>,
  { userId, newBytes, isCounted = false }: { userId: string; newBytes: number; isCounted?: boolean },
): Promise<void> {
  if (quotaBytes === undefined) return
  const usedBytes = (await sumMediaBytes(db, userId)) - (isCounted ? newBytes : 0)
  if (usedBytes + newBytes > quotaBytes) throw fail('media_quota', { newBytes, usedBytes, quotaBytes })
}
