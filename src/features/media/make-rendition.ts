import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '../../../db/client.ts'
import {
  noteNoRendition,
  promoteRendition,
  type RenditionFacts,
  type RenditionKey,
} from '../../../db/queries/renditions.ts'
import { lockUser } from '../../../db/queries/staged-files.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { MediaType } from '../../../schemas/media.ts'
import { createSlots } from '../../base/slots.ts'
import { UnpublishableError } from '../../base/storage/storage.ts'
import { refuseOverQuota } from './add.ts'
import { copyStored } from './copy-stored.ts'
import type { Library } from './library.ts'
import { publishedFiles } from './published-files.ts'
import { storeFile } from './store-file.ts'

/** A written rendition. `fallsShort`: it does not meet its target, and is not stored. */
export interface Drawn extends Partial<Pick<RenditionFacts, 'width' | 'height'>> {
  mimeType: MediaType
  fallsShort?: boolean
}

/** Why there is no rendition. Null if the image cannot be decoded. */
export interface NotDrawn {
  problem: string | null
}

/** Writes a rendition of the image at `source` to `path`. */
type Draw = (source: string, path: string) => Promise<Drawn | NotDrawn>

/** One picture is decoded at a time, so that its memory is that of the process. Users take turns. */
export const decodings = createSlots({ max: 1, inTurns: true })

/**
 * Makes and stores a rendition of one of the user's files, or records that it cannot be made. Another process may be
 * first. Throws 409 if it would exceed the quota, and does nothing once `signal` is aborted.
 */
export async function makeRendition(
  library: Library,
  key: RenditionKey,
  storageKey: string,
  draw: Draw,
  { signal, isCounted = false }: { signal?: AbortSignal; isCounted?: boolean } = {},
): Promise<void> {
  const { db, incomingDir } = library
  const source = join(incomingDir, `source-${randomUUID()}`)
  const path = join(incomingDir, `drawn-${randomUUID()}`)
  try {
    const giveBack = await decodings.take(key.userId)
    try {
      if (signal?.aborted) return
      const drawn = await copyPicture(library, storageKey, source).then((problem) => problem ?? draw(source, path))
      if ('problem' in drawn) return await noteNoRendition(db, key, drawn)
      const { size: bytes } = await stat(path)
      if (drawn.fallsShort) return await noteNoRendition(db, key, { bytes })
      await storeRendition(library, key, path, { width: null, height: null, ...drawn, bytes: isCounted ? bytes : null })
    } finally {
      giveBack()
    }
  } finally {
    for (const left of [source, path]) await rm(left, { force: true }).catch(() => {})
  }
}

/**
 * Copies a picture without metadata: decoders inflate all texts of a PNG, and earlier versions have stored PNGs whose
 * texts inflate to any length. Returns a problem if the metadata cannot be found.
 */
async function copyPicture(library: Library, storageKey: string, path: string): Promise<NotDrawn | undefined> {
  try {
    await copyStored({ storage: publishedFiles({ ...library, keepsMetadata: false }) }, storageKey, path)
    return undefined
  } catch (error) {
    if (error instanceof UnpublishableError) return { problem: null }
    throw error
  }
}

/**
 * Stores a rendition, unless another process was first. Throws 409 if it would exceed the quota; without `bytes`, it
 * counts towards none.
 */
export async function storeRendition(
  library: Library,
  key: RenditionKey,
  path: string,
  { mimeType, bytes, width, height }: RenditionFacts & { mimeType: MediaType },
): Promise<void> {
  await storeFile(library, key.userId, { path, mimeType }, (file) =>
    promoteWithinQuota(library, { ...key, ...file, mimeType, bytes, width, height }),
  )
}

async function promoteWithinQuota(
  { db, quotaBytes }: Library,
  rendition: Parameters<typeof promoteRendition>[1] & { bytes: number | null },
): Promise<boolean> {
  const promote = async (db: Db) => (await promoteRendition(db, rendition)).length > 0
  const { userId, bytes } = rendition
  if (quotaBytes === undefined || bytes === null) return promote(db)
  return inTransaction(db, async (db) => {
    await lockUser(db, { userId })
    const isPromoted = await promote(db)
    if (isPromoted) await refuseOverQuota({ db, quotaBytes }, { userId, newBytes: bytes, isCounted: true })
    return isPromoted
  })
}
