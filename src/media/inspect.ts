import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { MediaKind, MediaType } from '../../schemas/media.ts'
import { AppError } from '../errors.ts'
import { damaged } from './structure/bytes.ts'
import { checkStructure } from './structure.ts'
import type { VideoAnswer } from './video-worker.ts'

/** What a media file is, as its bytes say. */
export interface MediaFile {
  /** `gif`: an animated image, GIF or WebP, of more than one frame. */
  kind: MediaKind
  mimeType: MediaType
  /** In pixels, as shown: after rotation, and with square pixels. */
  width: number
  height: number
  /** Of videos, and of animated images the delays of all frames; else null. */
  durationSeconds: number | null
  /** Of videos, and of animated images that have a duration, on average; else null. */
  fps: number | null
  /** Of images, also of those that stand still; else null. */
  frames: number | null
  videoCodec: string | null
  audioCodec: string | null
}

/**
 * The facts of a file, by its content alone. Throws a 400 that says why where it is not one whole file of a type that is
 * supported; in all else that is thrown, the machine is at fault. The compressed pictures are not decoded.
 */
export async function inspectFile(path: string, { videoMaxMs = VIDEO_MS } = {}): Promise<MediaFile> {
  const type = await checkStructure(path)
  return type.startsWith('video/') ? inspectVideo(path, type, videoMaxMs) : inspectImage(path, type)
}

/** What sharp takes by default: 0x3fff squared. */
const PIXELS_MAX = 268_402_689

async function inspectImage(path: string, mimeType: MediaType): Promise<MediaFile> {
  const { format, mediaType, autoOrient, pages, delay } = await readImage(path)
  // Of HEIF, the library takes the type from the first brand; the structure has looked at all.
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
  // Only where an image comes in: it takes memory. Neither setting does anything when it is repeated.
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  try {
    // Its own limit would be checked at the same point, after the header, and does not say how large the image is.
    return await sharp(path, { limitInputPixels: false }).metadata()
  } catch {
    // Throws where the file cannot be read at all.
    await stat(path)
    throw damaged('its header cannot be read')
  }
}

/** The tables of twelve hours at 60 frames per second fit. */
const VIDEO_HEAP_MB = 256
const VIDEO_MS = 10_000
/** Each takes a core, and 25 MB for a short video. */
const WORKERS_MAX = 2

async function inspectVideo(path: string, mimeType: MediaType, maxMs: number): Promise<MediaFile> {
  await enter()
  const answer = await askWorker(path, maxMs).finally(leave)
  if ('refused' in answer) throw new AppError(400, 'file_invalid', answer.refused)
  if (answer.facts.mimeType !== mimeType) throw damaged('its header and its content are of different types')
  return { kind: 'video', frames: null, ...answer.facts }
}

let inside = 0
const waiting: (() => void)[] = []

async function enter(): Promise<void> {
  if (inside < WORKERS_MAX) inside++
  else await new Promise<void>((resolve) => waiting.push(resolve))
}

/** The place goes to who waits longest. */
function leave(): void {
  const next = waiting.shift()
  if (next) next()
  else inside--
}

/**
 * Reads a video in a thread of its own: one that is made to keep a parser busy, or to fill the memory, is ended without
 * harm to the others, and what was taken is given back. Settles when the thread is gone.
 */
function askWorker(path: string, maxMs: number): Promise<VideoAnswer> {
  return new Promise((resolve, reject) => {
    // The sources run as they are, and the compiled ones beside each other.
    const worker = new Worker(new URL(`./video-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: path,
      // A young generation of the usual size would add 10 MB to what stays with the process.
      resourceLimits: { maxOldGenerationSizeMb: VIDEO_HEAP_MB, maxYoungGenerationSizeMb: 4 },
    })
    let answer: VideoAnswer | undefined
    let failure: Error | undefined
    const timer = setTimeout(() => {
      failure = new AppError(400, 'file_too_complex', 'file could not be read in time')
      worker.terminate()
    }, maxMs)
    worker.once('message', (message: VideoAnswer) => {
      answer = message
    })
    worker.once('error', (error: NodeJS.ErrnoException) => {
      const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      failure = isTooLarge ? new AppError(400, 'file_too_complex', 'file takes too much memory to read') : error
    })
    worker.once('exit', (code) => {
      clearTimeout(timer)
      if (answer) resolve(answer)
      else reject(failure ?? new Error(`The thread that reads videos ended with ${code}, without an answer`))
    })
  })
}
