import { type FileBytes, tooComplex } from '../structure/bytes.ts'
import { readElement } from '../structure/ebml.ts'
import type { EditList } from './edits.ts'

/** https://www.rfc-editor.org/rfc/rfc9559.html (Matroska), section 5.1 */
const VOID = 0xec
/** Segment, Info, Tracks, TrackEntry, Cluster: the walk goes on with the first element inside. */
const ENTERED = [0x18538067, 0x1549a966, 0x1654ae6b, 0xae]
const CLUSTER = 0x1f43b675
/** Tags, Attachments, Chapters; Title, DateUTC, SegmentFilename, SegmentUUID; Name and CodecName of a track. */
const REMOVED = [0x1254c367, 0x1941a469, 0x1043a770, 0x7ba9, 0x4461, 0x7384, 0x73a4, 0x536e, 0x258688]
/** CRC-32 of an element whose content may change. */
const CHECKSUM = 0xbf
/** MuxingApp and WritingApp, which must be present. */
const EMPTIED = [0x4d80, 0x5741]

/** Keeps the tracks of a WebM file. Removes tags, attachments, chapters, names and dates. */
export function planWebm(file: FileBytes, edits: EditList): void {
  for (let at = 0; at < file.size; ) {
    const { id, start, end } = readElement(file, at)
    if (REMOVED.includes(id) || id === CHECKSUM || id === VOID) makeVoid(edits, at, start, end)
    if (EMPTIED.includes(id)) edits.fill(start, end - start)
    const isEntered = ENTERED.includes(id) || (id === CLUSTER && end === Infinity)
    if (end === Infinity && !isEntered) throw tooComplex('an element without a size')
    at = isEntered ? start : end
  }
}

/** Turns an element into one of zeros that readers skip, with as long a size as the header has room for. */
function makeVoid(edits: EditList, at: number, start: number, end: number): void {
  const sizeBytes = Math.min(8, start - at - 1)
  const header = Buffer.alloc(1 + sizeBytes)
  header[0] = VOID
  header.writeUIntBE(end - at - header.length, Math.max(1, header.length - 6), Math.min(6, sizeBytes))
  header[1]! |= 0x80 >> (sizeBytes - 1)
  edits.put(at, header)
  edits.fill(at + header.length, end - at - header.length)
}
