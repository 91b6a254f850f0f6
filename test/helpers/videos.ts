import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import type { Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { folderStorage } from '../../src/base/storage/folder.ts'
import { findFfmpeg } from '../../src/features/media/ffmpeg.ts'
import type { Library } from '../../src/features/media/library.ts'
import { makeNextVideo, type VideoMaker } from '../../src/features/media/make-videos.ts'
import { createFolder } from './app.ts'

/** The ffmpeg of this machine; undefined without one. */
export const ffmpeg = await findFfmpeg(undefined, process.env.PATH)

/** The option of tests that convert videos. */
export const needsFfmpeg = { skip: ffmpeg ? false : 'there is no ffmpeg: apt-get install ffmpeg' }

/** Makes a video with these arguments of ffmpeg. */
export async function encode(t: Test, extension: string, args: string): Promise<Buffer> {
  const path = join(await createFolder(t), `made.${extension}`)
  await promisify(execFile)(ffmpeg!, ['-loglevel', 'error', ...args.split(' '), path])
  return readFile(path)
}

/** Repeats a video without encoding it again, which is slow for a long one. */
export async function repeat(t: Test, extension: string, video: Buffer, times: number): Promise<Buffer> {
  const path = join(await createFolder(t), `once.${extension}`)
  await writeFile(path, video)
  return encode(t, extension, `-stream_loop ${times - 1} -i ${path} -c copy`)
}

/** A test picture that moves. */
export const PICTURE = (size: string, fps: number, seconds: number) =>
  `-f lavfi -i testsrc2=size=${size}:rate=${fps}:duration=${seconds}`
export const TONE = (seconds: number) => `-f lavfi -i sine=frequency=440:duration=${seconds}`

/** A worker that converts videos, as far as other processes see it. */
export async function addVideoWorker(db: Db): Promise<void> {
  await sql`
    insert into installation (video_worker_seen_at) values (now())
    on conflict (singleton) do update set video_worker_seen_at = now()`.execute(db)
}

const SILENT = { info() {}, warn() {}, error() {} }

/** A worker of a world that converts videos. */
export function videoMaker({ db, mediaDir }: { db: Db; mediaDir: string }, library: Partial<Library> = {}): VideoMaker {
  return {
    library: {
      db,
      storage: folderStorage(mediaDir),
      incomingDir: join(mediaDir, 'incoming'),
      bytesMax: 1e9,
      ...library,
    },
    ffmpeg: ffmpeg!,
    log: SILENT,
    recentUserIds: new Set(),
  }
}

/** Makes every video that is to be made. Returns how many jobs there were. */
export async function makeVideos(world: { db: Db; mediaDir: string }): Promise<number> {
  const maker = videoMaker(world)
  let count = 0
  while (await makeNextVideo(maker, new AbortController().signal)) count++
  return count
}
