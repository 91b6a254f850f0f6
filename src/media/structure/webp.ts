import { cutOff, damaged, type FileBytes, trailing } from './bytes.ts'
import { refuseTooManyFrames } from './frames.ts'

/** Reads the chunks of the RIFF container: https://www.rfc-editor.org/rfc/rfc9649.html#section-2.3 */
export async function walkWebp(file: FileBytes): Promise<void> {
  const header = await file.next(12, 'in its header')
  const size = header.readUInt32LE(4)
  const end = 8 + size
  if (end > file.size) throw cutOff('before the size that it claims')

  let pictures = 0
  let frames = 0
  for (let isFirst = true; file.at < end; isFirst = false) {
    if (end - file.at < 8) throw damaged('there is something else between its chunks')
    const chunk = await file.next(8, 'in a chunk')
    const type = chunk.toString('latin1', 0, 4)
    const length = chunk.readUInt32LE(4)
    if (isFirst && !/^VP8[ LX]$/.test(type)) throw damaged('it does not begin with a picture')
    if (length > end - file.at) throw damaged('a chunk is longer than the file')
    if (/^(?:VP8[ L]|ANMF)$/.test(type)) pictures++
    if (type === 'ANMF') refuseTooManyFrames(++frames)
    // Chunks are padded to an even length. Some writers omit the last padding byte, or do not count it.
    file.at = Math.min(file.at + length + (length % 2), end)
  }
  if (pictures === 0) throw damaged('it has no picture')
  if (size % 2 && file.at < file.size && (await file.next(1, 'in its padding'))[0] !== 0) file.at--
  if (file.at < file.size) throw trailing(file.size - file.at)
}
