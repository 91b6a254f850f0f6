import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { adoptFile, claimFile, doomFile, forgetFile, type LooseFile, renewFile } from '../../db/queries/loose-files.ts'
import { findMediaBySha256 } from '../../db/queries/media.ts'
import type { Media } from '../../schemas/media.ts'
import { AppError } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'
import { collectBuffers } from './garbage.ts'
import { inspectFile } from './inspect.ts'

/** Where files go. */
export interface Library {
  db: Db
  storage: Storage
  /** A folder for files that are on their way in; made when the first one comes. */
  incomingDir: string
  /** A larger file is refused. */
  bytesMax: number
}

/** Writes one file to where it is looked at. Throws a 413 where it is too large. */
export type Save = (source: AsyncIterable<Buffer>) => Promise<void>

/** Often enough that a claim outlives two renewals that fail. */
const RENEW_MS = 5_000
export const LEASE_MS = 15_000

/**
 * Adds a file to the user's media, unless they have the same bytes already: gives what they have then. `read` gets the
 * file, has it saved, and gives its alt text. Throws a 400 or 413 that says what is wrong with the file; whatever fails,
 * nothing of it stays.
 *
 * The file is claimed in the database before its first byte is written, and the claim becomes the row of the media in
 * one statement at the end. So each byte is named by a row at every moment, and what a crash leaves can be found.
 */
export async function addMedia(
  library: Library,
  userId: string,
  read: (save: Save) => Promise<string | null>,
): Promise<{ media: Media; isNew: boolean }> {
  const { db, storage } = library
  const file = { userId, storageKey: randomBytes(16).toString('hex') }
  await claimFile(db, file)
  // Should it fail, the statement at the end tells whether that mattered.
  const renewal = setInterval(() => renewFile(db, file).catch(() => {}), RENEW_MS).unref()
  let adopted = false
  try {
    const path = incomingPath(library, file)
    let saved: { bytes: number; sha256: Buffer } | undefined
    const altText = await read(async (source) => {
      saved = await save(source, path, library.bytesMax)
    })
    if (!saved) throw new Error('There is no file')

    const [known] = await findMediaBySha256(db, { userId, ...saved })
    if (known) return { media: known, isNew: false }
    const facts = await inspectFile(path)
    await storage.put(file.storageKey, path, facts.mimeType)
    const id = newId()
    adopted = (await adoptFile(db, { id, altText: altText || null, ...file, ...facts, ...saved })).length > 0
    // Another request may have brought the same bytes at the same moment.
    const [media] = await findMediaBySha256(db, { userId, ...saved })
    if (!media) throw new Error('The file was given up while it was being added')
    return { media, isNew: adopted }
  } finally {
    clearInterval(renewal)
    await rm(incomingPath(library, file), { force: true })
    // The database may be away; then the claim stays, and a sweep finds it.
    if (!adopted) await discardFile(library, file).catch(() => {})
  }
}

const COLLECT_BYTES = 2 ** 20

async function save(
  source: AsyncIterable<Buffer>,
  path: string,
  bytesMax: number,
): Promise<{ bytes: number; sha256: Buffer }> {
  const hash = createHash('sha256')
  let bytes = 0
  let collectedAt = 0
  async function* measured(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > bytesMax) throw new AppError(413, `File is larger than ${bytesMax} bytes`)
      hash.update(chunk)
      yield chunk
      if (bytes - collectedAt > COLLECT_BYTES) {
        collectBuffers()
        collectedAt = bytes
      }
    }
  }
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
  await pipeline(source, measured, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  return { bytes, sha256: hash.digest() }
}

export const incomingPath = ({ incomingDir }: Library, { storageKey }: LooseFile) => join(incomingDir, storageKey)

/**
 * Removes a file that belongs to no media. Whether it does is for the database to say: a statement whose answer was lost
 * may have been carried out.
 */
export async function discardFile(library: Library, file: LooseFile): Promise<void> {
  const [doomed] = await doomFile(library.db, file)
  if (!doomed) return
  await rm(incomingPath(library, file), { force: true })
  await library.storage.remove(file.storageKey)
  await forgetFile(library.db, file)
}
