import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '../../../db/client.ts'
import { listStoredMedia } from '../../../db/queries/media.ts'
import type { Config } from '../../config.ts'
import { checkFiles } from '../../health/dependencies.ts'
import { findBroken } from '../../media/verify.ts'
import { openStorage } from '../media-library.ts'
import { type Finding, ok, wrong } from './finding.ts'

export const mendStorage = ({ s3, mediaDir }: Config) =>
  s3
    ? 'Check S3_ENDPOINT, S3_BUCKET and S3_REGION, and that the key may put, get, list and delete objects.'
    : `Mount the disk of ${mediaDir}, give it to the user of the service, and free space. The first start of serve or worker makes its folders.`

export async function examineStorage(config: Config): Promise<Finding> {
  const startedAt = performance.now()
  await checkFiles({ storage: await openStorage(config), incomingDir: join(config.mediaDir, 'incoming') })
  return ok(
    'storage',
    `${placeOf(config)} writes, reads and deletes in ${Math.round(performance.now() - startedAt)} ms`,
  )
}

const placeOf = ({ s3, mediaDir }: Config) => (s3 ? `bucket ${s3.bucket}` : mediaDir)

export const MEND_FILES =
  'Set MEDIA_DIR or S3_BUCKET to where the files are, or copy them there. `postroom media verify` names each one that is missing.'

/** How many files are looked for. A folder or a bucket that is not the one of before lacks all of them. */
const SAMPLE = 20

/** Looks for some of the files that the database knows. */
export async function examineMedia(config: Config, db: Db): Promise<Finding> {
  const files = await listStoredMedia(db, { after: undefined, count: SAMPLE })
  const broken = await findBroken(await openStorage(config), files, { checksums: false })
  const found = files.length - broken.length
  const message = `${found} of ${files.length} files that were looked for are in ${placeOf(config)}`
  return broken.length > 0 ? wrong('files', message, MEND_FILES) : ok('files', message)
}

export const MEND_SPACE = 'Free space in MEDIA_DIR, or lower MEDIA_MAX_BYTES.'

/** With a bucket, MEDIA_DIR still takes each file on its way in. */
export async function examineSpace({ mediaDir, mediaBytesMax }: Config): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(mediaDir)
  const free = bavail * bsize
  if (files > 0 && ffree === 0)
    return wrong('space', `${mediaDir} has no room for another file (no inodes)`, MEND_SPACE)
  const message = `${mediaDir} has ${formatBytes(free)} free, and a file may have ${formatBytes(mediaBytesMax)}`
  return free < mediaBytesMax ? wrong('space', message, MEND_SPACE) : ok('space', message)
}

const formatBytes = (bytes: number) =>
  bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`
