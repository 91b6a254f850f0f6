import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Db } from '../../../db/client.ts'
import { readInstallation } from '../../../db/queries/installation.ts'
import { listStoredMedia } from '../../../db/queries/stored-media.ts'
import { findFfmpeg } from '../../features/media/ffmpeg.ts'
import { findBroken } from '../../features/media/verify.ts'
import type { Config } from '../../run/config/config.ts'
import { checkFiles } from '../../run/health/dependencies.ts'
import { openStorage } from '../../run/runtime/media-library.ts'
import { type Finding, ok, wrong } from './finding.ts'

export const mendStorage = ({ s3, mediaDir }: Config) =>
  s3
    ? 'Check S3_ENDPOINT, S3_BUCKET and S3_REGION, and that the key may put, get, list and delete objects.'
    : `Mount the disk of ${mediaDir}, give it to the user of the service, and free space. The first start of serve or worker makes its folders.`

/** The folders of MEDIA_DIR that the first start of `serve` or `worker` makes may be missing. */
export async function examineStorage(config: Config): Promise<Finding> {
  const startedAt = performance.now()
  const incomingDir = join(config.mediaDir, 'incoming')
  const storage = await openStorage(config)
  if (existsSync(incomingDir)) await checkFiles({ storage, incomingDir })
  else {
    // As a folder: what is not one cannot hold folders.
    await access(`${findExisting(incomingDir)}/.`, constants.W_OK)
    if (!config.s3) return ok('storage', `the first start of serve or worker makes ${incomingDir}`)
    await storage.check()
  }
  return ok(
    'storage',
    `${placeOf(config)} writes, reads and deletes in ${Math.round(performance.now() - startedAt)} ms`,
  )
}

/** The path itself, or the nearest one above it that exists. */
const findExisting = (path: string): string => (existsSync(path) ? path : findExisting(dirname(path)))

const placeOf = ({ s3, mediaDir }: Config) => (s3 ? `bucket ${s3.bucket}` : mediaDir)

export const MEND_FILES =
  'Set MEDIA_DIR or S3_BUCKET to where the files are, or copy them there. `postroom media verify` names each one that is missing.'

/** How many files are looked for. A folder or a bucket that is not the one of before lacks all of them. */
const SAMPLE = 20

/** Looks for some of the files that the database knows, and for the folder where workers ran on the database. */
export async function examineMedia(config: Config, db: Db): Promise<Finding> {
  const [installation] = await readInstallation(db, {})
  if (!config.s3 && installation && !existsSync(config.mediaDir)) {
    return wrong('files', `${config.mediaDir} does not exist, and workers have used another one`, MEND_FILES)
  }
  const files = await listStoredMedia(db, { after: undefined, count: SAMPLE })
  const broken = await findBroken(await openStorage(config), files, { checksums: false })
  const found = files.length - broken.length
  const message = `${found} of ${files.length} files that were looked for are in ${placeOf(config)}`
  return broken.length > 0 ? wrong('files', message, MEND_FILES) : ok('files', message)
}

export const MEND_VIDEOS = 'Set FFMPEG to the path of ffmpeg, or to off.'

/** Runs ffmpeg, which workers on this machine convert videos with. */
export async function examineVideos({ ffmpeg, path }: Config): Promise<Finding> {
  const found = await findFfmpeg(ffmpeg, path)
  if (!found) return ok('videos', 'workers on this machine convert no videos: there is no ffmpeg')
  const { stdout } = await promisify(execFile)(found, ['-version'], { env: {} })
  const [, version] = /^ffmpeg version (\S+)/.exec(stdout) ?? []
  if (!version) throw new Error(`${found} is not ffmpeg`)
  return ok('videos', `workers on this machine convert videos with ${found} ${version}`)
}

export const MEND_SPACE = 'Free space in MEDIA_DIR, or lower MEDIA_MAX_BYTES.'

/** MEDIA_DIR takes each file on its way in, even if a bucket stores it. */
export async function examineSpace({ mediaDir, mediaBytesMax }: Config): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(findExisting(mediaDir))
  const free = bavail * bsize
  if (files > 0 && ffree === 0)
    return wrong('space', `${mediaDir} has no room for another file (no inodes)`, MEND_SPACE)
  const message = `${mediaDir} has ${formatBytes(free)} free, and a file may have ${formatBytes(mediaBytesMax)}`
  return free < mediaBytesMax ? wrong('space', message, MEND_SPACE) : ok('space', message)
}

const formatBytes = (bytes: number) =>
  bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`
