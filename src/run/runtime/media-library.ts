import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '../../../db/client.ts'
import { OperatorError } from '../../base/errors.ts'
import { folderStorage } from '../../base/storage/folder.ts'
import { folderJournalFiles, type JournalFiles } from '../../base/storage/journal.ts'
import type { Storage } from '../../base/storage/storage.ts'
import type { Library } from '../../features/media/library.ts'
import type { Config } from '../config/config.ts'
import { releaseMemory } from './memory.ts'

/**
 * Errors of a configuration that no waiting corrects. After others, such as a full disk, the service starts unready.
 */
const PERMANENT = ['EACCES', 'EPERM', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']

/**
 * Opens the storage of media files. Throws an OperatorError if MEDIA_DIR cannot be used by this user or at this path.
 */
export async function openMediaLibrary(config: Config, db: Db): Promise<Library> {
  const { mediaDir, mediaBytesMax, mediaQuotaBytes, mediaKeepsMetadata } = config
  const incomingDir = join(mediaDir, 'incoming')
  try {
    await mkdir(incomingDir, { recursive: true, mode: 0o700 })
    await access(incomingDir, constants.W_OK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (PERMANENT.includes(code))
      throw new OperatorError(
        `MEDIA_DIR ${mediaDir} is not writable (${code}): make it writable, or set another folder`,
      )
  }
  return {
    db,
    storage: await openStorage(config),
    incomingDir,
    bytesMax: mediaBytesMax,
    quotaBytes: mediaQuotaBytes,
    keepsMetadata: mediaKeepsMetadata,
  }
}

/** Opens the storage without touching it. */
export const openStorage = async ({ mediaDir, s3 }: Pick<Config, 'mediaDir' | 's3'>): Promise<Storage> =>
  s3 ? openS3(s3) : folderStorage(mediaDir)

/** Imports the AWS SDK on demand: it is as large as the rest of the process. */
async function openS3(config: NonNullable<Config['s3']>): Promise<Storage> {
  // Otherwise the garbage of both exceeds 200 MB.
  releaseMemory()
  const { s3Storage } = await import('../../base/storage/s3.ts')
  return s3Storage(s3Options(config))
}

/** Opens the journal of what was sent, beside the files. */
export async function openJournalFiles({ mediaDir, s3 }: Config): Promise<JournalFiles> {
  if (!s3) return folderJournalFiles(mediaDir)
  const { s3JournalFiles } = await import('../../base/storage/s3-journal.ts')
  return s3JournalFiles(s3Options(s3))
}

const s3Options = ({ endpoint, credentials, ...options }: NonNullable<Config['s3']>) => ({
  ...options,
  ...(endpoint && { endpoint }),
  ...(credentials && { credentials }),
})
