import { cutOff, damaged, type FileBytes, trailing } from './bytes.ts'
import { refuseTooManyFrames } from './frames.ts'

/** Decoders keep a record of each chunk. A frame has three at most: itself, its picture and its transparency. */
const CHUNKS_MAX = 40_000
/** Decoders copy metadata and profiles. */
const METADATA_BYTES_MAX = 32 * 1024 * 1024
const FRAME_HEADER_BYTES = 16

const padded = (bytes: number) => bytes + (bytes % 2)

/** Reads the chunks of the RIFF container: https://www.rfc-editor.org/rfc/rfc9649.html#section-2.3 */
export function walkWebp(file: FileBytes): void {
  const header = file.next(12, 'in its header')
  const size = header.readUInt32LE(4)
  const end = 8 + size
  if (end > file.size) throw cutOff('before its declared size')

  let chunks = 0
  const nextChunk = () => {
    if (++chunks > CHUNKS_MAX) throw damaged('it has too many chunks')
    const chunk = file.next(8, 'in a chunk')
    return { type: chunk.toString('latin1', 0, 4), length: chunk.readUInt32LE(4) }
  }
  let pictures = 0
  let frames = 0
  while (file.position < end) {
    if (end - file.position < 8) throw damaged('there is unexpected data between its chunks')
    const { type, length } = nextChunk()
    const start = file.position
    if (chunks === 1 && !/^VP8[ LX]$/.test(type)) throw damaged('it does not begin with a picture')
    if (length > end - start) throw damaged('a chunk is longer than the file')
    if (type === 'ANMF') {
      refuseTooManyFrames(++frames)
      file.position += FRAME_HEADER_BYTES
      while (start + length - file.position >= 8) {
        const inner = nextChunk()
        file.position += padded(inner.length)
      }
    } else if (!/^VP8[ L]$/.test(type) && length > METADATA_BYTES_MAX) {
      throw damaged('its metadata are too long')
    }
    if (/^(?:VP8[ L]|ANMF)$/.test(type)) pictures++
    // Chunks are padded to an even length. Some writers omit the last padding byte, or do not count it.
    file.position = Math.min(start + padded(length), end)
  }
  if (pictures === 0) throw damaged('it has no picture')
  if (size % 2 && file.position < file.size && file.next(1, 'in its padding')[0] !== 0) file.position--
  if (file.position < file.size) throw trailing(file.size - file.position)
}
