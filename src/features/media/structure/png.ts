import { inflateSync } from 'node:zlib'
import { damaged, type FileBytes, trailing } from './bytes.ts'

const SIGNATURE_BYTES = 8
const CRC_BYTES = 4
/** Encoders split the picture into chunks of some kilobytes. */
const CHUNKS_MAX = 100_000
/**
 * Texts, EXIF and profiles, compressed and inflated. Reading them takes seven times their length in memory. Real ones
 * have less than 1 MB.
 */
const METADATA_BYTES_MAX = 8 * 2 ** 20
/** https://www.zlib.net/zlib_tech.html */
const DEFLATE_RATIO_MAX = 1_032

/**
 * Reads the chunks to IEND: https://www.w3.org/TR/png-3/#5DataRep. Animated PNGs have the same structure. sharp accepts
 * PNGs that are cut off, `png: empty chunks`, and the texts and profiles of hostile-files.ts, which it inflates.
 */
export function walkPng(file: FileBytes): void {
  let count = 0
  let metadataBytes = 0
  for (const { type, start, end } of chunksIn(file)) {
    if (++count > CHUNKS_MAX) throw damaged('it has too many chunks')
    // Decoders may skip chunks whose type begins with a small letter. `fdAT` is a frame of an animation.
    if (/^[a-z]/.test(type) && type !== 'fdAT') metadataBytes += end - start
    if (metadataBytes > METADATA_BYTES_MAX) throw damaged('its metadata are too long')
    metadataBytes += inflatedBytes(file, type, start, end, METADATA_BYTES_MAX - metadataBytes)
    if (metadataBytes > METADATA_BYTES_MAX) throw damaged('its metadata are too long')
    file.position = end
  }
  // The last CRC: the earlier ones are known to exist, because a chunk followed them.
  file.next(CRC_BYTES, 'in the IEND chunk')
  if (file.position < file.size) throw trailing(file.size - file.position)
}

/** The length of what a chunk has compressed; more than `max` if it is longer. Decoders inflate all of it. */
function inflatedBytes(file: FileBytes, type: string, start: number, end: number, max: number): number {
  if (type !== 'zTXt' && type !== 'iTXt' && type !== 'iCCP') return 0
  const stream = compressedPart(type, file.read(start, end - start))
  if (!stream) return 0
  try {
    // 0 would mean no limit.
    return inflateSync(stream, { maxOutputLength: max + 1 }).length
  } catch {
    // Decoders inflate a damaged stream up to the damage.
    return stream.length * DEFLATE_RATIO_MAX
  }
}

/** https://www.w3.org/TR/png-3/#11textinfo and https://www.w3.org/TR/png-3/#11iCCP */
function compressedPart(type: 'zTXt' | 'iTXt' | 'iCCP', bytes: Buffer): Buffer | undefined {
  const afterNull = (from: number) => bytes.indexOf(0, from) + 1
  const keywordEnd = afterNull(0)
  if (keywordEnd === 0) return undefined
  if (type !== 'iTXt') return bytes.subarray(keywordEnd + 1)
  if (bytes[keywordEnd] !== 1) return undefined
  const languageEnd = afterNull(keywordEnd + 2)
  const translationEnd = languageEnd && afterNull(languageEnd)
  return translationEnd ? bytes.subarray(translationEnd) : undefined
}

/** The chunks to IEND. Their content is between `start` and `end`, and a CRC follows it. */
export function* chunksIn(file: FileBytes): Generator<{ type: string; at: number; start: number; end: number }> {
  for (let at = SIGNATURE_BYTES, type = ''; type !== 'IEND'; ) {
    file.position = at
    const header = file.next(8, 'before the IEND chunk')
    const start = at + 8
    const end = at + 8 + header.readUInt32BE()
    type = header.toString('latin1', 4)
    if (!/^[A-Za-z]{4}$/.test(type)) throw damaged('there is unexpected data between its chunks')
    yield { type, at, start, end }
    at = end + CRC_BYTES
  }
}
