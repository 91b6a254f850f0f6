import type { FastifyRequest } from 'fastify'
import type { Db } from '../../../../db/client.ts'
import { newId } from '../../../../db/id.ts'
import { findListedFile, listOf } from '../../../../db/queries/listed-media.ts'
import { reuseMediaBySha256 } from '../../../../db/queries/media.ts'
import { lockUser } from '../../../../db/queries/staged-files.ts'
import { countPendingUploads, findUpload, insertUpload } from '../../../../db/queries/uploads.ts'
import { UPLOADS_PENDING_MAX } from '../../../../schemas/errors.ts'
import type { Media } from '../../../../schemas/media.ts'
import { type CreatedUpload, type CreateUpload, UPLOAD_TIMES } from '../../../../schemas/upload.ts'
import { fail } from '../../../base/errors.ts'
import type { Keyring } from '../../../base/keyring/keyring.ts'
import { findLostKey, refuseOverQuota } from '../add.ts'
import { describe, tidyFileName } from '../file-name.ts'
import type { Library } from '../library.ts'
import { searchTextOf } from '../search-texts.ts'
import { uploadAddress } from './address.ts'
import { toUpload } from './show.ts'

export interface UploadContext extends Library {
  keyring: Keyring | undefined
  publicUrl(): string
}

interface Requester {
  userId: string
  keyId: string
}

/**
 * The file that has the announced bytes already, if its own are not lost. A key for some accounts that does not see the
 * file has to send them: a checksum does not show that it has them.
 */
export async function findAnnounced(library: Library, { userId, rights }: FastifyRequest, { sha256 }: CreateUpload) {
  if (sha256 === undefined) return undefined
  const { accountIds } = rights
  const [known] = await reuseMediaBySha256(library.db, { userId, sha256: Buffer.from(sha256, 'hex') })
  if (!known || (await findLostKey(library, userId, known))) return undefined
  if (!accountIds) return known
  const [seen] = await findListedFile(library.db, { userId, id: known.id, ...listOf(accountIds) })
  return seen && known
}

/** Throws if the service could not take the file. */
export async function requireRoom(
  { keyring, ...library }: UploadContext,
  userId: string,
  { bytes }: CreateUpload,
): Promise<void> {
  if (!keyring) throw fail('credentials_key_missing')
  if (bytes !== undefined) {
    if (bytes > library.bytesMax) throw fail('file_too_large', library.bytesMax)
    await refuseOverQuota(library, { userId, newBytes: bytes })
  }
}

/** Stores a file without its bytes, and signs the address that takes them. Uploads of one user wait for each other. */
export async function insertPending(
  db: Db,
  { keyring, publicUrl, bytesMax }: UploadContext,
  { userId, keyId }: Requester,
  { bytes, sha256, fileName, ...description }: CreateUpload,
): Promise<CreatedUpload> {
  const file = { userId, id: newId() }
  const described = describe({ ...description, fileName: tidyFileName(fileName) })
  await lockUser(db, { userId })
  if ((await countPendingUploads(db, userId)) >= UPLOADS_PENDING_MAX) throw fail('too_many_pending_uploads')
  const [inserted] = await insertUpload(db, {
    ...file,
    keyId,
    validSeconds: UPLOAD_TIMES.validHours * 3_600,
    bytes: bytes ?? null,
    sha256: sha256 === undefined ? null : Buffer.from(sha256, 'hex'),
    ...described,
    searchText: searchTextOf(described),
  })
  const [found] = await findUpload(db, file)
  const uploadUrl = uploadAddress(publicUrl(), keyring!, file, inserted!.expiresAt).href
  return { ...toUpload(file.id, found!, bytesMax), uploadUrl }
}

/** A file of the user for which nothing has to be sent. */
export const toKnown = ({ id, bytes }: Media, maxBytes: number): CreatedUpload => ({
  id,
  state: 'ready',
  bytes,
  receivedBytes: bytes,
  maxBytes,
  expiresAt: null,
  error: null,
  duplicateOf: null,
  uploadUrl: null,
})
