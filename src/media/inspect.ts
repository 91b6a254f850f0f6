import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { MediaKind, MediaType } from '../../schemas/media.ts'
import { AppError } from '../errors.ts'
import { damaged } from './structure/bytes.ts'
import { checkStructure } from './structure.ts'
import type { VideoResult } from './video-worker.ts'

/** The facts of a media file, from its content. */
export interface MediaFile {
  /** `gif` is an animated GIF or WebP with more than one frame. */
  kind: MediaKind
  mimeType: MediaType
  /** In pixels as displayed: after rotation, and with square pixels. */
  width: number
  height: number
  /** For animated images, the sum of all frame delays. Null for still images. */
  durationSeconds: number | null
  /** The average. Null for still images, and for animated images without a duration. */
  fps: number | null
  /** 1 for still images. Null for videos. */
  frames: number | null
  videoCodec: string | null
  audioCodec: string | null
}

/**
 * The facts of a file, from its content alone. Throws a 400 that names the problem if it is not exactly one complete file
 * of a supported type. All other errors are failures of this machine. Compressed pictures are not decoded.
 */
export async function inspectFile(path: string, { videoCpuMaxMs = VIDEO_CPU_MAX_MS } = {}): Promise<MediaFile> {
  const type = await checkStructure(path)
  return type.startsWith('video/') ? inspectVideo(path, type, videoCpuMaxMs) : inspectImage(path, type)
}

/** sharp's default limit: 0x3fff squared. */
const PIXELS_MAX = 268_402_689

async function inspectImage(path: string, mimeType: MediaType): Promise<MediaFile> {
  const { format, mediaType, autoOrient, pages, delay } = await readImage(path)
  // For HEIF, sharp takes the type from the first brand. checkStructure has read all brands.
  const isAgreed = mimeType === 'image/avif' ? format === 'heif' : mediaType === mimeType
  if (!isAgreed) throw damaged('its header and its content are of different types')
  const { width, height } = autoOrient
  if (width * height > PIXELS_MAX) {
    throw new AppError(
      400,
      'file_too_complex',
      `file is ${width}x${height} pixels large, at most ${PIXELS_MAX} pixels are allowed`,
    )
  }

  const isAnimation = mimeType === 'image/gif' || mimeType === 'image/webp'
  const frames = isAnimation ? (pages ?? 1) : 1
  const durationSeconds = frames > 1 ? (delay ?? []).reduce((sum, ms) => sum + ms, 0) / 1000 : null
  return {
    kind: frames > 1 ? 'gif' : 'image',
    mimeType,
    width,
    height,
    durationSeconds,
    fps: durationSeconds ? frames / durationSeconds : null,
    frames,
    videoCodec: null,
    audioCodec: null,
  }
}

async function readImage(path: string) {
  // Imported on first use, because it takes memory. Repeating the two settings has no effect.
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  try {
    // sharp checks its own limit after the header as well, but its error does not contain the image's size.
    return await sharp(path, { limitInputPixels: false }).metadata()
  } catch {
    // Throws if the file cannot be read at all.
    await stat(path)
    throw damaged('its header cannot be read')
  }
}

/** Enough for the tables of twelve hours at 60 frames per second. */
const VIDEO_HEAP_MB = 256
/** CPU time, which passes slowly where other work occupies the cores. */
const VIDEO_CPU_MAX_MS = 10_000
const CPU_CHECK_MS = 20
/** Each worker occupies a core, and 25 MB for a short video. */
const WORKERS_MAX = 2

async function inspectVideo(path: string, mimeType: MediaType, cpuMaxMs: number): Promise<MediaFile> {
  await acquireSlot()
  const result = await readInWorker(path, cpuMaxMs).finally(releaseSlot)
  if ('refused' in result) throw new AppError(400, 'file_invalid', result.refused)
  if (result.facts.mimeType !== mimeType) throw damaged('its header and its content are of different types')
  return { kind: 'video', frames: null, ...result.facts }
}

let running = 0
const waiting: (() => void)[] = []

async function acquireSlot(): Promise<void> {
  if (running < WORKERS_MAX) running++
  else await new Promise<void>((resolve) => waiting.push(resolve))
}

/** Passes the slot to the longest waiting call. */
function releaseSlot(): void {
  const next = waiting.shift()
  if (next) next()
  else running--
}

/**
 * Reads a video in a thread of its own. A file that keeps the parser busy, or fills the memory, ends only that thread, and
 * its memory is freed. Settles after the thread has exited.
 */
function readInWorker(path: string, cpuMaxMs: number): Promise<VideoResult> {
  return new Promise((resolve, reject) => {
    // `.ts` when run from the sources, `.js` when compiled.
    const worker = new Worker(new URL(`./video-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: path,
      // With the default young generation, the process would keep 10 MB more.
      resourceLimits: { maxOldGenerationSizeMb: VIDEO_HEAP_MB, maxYoungGenerationSizeMb: 4 },
    })
    let result: VideoResult | undefined
    let failure: Error | undefined
    const check = async () => {
      const { user, system } = await worker.cpuUsage()
      if ((user + system) / 1000 < cpuMaxMs) return
      failure = new AppError(400, 'file_too_complex', 'file takes too much time to read')
      worker.terminate()
    }
    // The thread may end before it responds.
    const timer = setInterval(() => check().catch(() => {}), CPU_CHECK_MS)
    worker.once('message', (message: VideoResult) => {
      result = message
    })
    worker.once('error', (error: NodeJS.ErrnoException) => {
      const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      failure = isTooLarge ? new AppError(400, 'file_too_complex', 'file takes too much memory to read') : error
    })
    worker.once('exit', (code) => {
      clearInterval(timer)
      if (result) resolve(result)
      else reject(failure ?? new Error(`The thread that reads videos exited with code ${code} and without a result`))
    })
  })
}
