import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  claimRenditionJob,
  endRenditionJob,
  noteVideoWorker,
  type RenditionJob,
  releaseRenditionJob,
  renewRenditionJob,
} from '../../../db/queries/rendition-jobs.ts'
import { noteNoRendition, type RenditionFacts } from '../../../db/queries/renditions.ts'
import type { MediaType } from '../../../schemas/media.ts'
import type { FrameTarget, VideoTarget } from '../../../schemas/video-target.ts'
import { AppError } from '../../base/errors.ts'
import { LeaseLost } from '../../base/lease-lost.ts'
import type { Log } from '../../base/log.ts'
import { NotStoredError } from '../../base/storage/storage.ts'
import { copyStored } from './copy-stored.ts'
import { drawFrame, drawVideo, type VideoSource } from './draw-video.ts'
import { canMapTones, FfmpegError } from './ffmpeg.ts'
import { inspectFile } from './inspect.ts'
import { keepLease, LEASE } from './lease.ts'
import type { Library } from './library.ts'
import { storeRendition } from './make-rendition.ts'
import { resize } from './preview.ts'

export interface VideoMaker {
  library: Library
  ffmpeg: string
  log: Log
  /** The users for whom it has made some, the last one last: they take turns. */
  recentUserIds: Set<string>
}

const RECENT_USERS_MAX = 1_000

/** A job that ended a worker this often is not begun again. */
const ATTEMPTS_MAX = 5
/** The pause after a failure that says nothing about the video, of the storage or the database. */
const PAUSE_MS = 30_000
/** The user has to delete files first, and each attempt converts the whole video. */
const QUOTA_PAUSE_MS = 600_000
const TIME_MAX_MS = 3_600_000
const FRAME_TIME_MAX_MS = 60_000

/** Lets users know that a worker converts videos. */
export async function announceVideoWorker({ db }: Library): Promise<void> {
  await noteVideoWorker(db, {})
}

/**
 * Makes the rendition whose turn it is, with a lease: whatever ends this worker, another one begins the job again,
 * and one result is kept. Returns whether there was one. `stop` gives it back.
 */
export async function makeNextVideo(maker: VideoMaker, stop: AbortSignal): Promise<boolean> {
  const { db } = maker.library
  const { lastsMs: leaseMs } = LEASE
  const [job] = await claimRenditionJob(db, { leaseMs, recentUserIds: [...maker.recentUserIds] })
  if (!job) return false
  noteTurn(maker.recentUserIds, job.userId)
  const written = { seconds: 0 }
  const lease = keepLease(() => {
    const progress = Math.min(1, written.seconds / (job.durationSeconds || Infinity))
    return renewRenditionJob(db, { ...job, leaseMs, progress })
  })
  const signal = AbortSignal.any([stop, lease.lost])
  try {
    const outcome = await makeJob(maker, job, written, signal).catch((error: unknown) => ({ error }))
    await settle(maker, job, outcome, stop)
  } finally {
    lease.end()
  }
  return true
}

function noteTurn(recentUserIds: Set<string>, userId: string): void {
  recentUserIds.delete(userId)
  recentUserIds.add(userId)
  if (recentUserIds.size > RECENT_USERS_MAX) recentUserIds.delete(recentUserIds.values().next().value!)
}

type Outcome = undefined | { problem: string } | { error: unknown }

/** Ends the job, or gives it back after an error that another attempt may not have. */
async function settle(
  { library: { db }, log }: VideoMaker,
  job: RenditionJob,
  outcome: Outcome,
  stop: AbortSignal,
): Promise<void> {
  if (outcome && 'error' in outcome) {
    const { error } = outcome
    if (error instanceof LeaseLost) return
    const isStopped = stop.aborted && error === stop.reason
    const isOverQuota = error instanceof AppError && error.code === 'media_quota'
    if (!isStopped) log.error({ err: error, userId: job.userId, mediaId: job.id }, 'a video could not be converted')
    await releaseRenditionJob(db, { ...job, pauseMs: isStopped ? 0 : isOverQuota ? QUOTA_PAUSE_MS : PAUSE_MS })
    return
  }
  if (outcome) {
    log.warn({ userId: job.userId, mediaId: job.id, problem: outcome.problem }, 'a video cannot be converted')
    await noteNoRendition(db, job, outcome)
  }
  await endRenditionJob(db, job)
}

