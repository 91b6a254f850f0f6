import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '../../db/client.ts'
import type { Config } from '../config.ts'
import { OperatorError } from '../errors.ts'
import type { Library } from '../media/add.ts'
import { folderStorage } from '../storage/folder.ts'
import type { Storage } from '../storage/storage.ts'

/** Opens the storage of media files. Throws an OperatorError if MEDIA_DIR is not writable. */
export async function openMediaLibrary({ mediaDir, mediaBytesMax, s3 }: Config, db: Db): Promise<Library> {
  const incomingDir = join(mediaDir, 'incoming')
  try {
    await mkdir(incomingDir, { recursive: true, mode: 0o700 })
    await access(incomingDir, constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(`MEDIA_DIR ${mediaDir} is not writable (${code}): make it writable, or set another folder`)
  }
  return { db, storage: s3 ? await openS3(s3) : folderStorage(mediaDir), incomingDir, bytesMax: mediaBytesMax }
}

/** Imports the AWS SDK on demand: it is as large as the rest of the process. */
async function openS3({ endpoint, credentials, ...options }: NonNullable<Config['s3']>): Promise<Storage> {
  const { s3Storage } = await import('../storage/s3.ts')
  return s3Storage({ ...options, ...(endpoint && { endpoint }), ...(credentials && { credentials }) })
}
