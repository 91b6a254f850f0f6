import { cutOff, damaged, type FileBytes, trailing } from './bytes.ts'
import { walkBoxes } from './movie.ts'

/** ITU-T T.81, table B.1 */
const SOI = 0xd8
export const EOI = 0xd9
const SOS = 0xda
const TEM = 0x01
const APP1 = 0xe1
const APP2 = 0xe2
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7

/** Decoders keep a record of each segment of the header. Each scan of a progressive picture has two or three. */
const SEGMENTS_MAX = 10_000
/**
 * Encoders write about ten scans. A decoder goes through all pixels for each of them, and cannot be stopped: 2,600
 * empty ones of 51 million pixels took 33 s. `djpeg` of libjpeg-turbo has the option `-maxscans` against such files.
 */
const SCANS_MAX = 100
/** Decoders keep the segments of the header. Depth maps and profiles take some megabytes. */
const HEADER_BYTES_MAX = 32 * 1024 * 1024

/** The parts that have been read so far. */
interface Read {
  segments: number
  /** The contents that the metadata announce after the end of a picture. */
  images: boolean
  video: boolean
}

/**
 * Reads the markers, and the data between them, to EOI (ITU-T T.81, annex B), and then what cameras append:
 *
 * - zeros, up to a round size
 * - further JPEGs, such as a gain map (Ultra HDR, iPhone) or a preview, if a Multi-Picture segment (CIPA DC-007) or a
 *   directory in the XMP announces them: https://developer.android.com/media/platform/hdr-image-format
 * - an MP4, if the XMP announces it: https://developer.android.com/media/platform/motion-photo-format
 * - Samsung's directory with its blocks
 *
 * sharp accepts `jpeg: empty scans`, `jpeg: empty comments`, `jpeg: announced pictures` and `jpeg: long EXIF segments`.
 */
export function walkJpeg(file: FileBytes): void {
  const read: Read = { segments: 0, images: false, video: false }
  walkPicture(file, read)
  const announced = { ...read }
  for (;;) {
    const end = file.position
    skipZeros(file)
    if (file.position === file.size) return
    const next = peek(file, 8)
    if (announced.images && next.readUIntBE(0, 3) === 0xffd8ff) {
      walkPicture(file, read)
    } else if (announced.video && isFtyp(next) && file.position - end >= 4 - next.indexOf('ftyp')) {
      file.position -= 4 - next.indexOf('ftyp')
      walkBoxes(file, ['moov', 'mdat'])
    } else if (isSamsungTrailer(file, end, file.position)) {
      return
    } else {
      throw trailing(file.size - end)
    }
  }
}

/** The box size before the name begins with two or three zeros, which skipZeros has already skipped. */
const isFtyp = (bytes: Buffer) => bytes.indexOf('ftyp') === 1 || bytes.indexOf('ftyp') === 2

/** Pads with zeros past the end of the file. */
const peek = (file: FileBytes, count: number): Buffer => Buffer.concat([file.read(file.position, count)], count)

function skipZeros(file: FileBytes): void {
  while (file.position < file.size) {
    const bytes = file.ahead(file.position, 1)
    let zeros = 0
    while (bytes[zeros] === 0) zeros++
    file.position += zeros
    if (zeros < bytes.length) return
  }
}

/** Reads one picture, which begins at the position, from SOI to EOI. */
function walkPicture(file: FileBytes, read: Read): void {
  const picture = file.position
  let scans = 0
  for (const { marker, start, end } of segmentsIn(file, picture)) {
    if (marker !== EOI && ++read.segments > SEGMENTS_MAX) throw damaged('it has too many segments')
    if (marker === APP1 || marker === APP2) readAnnouncement(file.read(start, end - start), read)
    if (scans === 0 && end - picture > HEADER_BYTES_MAX) throw damaged('its header is too long')
    if (marker === SOS && ++scans > SCANS_MAX) throw damaged('it has too many scans')
    file.position = end
  }
  if (scans === 0) throw damaged('it has no picture')
}

