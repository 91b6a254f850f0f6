import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { checkFiles } from '../../health/dependencies.ts'
import { openStorage } from '../media-library.ts'
import { type Finding, ok, wrong } from './finding.ts'

export const mendStorage = ({ s3, mediaDir }: Config) =>
  s3
    ? 'Check S3_ENDPOINT, S3_BUCKET and S3_REGION, and that the key may put, get, list and delete objects.'
    : `Mount the disk of ${mediaDir}, give it to the user of the service, and free space. The first start of serve or worker makes its folders.`

export async function examineStorage(config: Config): Promise<Finding> {
  const startedAt = performance.now()
  await checkFiles({ storage: await openStorage(config), incomingDir: join(config.mediaDir, 'incoming') })
  const place = config.s3 ? `bucket ${config.s3.bucket}` : config.mediaDir
  return ok('storage', `${place} writes, reads and deletes in ${Math.round(performance.now() - startedAt)} ms`)
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
