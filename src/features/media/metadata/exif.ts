import type { FileBytes } from '../structure/bytes.ts'

const ORIENTATION = 0x0112
const SHORT = 3
/** A header, and a directory of one entry: https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf, section 2. */
const TIFF_BYTES = 26

/**
 * EXIF data with nothing but the orientation of those from `at` to `end`, which begin with a TIFF header. Undefined if
 * they have none, or the picture is upright. Never longer than the original.
 */
export function orientationOnly(file: FileBytes, at: number, end: number): Buffer | undefined {
  const orientation = readOrientation(file, at, end)
  if (orientation === undefined) return undefined
  const tiff = Buffer.alloc(TIFF_BYTES)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(ORIENTATION, 10)
  tiff.writeUInt16BE(SHORT, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  return tiff
}

function readOrientation(file: FileBytes, at: number, end: number): number | undefined {
  if (end - at < TIFF_BYTES) return undefined
  const header = file.read(at, 8)
  const order = header.toString('latin1', 0, 4)
  if (order !== 'MM\0*' && order !== 'II*\0') return undefined
  const isBig = order === 'MM\0*'
  const short = (bytes: Buffer, offset: number) => (isBig ? bytes.readUInt16BE(offset) : bytes.readUInt16LE(offset))
  const directory = at + (isBig ? header.readUInt32BE(4) : header.readUInt32LE(4))
  if (directory + 2 > end) return undefined
  const entries = short(file.read(directory, 2), 0)
  for (let index = 0; index < entries; index++) {
    const entryAt = directory + 2 + 12 * index
    if (entryAt + 12 > end) return undefined
    const entry = file.read(entryAt, 12)
    if (short(entry, 0) !== ORIENTATION) continue
    const value = short(entry, 8)
    return short(entry, 2) === SHORT && value >= 2 && value <= 8 ? value : undefined
  }
  return undefined
}
