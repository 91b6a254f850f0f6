import { damaged, type FileBytes, trailing } from './bytes.ts'

const SIGNATURE_BYTES = 8
const CRC_BYTES = 4
/** Encoders split the picture into chunks of some kilobytes. */
const CHUNKS_MAX = 100_000

/** Reads the chunks from IHDR to IEND: https://www.w3.org/TR/png-3/#5DataRep. Animated PNGs have the same structure. */
export function walkPng(file: FileBytes): void {
  file.position = SIGNATURE_BYTES
  let hasData = false
  for (let count = 1; ; count++) {
    if (count > CHUNKS_MAX) throw damaged('it has too many chunks')
    const header = file.next(8, 'before the IEND chunk')
    const length = header.readUInt32BE(0)
    const type = header.toString('latin1', 4)
    if (!/^[A-Za-z]{4}$/.test(type)) throw damaged('there is unexpected data between its chunks')
    if ((count === 1) !== (type === 'IHDR')) throw damaged('it does not begin with one IHDR chunk')
    hasData ||= type === 'IDAT'
    file.position += length + CRC_BYTES
    if (type === 'IEND') break
  }
  if (!hasData) throw damaged('it has no IDAT chunk')
  // Read the last CRC: the earlier ones are known to exist, because a chunk followed them.
  file.position -= CRC_BYTES
  file.next(CRC_BYTES, 'in the IEND chunk')
  if (file.position < file.size) throw trailing(file.size - file.position)
}
