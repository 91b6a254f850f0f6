import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { withTimeout } from '../../base/with-timeout.ts'

export interface HeicRequest {
  path: string
  /** The limit of the decoder's memory. */
  memoryBytesMax: number
}

/** RGB, 8 bits each. */
export interface Pixels {
  bytes: Uint8Array<ArrayBuffer>
  width: number
  height: number
}

/** The decoder takes up to 8 bytes for each pixel. */
const MEMORY_BYTES_MAX = 224 * 2 ** 20
const DECODING_MAX_MS = 30_000

/** How the message of an error begins, here and in sharp, if the time of a decoder is over. */
export const TIMEOUT = 'timeout: '

/**
 * Decodes HEIC, which the decoder of sharp's binaries does not. The thread has limits of time and memory of its own,
 * and ends after one picture. Throws if it cannot be decoded within them.
 */
export async function decodeHeic(path: string): Promise<Pixels> {
  // `.ts` when run from the sources, `.js` when compiled.
  const worker = new Worker(new URL(`./heic-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: { path, memoryBytesMax: MEMORY_BYTES_MAX } satisfies HeicRequest,
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
    // The decoder writes warnings about damaged files.
    stdout: true,
    stderr: true,
  })
  try {
    // Rejects if the thread ends with an error.
    const [pixels] = await withTimeout(
      DECODING_MAX_MS,
      once(worker, 'message'),
      () => new Error(`${TIMEOUT}${DECODING_MAX_MS} ms`),
    )
    return pixels as Pixels
  } finally {
    await worker.terminate()
  }
}