/** Makes the rendition of a job. Returns why it cannot be made. */
async function makeJob(
  maker: VideoMaker,
  job: RenditionJob,
  written: { seconds: number },
  signal: AbortSignal,
): Promise<undefined | { problem: string }> {
  const { library } = maker
  const { storageKey, spec } = job
  if (job.isMade || !job.isNeeded) return undefined
  if (job.attempts > ATTEMPTS_MAX) return { problem: `converting it has ended ${ATTEMPTS_MAX} workers` }
  if (storageKey === null) return { problem: 'the file has no content' }
  const { incomingDir } = library
  const source = join(incomingDir, `video-${randomUUID()}`)
  const path = join(incomingDir, `video-${randomUUID()}`)
  try {
    await copyStored(library, storageKey, source, signal)
    const video = { path: source, mimeType: job.mimeType, durationSeconds: job.durationSeconds }
    const drawn =
      'frameWidth' in spec
        ? await makeFrame(maker, job.userId, video, path, { ...spec, transfer: job.tracks?.video.transfer }, signal)
        : await convert(maker, job.userId, video, path, spec, { written, signal })
    if ('problem' in drawn) return drawn
    signal.throwIfAborted()
    await storeRendition(library, job, path, drawn)
    return undefined
  } catch (error) {
    if (error instanceof NotStoredError) return { problem: 'the bytes of the file are lost' }
    if (!(error instanceof FfmpegError)) throw error
    maker.log.warn({ err: error, userId: job.userId, mediaId: job.id }, 'ffmpeg has failed')
    return { problem: error.isTimeout ? 'converting it takes too long' : 'ffmpeg cannot convert it' }
  } finally {
    for (const left of [source, path]) await rm(left, { force: true }).catch(() => {})
  }
}

type Drawn = (RenditionFacts & { mimeType: MediaType }) | { problem: string }

type Transfer = VideoTarget['transfer']

/** The transfer of an HDR video, if this ffmpeg can map it. */
async function findMapped({ ffmpeg, log }: VideoMaker, userId: string, transfer: Transfer) {
  if (!transfer) return {}
  if (await canMapTones(ffmpeg)) return { transfer }
  log.warn({ userId }, 'ffmpeg lacks zscale or tonemap: colours of an HDR video may look pale')
  return {}
}

async function convert(
  maker: VideoMaker,
  userId: string,
  source: VideoSource,
  path: string,
  { transfer, ...target }: VideoTarget,
  { written, signal }: { written: { seconds: number }; signal: AbortSignal },
): Promise<Drawn> {
  const onProgress = (seconds: number) => {
    written.seconds = seconds
  }
  const { library, ffmpeg } = maker
  const run = { ffmpeg, cwd: library.incomingDir, timeMaxMs: TIME_MAX_MS, signal, onProgress }
  await drawVideo(source, path, { ...target, ...(await findMapped(maker, userId, transfer)) }, run)
  const { size: bytes } = await stat(path)
  if (bytes > (target.bytesMax ?? Infinity)) return { problem: `the rendition has ${bytes} bytes` }
  // The same reading as that of an upload: networks get what the rules were checked with.
  const { facts } = await inspectFile(path, userId)
  const { width, height, mimeType } = facts
  if (mimeType !== 'video/mp4' || width !== target.width || height !== target.height) {
    return { problem: `the rendition is ${width}x${height} pixels large` }
  }
  return { mimeType, bytes, width, height }
}

async function makeFrame(
  maker: VideoMaker,
  userId: string,
  source: VideoSource,
  path: string,
  { frameWidth, transfer }: FrameTarget & { transfer: Transfer },
  signal: AbortSignal,
): Promise<Drawn> {
  const { library, ffmpeg } = maker
  const picture = `${path}.png`
  try {
    const run = { ffmpeg, cwd: library.incomingDir, timeMaxMs: FRAME_TIME_MAX_MS, signal }
    await drawFrame(source, picture, { frameWidth, ...(await findMapped(maker, userId, transfer)) }, run)
    const drawn = await resize(picture, path, frameWidth)
    return 'problem' in drawn
      ? { problem: drawn.problem ?? 'its picture cannot be decoded' }
      : { ...NO_FACTS, ...drawn }
  } finally {
    await rm(picture, { force: true }).catch(() => {})
  }
}

/** Previews count towards no quota. */
const NO_FACTS = { bytes: null, width: null, height: null }
