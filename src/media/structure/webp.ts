import { cutOff, damaged, type FileBytes, trailing } from './bytes.ts'
import { refuseTooManyFrames } from './frames.ts'

/** Decoders keep a record of each chunk. Other chunks than those of the frames are few. */
const CHUNKS_MAX = 20_000

/** Reads the chunks of the RIFF container: https://www.rfc-editor.org/rfc/rfc9649.html#section-2.3 */
export function walkWebp(file: FileBytes): void {
  const header = file.next(12, 'in its header')
  const size = header.readUInt32LE(4)
  const end = 8 + size
  if (end > file.size) throw cutOff('before its declared size')

  let pictures = 0
  let frames = 0
  for (let count = 1; file.position < end; count++) {
    if (count > CHUNKS_MAX) throw damaged('it has too many chunks')
    if (end - file.position < 8) throw damaged('there is unexpected data between its chunks')
    const chunk = file.next(8, 'in a chunk')
    const type = chunk.toString('latin1', 0, 4)
    const length = chunk.readUInt32LE(4)
    if (count === 1 && !/^VP8[ LX]$/.test(type)) throw damaged('it does not begin with a picture')
    if (length > end - file.position) throw damaged('a chunk is longer than the file')
    if (/^(?:VP8[ L]|ANMF)$/.test(type)) pictures++
    if (type === 'ANMF') refuseTooManyFrames(++frames)
    // Chunks are padded to an even length. Some writers omit the last padding byte, or do not count it.
    file.position = Math.min(file.position + length + (length % 2), end)
  }
  if (pictures === 0) throw damaged('it has no picture')
  if (size % 2 && file.position < file.size && file.next(1, 'in its padding')[0] !== 0) file.position--
  if (file.position < file.size) throw trailing(file.size - file.position)
}
