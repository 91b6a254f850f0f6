import type { Db } from '../../../../db/client.ts'
import { isId } from '../../../../db/id.ts'
import { type FileKey, type FoundUpload, findUpload } from '../../../../db/queries/uploads.ts'
import { errorOf } from '../../../../schemas/errors.ts'
import type { Upload } from '../../../../schemas/upload.ts'
import { fail } from '../../../base/errors.ts'
import { type FileAccess, mediaNotFound } from '../access.ts'
import type { Library } from '../library.ts'

/** The state of an upload. Throws 404 if the user has no such file. A limited key might not see the other file. */
export async function showUpload(
  { db, bytesMax }: Pick<Library, 'db' | 'bytesMax'>,
  { userId, id, shared }: FileAccess,
): Promise<Upload> {
  const found = await findFile(db, { userId, id })
  return { ...toUpload(id, found, bytesMax), duplicateOf: shared ? null : found.duplicateOf }
}

async function findFile(db: Db, file: FileKey): Promise<FoundUpload> {
  const [found] = isId(file.id) ? await findUpload(db, file) : []
  if (!found) throw mediaNotFound()
  return found
}

/** Finds the upload of an address. Throws 404 if its file is deleted, or its key revoked. */
export async function requireUpload({ db }: Pick<Library, 'db'>, file: FileKey): Promise<FoundUpload> {
  const [found] = await findUpload(db, file)
  if (!found || found.expiresAt === null || found.isRevoked) throw fail('upload_not_found')
  return found
}

/** An upload as everybody sees it who has its address. */
export function toUpload(id: string, found: FoundUpload, maxBytes: number): Upload {
  const { isReady, bytes, receivedBytes, expiresAt } = found
  const error = isReady ? null : findError(found)
  const state = isReady ? 'ready' : error ? 'failed' : 'pending'
  return { id, state, bytes, receivedBytes, maxBytes, expiresAt, error, duplicateOf: null }
}

function findError({ error, isExpired }: FoundUpload): Upload['error'] {
  if (error || !isExpired) return error
  const { code, message } = errorOf('upload_expired')
  return { code, message }
}
