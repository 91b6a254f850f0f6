import type { MediaType } from '../../../../schemas/media.ts'
import { fail } from '../../../base/errors.ts'
import { cutOff, damaged, type FileBytes } from './bytes.ts'
import { readDocType, walkSegment } from './ebml.ts'
import { walkGif } from './gif.ts'
import { walkJpeg } from './jpeg.ts'
import { walkBoxes } from './movie.ts'
import { walkPng } from './png.ts'
import { walkWebp } from './webp.ts'

/**
 * Decoders map whole files into memory. The largest image limit that a network documents is 20 MiB. The largest GIF
 * limit is 300 MB, at Bluesky, which turns GIFs into videos. The largest of documents is 100 MB.
 */
const FILE_BYTES_MAX = 100 * 1024 * 1024
const GIF_BYTES_MAX = 300_000_000

/** Each reads from where `readType` stopped to the end of the file. */
const WALKS: Record<MediaType, (file: FileBytes) => void> = {
  'image/jpeg': walkJpeg,
  'image/png': walkPng,
  'image/gif': walkGif,
  'image/webp': walkWebp,
  'image/avif': (file) => walkBoxes(file, ['meta', 'mdat']),
  'image/heic': (file) => walkBoxes(file, ['meta', 'mdat']),
  'video/mp4': (file) => walkBoxes(file, ['moov', 'mdat']),
  'video/quicktime': (file) => walkBoxes(file, ['moov', 'mdat']),
  'video/webm': walkSegment,
  'application/pdf': checkPdfEnd,
}

/**
 * Returns the type of the file, from its content alone. Throws a 400 that names the problem unless exactly one file of
 * this type fills it from the first byte to the last. Reads forwards, in time linear in the size of the file.
 *
 * sharp and mediabunny check less. They accept the files of inspect.appended.test.ts, or loop on them forever. Each
 * function below names the other files that need it: cut off as in inspect.test.ts, or one of hostile-files.ts. A check
 * that sharp or mediabunny makes itself is not here, such as that a PNG begins with its header, and that it or a GIF
 * has a picture. Decoding a progressive JPEG of 256 megapixels took 23 s and 0.8 GB outside of the thread's limits.
 */
export function checkStructure(file: FileBytes): MediaType {
  const { size } = file
  if (size === 0) throw fail('file_invalid', 'is empty')
  const type = readType(file)
  if (!type) throw fail('file_type_unsupported')
  const bytesMax = type === 'image/gif' ? GIF_BYTES_MAX : FILE_BYTES_MAX
  if (!type.startsWith('video/') && size > bytesMax) {
    throw fail('file_too_large.image', size, bytesMax, type === 'application/pdf' ? 'a document' : undefined)
  }
  WALKS[type](file)
  refuseSecondType(file, type)
  return type
}

/** Leaves the position at the beginning of the file, or at the end of its header. */
function readType(file: FileBytes): MediaType | null {
  const start = file.read(0, 12).toString('latin1')
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  if (start.startsWith('%PDF-')) return 'application/pdf'
  if (/^RIFF.{4}WEBP/s.test(start)) return 'image/webp'
  if (start.startsWith('\x1a\x45\xdf\xa3')) return readDocType(file) === 'webm' ? 'video/webm' : null
  if (start.slice(4, 8) === 'ftyp') return readBrands(file)
  return isOldQuickTime(start) ? 'video/quicktime' : null
}

/** Files from before 2005 have no `ftyp` box: https://developer.apple.com/documentation/quicktime-file-format */
const isOldQuickTime = (start: string) => /^(?:moov|mdat|wide|free|skip|pnot)$/.test(start.slice(4, 8))

const BRANDS_BYTES_MAX = 1_024

/**
 * Audio (M4A, M4B, M4P, F4A, F4B), other image formats (JPEG 2000, Canon's raw files, JPEG XL), and AVIF sequences,
 * which sharp does not read. Together with HEIC and 3GP, these are all brands that are not variants of MP4:
 * https://mp4ra.org/registered-types/brands
 */
const REFUSED = /^(?:M4[ABP] |F4[ABP] |mia|avis|avci|avcs|jp[2xm]|mj[p2]|j2|crx |jxl )/

/**
 * The type from the file's brands. The major brand decides, unless it is generic HEIF: then the compatible brands do.
 */
function readBrands(file: FileBytes): MediaType | null {
  const size = file.next(8, 'in its ftyp box').readUInt32BE(0)
  if (size < 16 || size > BRANDS_BYTES_MAX) throw damaged('its ftyp box has no valid size')
  const brands = file.next(size - 8, 'in its ftyp box').toString('latin1')
  file.position = 0
  const major = brands.slice(0, 4)
  // https://aomediacodec.github.io/av1-avif/#brands
  const isAvif = major === 'avif' || (/^mi[fa]/.test(major) && brands.slice(8).match(/.{4}/gs)?.includes('avif'))
  if (isAvif) return 'image/avif'
  // https://nokiatech.github.io/heif/technical.html
  if (major === 'heic' || major === 'heix') return 'image/heic'
  if (/^(?:mif|msf|hei|hev)/.test(major)) throw fail('file_type_unsupported.heic')
  if (major.startsWith('3g')) throw fail('file_type_unsupported.threeGp')
  if (REFUSED.test(major)) return null
  return major === 'qt  ' ? 'video/quicktime' : 'video/mp4'
}

/** PDF readers search this much of a file for the header, ZIP readers for the end record (APPNOTE.TXT, 4.3.16). */
const PDF_HEAD_BYTES = 1_024
const ZIP_TAIL_BYTES = 22 + 0xffff

/**
 * A valid media file can be a file of a second type as well, hidden in a comment or in an unused box. PDF and ZIP are
 * the common harmful types that allow this.
 */
function refuseSecondType(file: FileBytes, type: MediaType): void {
  if (type !== 'application/pdf' && file.read(0, PDF_HEAD_BYTES).includes('%PDF-')) throw damaged('it is a PDF as well')
  const tailAt = Math.max(0, file.size - ZIP_TAIL_BYTES)
  const tail = Buffer.from(file.read(tailAt, ZIP_TAIL_BYTES))
  for (
    let at = tail.indexOf('PK\x05\x06');
    at >= 0 && at + 22 <= tail.length;
    at = tail.indexOf('PK\x05\x06', at + 1)
  ) {
    const directoryAt = tailAt + at - tail.readUInt32LE(at + 12)
    const isArchive = directoryAt >= 0 && file.read(directoryAt, 4).equals(Buffer.from('PK\x01\x02'))
    if (isArchive) throw damaged('it is a ZIP archive as well')
  }
}

/** Readers look for the end of a document in as many bytes: https://www.iso.org/standard/75839.html, annex I. */
const PDF_TAIL_BYTES = 1_024

/** Throws a 400 unless the document has an end. The search for its objects without one takes much time. */
function checkPdfEnd(file: FileBytes): void {
  const tail = file.read(Math.max(0, file.size - PDF_TAIL_BYTES), PDF_TAIL_BYTES)
  if (!tail.includes('%%EOF')) throw cutOff('before its %%EOF')
}
