import { cutOff, damaged, type FileBytes, trailing } from './bytes.ts'

/** https://www.rfc-editor.org/rfc/rfc8794.html (EBML), https://www.rfc-editor.org/rfc/rfc9559.html (Matroska) */
const EBML = 0x1a45dfa3
const DOC_TYPE = 0x4282
const SEGMENT = 0x18538067
const TRACKS = 0x1654ae6b
const CLUSTER = 0x1f43b675
const VOID = 0xec
const CRC_32 = 0xbf

/** SeekHead, Info, Tracks, Chapters, Cluster, Cues, Attachments, Tags. */
const IN_SEGMENT = [
  0x114d9b74,
  0x1549a966,
  TRACKS,
  0x1043a770,
  CLUSTER,
  0x1c53bb6b,
  0x1941a469,
  0x1254c367,
  VOID,
  CRC_32,
]
/** Timestamp, SilentTracks, Position, PrevSize, SimpleBlock, BlockGroup, EncryptedBlock. */
const IN_CLUSTER = [0xe7, 0x5854, 0xa7, 0xab, 0xa3, 0xa0, 0xaf, VOID, CRC_32]

const HEADER_BYTES_MAX = 4_096
/**
 * Parsers read an element as a whole. Writers start a cluster every few seconds or megabytes; recording browsers, at
 * least every 32 seconds.
 */
const CLUSTER_BYTES_MAX = 48 * 1024 * 1024
/** Twelve hours with a cue every second have one megabyte of cues. Attachments are cover pictures. */
const OTHER_BYTES_MAX = 16 * 1024 * 1024

/** An element, whose content is between `start` and `end`. */
interface Element {
  id: number
  start: number
  /** Infinity if the element ends before one that cannot be inside it. Live recorders write such clusters. */
  end: number
}

/** The document type, such as `webm` or `matroska`. Leaves the position at the end of the header. */
export function readDocType(file: FileBytes): string {
  const header = readElement(file, 0)
  if (header.id !== EBML || header.end - header.start > HEADER_BYTES_MAX) throw damaged('its header is not EBML')
  for (let at = header.start; at < header.end; ) {
    const { id, start, end } = readElement(file, at)
    if (end > header.end) throw damaged('its header is not EBML')
    file.position = start
    const content = file.next(end - start, 'in its header')
    if (id === DOC_TYPE) {
      file.position = header.end
      return content.toString('latin1').replace(/\0+$/, '')
    }
    at = end
  }
  throw damaged('its header has no document type')
}

/** Reads the one segment after the header, to the end of the file. mediabunny accepts WebMs that are cut off. */
export function walkSegment(file: FileBytes): void {
  let segment = readElement(file, file.position)
  while (segment.id === VOID) segment = readElement(file, segment.end)
  if (segment.id !== SEGMENT) throw damaged('it has no segment')
  const isOpen = segment.end === Infinity
  const segmentEnd = isOpen ? file.size : segment.end
  if (segmentEnd > file.size) throw cutOff('before its declared size')

  const seen = new Set<number>()
  let isInCluster = false
  for (let at = segment.start; at < segmentEnd; ) {
    const { id, start, end } = readElement(file, at)
    const isKnown = IN_SEGMENT.includes(id) || (isInCluster && IN_CLUSTER.includes(id))
    if (!isKnown) {
      throw seen.has(CLUSTER) ? trailing(file.size - at) : damaged('there is unexpected data between its elements')
    }
    seen.add(id)
    if (end === Infinity) {
      if (id !== CLUSTER) throw damaged('an element has no size')
      isInCluster = true
      at = start
      continue
    }
    if (end > segmentEnd) {
      throw segmentEnd === file.size ? cutOff('in an element') : damaged('an element is longer than the segment')
    }
    const bytesMax = id === CLUSTER ? CLUSTER_BYTES_MAX : OTHER_BYTES_MAX
    if (end - start > bytesMax && id !== VOID) throw damaged('an element is too large')
    // Void and CRC-32 occur on both levels.
    if (IN_SEGMENT.includes(id) && id !== VOID && id !== CRC_32) isInCluster = false
    at = end
  }
  if (!seen.has(TRACKS) || !seen.has(CLUSTER)) throw cutOff('before its first cluster')
  if (segmentEnd < file.size) throw trailing(file.size - segmentEnd)
}

/**
 * The element at a position: a name and a size, each of variable length. In a size, the bit that marks the length does
 * not count, and all ones mean "unknown" (RFC 8794, 4 to 6).
 */
export function readElement(file: FileBytes, at: number): Element {
  const header = file.read(at, 12)
  const idBytes = lengthAt(header, 0, 4)
  const sizeBytes = lengthAt(header, idBytes, 8)
  const start = idBytes + sizeBytes
  let bytes = header[idBytes]! & (0xff >> sizeBytes)
  let isUnknown = bytes === 0xff >> sizeBytes
  for (let index = idBytes + 1; index < start; index++) {
    isUnknown &&= header[index] === 0xff
    // Rounded above 2^53, which is larger than any file.
    bytes = bytes * 256 + header[index]!
  }
  return { id: header.readUIntBE(0, idBytes), start: at + start, end: isUnknown ? Infinity : at + start + bytes }
}

/** The length of a number: the count of leading zero bits is the count of bytes after the first. */
function lengthAt(header: Buffer, at: number, bytesMax: number): number {
  if (at >= header.length) throw cutOff('in an element')
  const bytes = Math.clz32(header[at]!) - 23
  if (bytes > bytesMax) throw damaged('there is unexpected data between its elements')
  if (at + bytes > header.length) throw cutOff('in an element')
  return bytes
}
