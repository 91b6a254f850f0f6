import { cutOff, damaged, type FileBytes, trailing } from './bytes.ts'
import { refuseTooManyFrames } from './frames.ts'

/** Decoders keep a record of each chunk. A frame has three at most: itself, its picture and its transparency. */
const CHUNKS_MAX = 40_000
/** Decoders copy metadata and profiles. */
const METADATA_BYTES_MAX = 32 * 1024 * 1024
export const FRAME_HEADER_BYTES = 16

/** A chunk, whose content is between `start` and `end`. */
interface Chunk {
  type: string
  at: number
  start: number
  end: number
}

/** The chunks between `at` and `to`. The last one may be longer. Chunks are padded to an even length. */
export function* chunksIn(file: FileBytes, at: number, to: number): Generator<Chunk> {
  while (to - at >= 8) {
    const header = file.read(at, 8)
    const length = header.readUInt32LE(4)
    const start = at + 8
    const end = at + 8 + length
    yield { type: header.toString('latin1', 0, 4), at, start, end }
    at = end + (length % 2)
  }
}

/**
 * Reads the chunks of the RIFF container: https://www.rfc-editor.org/rfc/rfc9649.html#section-2.3. sharp accepts
 * `webp: empty chunks` and `webp: a long EXIF`, and takes five times the size of `webp: chunks in a frame` in memory.
 */
export function walkWebp(file: FileBytes): void {
  const size = file.next(12, 'in its header').readUInt32LE(4)
  const riffEnd = 8 + size
  if (riffEnd > file.size) throw cutOff('before its declared size')

  let chunks = 0
  const count = () => {
    if (++chunks > CHUNKS_MAX) throw damaged('it has too many chunks')
  }
  let pictures = 0
  let frames = 0
  let at = file.position
  for (const { type, start, end } of chunksIn(file, at, riffEnd)) {
    count()
    if (end > riffEnd) throw damaged('a chunk is longer than the file')
    if (type === 'ANMF') {
      refuseTooManyFrames(++frames)
      for (const _ of chunksIn(file, start + FRAME_HEADER_BYTES, end)) count()
    } else if (!/^VP8[ L]$/.test(type) && end - start > METADATA_BYTES_MAX) {
      throw damaged('its metadata are too long')
    }
    if (/^(?:VP8[ L]|ANMF)$/.test(type)) pictures++
    // Some writers omit the last padding byte, or do not count it.
    at = Math.min(end + ((end - start) % 2), riffEnd)
  }
  if (at < riffEnd) throw damaged('there is unexpected data between its chunks')
  if (pictures === 0) throw damaged('it has no picture')
  if (size % 2 && at < file.size && file.read(at, 1)[0] === 0) at++
  if (at < file.size) throw trailing(file.size - at)
}
