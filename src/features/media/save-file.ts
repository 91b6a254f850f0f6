import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { fail } from '../../base/errors.ts'
import { throwFileError } from '../../base/storage/storage.ts'
import { collectBuffers } from './garbage.ts'

/** Otherwise V8 keeps about 50 MB of unused buffers before it collects them. */
const COLLECT_BYTES = 2 ** 20

/** Writes a new file to `path`. Throws a 413 if it is longer than `bytesMax`. */
export async function saveFile(source: AsyncIterable<Buffer>, path: string, bytesMax: number, signal: AbortSignal) {
  const hash = createHash('sha256')
  let bytes = 0
  let collectedAt = 0
  let readError: unknown
  async function* measured(chunks: AsyncIterable<Buffer>) {
    try {
      for await (const chunk of chunks) {
        bytes += chunk.length
        if (bytes > bytesMax) throw fail('file_too_large', bytesMax)
        hash.update(chunk)
        yield chunk
        if (bytes - collectedAt > COLLECT_BYTES) {
          collectBuffers()
          collectedAt = bytes
        }
      }
    } catch (error) {
      readError = error
      throw error
    }
  }
  // A stream that opens its own file can do so after it has failed, and leaves the file behind.
  const file = await open(path, 'wx', 0o600).catch(throwFileError)
  try {
    await pipeline(source, measured, file.createWriteStream(), { signal })
  } catch (error) {
    // All other errors are failures to write.
    if (error === readError) throw error
    throwFileError(error)
  } finally {
    await file.close()
  }
  return { bytes, sha256: hash.digest() }
}