/** A segment: its marker begins at `at`, and its content is between `start` and `end`. */
interface Segment {
  marker: number
  at: number
  start: number
  end: number
}

/** The segments of the picture that begins at a position, to EOI. */
export function* segmentsIn(file: FileBytes, picture: number): Generator<Segment> {
  for (let at = picture + 2; ; ) {
    file.position = at
    const marker = nextMarker(file)
    at = file.position - 2
    if (marker === 0 || marker === SOI || isRestart(marker)) throw damaged('it has a misplaced marker')
    const hasContent = marker !== EOI && marker !== TEM
    const length = hasContent ? file.next(2, 'in a segment').readUInt16BE() : 0
    if (hasContent && length < 2) throw damaged('a segment has no length')
    const start = file.position
    const end = hasContent ? at + 2 + length : start
    yield { marker, at, start, end }
    if (marker === EOI) return
    at = marker === SOS ? endOfScan(file, end) : end
  }
}

/** Any number of 0xff bytes may precede a marker's code. */
function nextMarker(file: FileBytes): number {
  let byte = file.byte('before its EOI marker')
  if (byte !== 0xff) throw damaged('there is unexpected data between its segments')
  while (byte === 0xff) byte = file.byte('before its EOI marker')
  return byte
}

/** The position of the next marker outside of the compressed data. */
function endOfScan(file: FileBytes, from: number): number {
  for (let at = from; ; ) {
    const bytes = file.ahead(at, 2)
    const last = bytes.length - 1
    if (last < 1) throw cutOff('before its EOI marker')
    for (let index = 0; index < last; index++) {
      const code = bytes[index] === 0xff ? bytes[index + 1]! : 0
      if (code !== 0 && code !== 0xff && !isRestart(code)) return at + index
    }
    at += last
  }
}

const XMP = 'http://ns.adobe.com/xap/1.0/\0'

function readAnnouncement(segment: Buffer, read: Read): void {
  const text = segment.toString('latin1')
  if (text.startsWith('MPF\0')) read.images = true
  if (!text.startsWith(XMP)) return
  if (/http:\/\/ns\.google\.com\/photos\/(?:1\.0\/container|dynamicdepth\/1\.0\/container)\//.test(text)) {
    read.images = true
  }
  if (/(?:MotionPhoto|MicroVideo)(?:\s*=\s*["']1["']|>\s*1\s*<)/.test(text)) read.video = true
}

/**
 * Whether the file ends with Samsung's directory, and its blocks begin between `earliest` and `latest`. The format:
 * blocks, `SEFH`, version, count, 12 bytes for each block (type, distance from the directory back to the block, size),
 * the length of the directory, `SEFT`. A block repeats its type. The only source is ExifTool:
 * https://github.com/exiftool/exiftool/blob/master/lib/Image/ExifTool/Samsung.pm, ProcessSamsung
 */
function isSamsungTrailer(file: FileBytes, earliest: number, latest: number): boolean {
  const footerAt = file.size - 8
  if (footerAt < latest) return false
  const footer = file.read(footerAt, 8)
  const length = footer.readUInt32LE(0)
  if (footer.toString('latin1', 4) !== 'SEFT' || length < 24 || length > 0xffff) return false

  const directoryAt = footerAt - length
  if (directoryAt < earliest) return false
  const directory = Buffer.from(file.read(directoryAt, length))
  const count = directory.readUInt32LE(8)
  if (directory.toString('latin1', 0, 4) !== 'SEFH' || count === 0 || length !== 12 + 12 * count) return false

  let first = directoryAt
  for (let entry = 12; entry < length; entry += 12) {
    const distance = directory.readUInt32LE(entry + 4)
    const size = directory.readUInt32LE(entry + 8)
    if (size < 8 || size > distance || directoryAt - distance < earliest) return false
    if (!file.read(directoryAt - distance, 4).equals(directory.subarray(entry, entry + 4))) return false
    first = Math.min(first, directoryAt - distance)
  }
  return first <= latest
}
