import type { FileBytes } from '../structure/bytes.ts'
import { chunksIn, FRAME_HEADER_BYTES } from '../structure/webp.ts'
import type { EditList } from './edits.ts'
import { orientationOnly } from './exif.ts'

/** The chunks of the picture, of an animation and of the colour profile: https://www.rfc-editor.org/rfc/rfc9649.html */
const KEPT = ['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP']
/** Readers ignore chunks that they do not know. */
const BLANK = Buffer.from('JUNK')
const EXIF_FLAG = 0x08
const XMP_FLAG = 0x04
const EXIF = 'Exif\0\0'

/** Keeps the picture and the orientation. All other chunks become chunks of zeros that decoders skip. */
export function planWebp(file: FileBytes, edits: EditList): void {
  const flagsAt = file.read(12, 4).toString('latin1') === 'VP8X' ? 20 : undefined
  const hasExif = planChunks(file, edits, 12, Math.min(8 + file.read(4, 4).readUInt32LE(), file.size))
  if (flagsAt === undefined) return
  const flags = file.read(flagsAt, 1)[0]!
  edits.put(flagsAt, Buffer.from([(flags & ~(EXIF_FLAG | XMP_FLAG)) | (hasExif ? EXIF_FLAG : 0)]))
}

/** Returns whether an orientation was kept. */
function planChunks(file: FileBytes, edits: EditList, from: number, to: number, isFrame = false): boolean {
  let hasExif = false
  for (const { type, at, start, ...chunk } of chunksIn(file, from, to)) {
    const end = Math.min(chunk.end, to)
    if (type === 'ANMF' && !isFrame) {
      planChunks(file, edits, start + FRAME_HEADER_BYTES, end, true)
    } else if (!KEPT.includes(type)) {
      const exif: Buffer | undefined = type === 'EXIF' && !hasExif && !isFrame ? readExif(file, start, end) : undefined
      hasExif ||= exif !== undefined
      if (exif) {
        edits.replace(start, end, exif)
      } else {
        edits.put(at, BLANK)
        edits.fill(start, end - start)
      }
    }
  }
  return hasExif
}

/** Some writers put the prefix that JPEG has before the data. */
function readExif(file: FileBytes, start: number, end: number): Buffer | undefined {
  const hasPrefix = file.read(start, EXIF.length).toString('latin1') === EXIF
  return orientationOnly(file, start + (hasPrefix ? EXIF.length : 0), end)
}
