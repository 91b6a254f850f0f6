import { damaged, type FileBytes, trailing } from './bytes.ts'

const SIGNATURE_BYTES = 8
const CRC_BYTES = 4
/** Encoders split the picture into chunks of some kilobytes. */
const CHUNKS_MAX = 100_000
/** Texts, EXIF and profiles. Reading them takes seven times their length in memory. Real ones have less than 1 MB. */
const METADATA_BYTES_MAX = 8 * 2 ** 20

/** Reads the chunks from IHDR to IEND: https://www.w3.org/TR/png-3/#5DataRep. Animated PNGs have the same structure. */
export function walkPng(file: FileBytes): void {
  let hasData = false
  let count = 0
  let metadataBytes = 0
  for (const { type, start, end } of chunksIn(file)) {
    if (++count > CHUNKS_MAX) throw damaged('it has too many chunks')
    if ((count === 1) !== (type === 'IHDR')) throw damaged('it does not begin with one IHDR chunk')
    hasData ||= type === 'IDAT'
    // Decoders may skip chunks whose type begins with a small letter. `fdAT` is a frame of an animation.
    if (/^[a-z]/.test(type) && type !== 'fdAT') metadataBytes += end - start
    if (metadataBytes > METADATA_BYTES_MAX) throw damaged('its metadata are too long')
    file.position = end
  }
  if (!hasData) throw damaged('it has no IDAT chunk')
  // The last CRC: the earlier ones are known to exist, because a chunk followed them.
  file.next(CRC_BYTES, 'in the IEND chunk')
  if (file.position < file.size) throw trailing(file.size - file.position)
}

/** The chunks to IEND. Their content is between `start` and `end`, and a CRC follows it. */
export function* chunksIn(file: FileBytes): Generator<{ type: string; at: number; start: number; end: number }> {
  for (let at = SIGNATURE_BYTES, type = ''; type !== 'IEND'; ) {
    file.position = at
    const header = file.next(8, 'before the IEND chunk')
    const [start, end] = [at + 8, at + 8 + header.readUInt32BE()]
    type = header.toString('latin1', 4)
    if (!/^[A-Za-z]{4}$/.test(type)) throw damaged('there is unexpected data between its chunks')
    yield { type, at, start, end }
    at = end + CRC_BYTES
  }
}
