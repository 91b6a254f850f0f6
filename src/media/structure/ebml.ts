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
/** Ten hours have about six million blocks. The blocks of a cluster of known size are skipped with it. */
const ELEMENTS_MAX = 20_000_000
/**
 * Parsers read an element as a whole. Writers start a cluster every few seconds or megabytes; recording browsers, at
 * least every 32 seconds.
 */
const CLUSTER_BYTES_MAX = 48 * 1024 * 1024
/** Twelve hours with a cue every second have one megabyte of cues. Attachments are cover pictures. */
const OTHER_BYTES_MAX = 16 * 1024 * 1024

interface Element {
  id: number
  /** Undefined if the element ends before one that cannot be inside it. Live recorders write such clusters. */
  size: number | undefined
}

/** The document type, such as `webm` or `matroska`. */
export function readDocType(file: FileBytes): string {
  const { id, size } = nextElement(file)
  if (id !== EBML || size === undefined || size > HEADER_BYTES_MAX) throw damaged('its header is not EBML')
  const end = file.position + size
  while (file.position < end) {
    const element = nextElement(file)
    if (element.size === undefined || element.size > end - file.position) throw damaged('its header is not EBML')
    const content = file.next(element.size, 'in its header')
    if (element.id === DOC_TYPE) {
      file.position = end
      return content.toString('latin1').replace(/\0+$/, '')
    }
  }
  throw damaged('its header has no document type')
}

/** Reads the one segment after the header, to the end of the file. */
export function walkSegment(file: FileBytes): void {
  let segment = nextElement(file)
  while (segment.id === VOID && segment.size !== undefined) {
    file.position += segment.size
    segment = nextElement(file)
  }
  if (segment.id !== SEGMENT) throw damaged('it has no segment')
  const end = segment.size === undefined ? file.size : file.position + segment.size
  if (end > file.size) throw cutOff('before its declared size')

  const seen = new Set<number>()
  let isInCluster = false
  for (let count = 1; file.position < end; count++) {
    if (count > ELEMENTS_MAX) throw damaged('it has too many elements')
    const start = file.position
    const { id, size } = nextElement(file)
    const isKnown = IN_SEGMENT.includes(id) || (isInCluster && IN_CLUSTER.includes(id))
    if (!isKnown) {
      throw seen.has(CLUSTER) ? trailing(file.size - start) : damaged('there is unexpected data between its elements')
    }
    seen.add(id)
    if (size === undefined) {
      if (id !== CLUSTER) throw damaged('an element has no size')
      isInCluster = true
      continue
    }
    if (size > end - file.position) {
      throw end === file.size ? cutOff('in an element') : damaged('an element is longer than the segment')
    }
    const bytesMax = id === CLUSTER ? CLUSTER_BYTES_MAX : OTHER_BYTES_MAX
    if (size > bytesMax && id !== VOID) throw damaged('an element is too large')
    // Void and CRC-32 occur on both levels.
    if (IN_SEGMENT.includes(id) && id !== VOID && id !== CRC_32) isInCluster = false
    file.position += size
  }
  if (!seen.has(TRACKS) || !seen.has(CLUSTER)) throw cutOff('before its first cluster')
  if (end < file.size) throw trailing(file.size - end)
}

function nextElement(file: FileBytes): Element {
  const id = nextNumber(file, 4, false)
  const size = nextNumber(file, 8, true)
  if (id === undefined) throw damaged('an element has no name')
  return { id, size }
}

/**
 * Reads a number of variable length: the count of leading zero bits is the count of bytes after the first. In a size, the
 * marker bit after the zeros does not count, and all ones mean "unknown" (RFC 8794, 4 to 6).
 */
function nextNumber(file: FileBytes, bytesMax: number, isSize: boolean): number | undefined {
  const first = file.byte('in an element')
  const following = Math.clz32(first) - 24
  if (following >= bytesMax) throw damaged('there is unexpected data between its elements')
  const mask = 0x7f >> following
  let value = isSize ? first & mask : first
  let isUnknown = (first & mask) === mask
  for (let index = 0; index < following; index++) {
    const byte = file.byte('in an element')
    isUnknown &&= byte === 0xff
    // Rounded above 2^53, which is larger than any file.
    value = value * 256 + byte
  }
  return isSize && isUnknown ? undefined : value
}
