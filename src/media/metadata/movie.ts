import { type Box, blank, blankHandlerName, boxesIn, findBox, uint, VERSION_BYTES } from './boxes.ts'
import { type EditList, tooComplex } from './edits.ts'
import type { FileWindow } from './file-window.ts'
import { sampleRanges } from './samples.ts'

const CONTAINERS = ['moov', 'trak', 'edts', 'mdia', 'minf', 'dinf', 'stbl', 'mvex', 'moof', 'traf', 'mfra', 'tapt']
/**
 * The boxes that playing needs, by ISO/IEC 14496-12 and https://developer.apple.com/documentation/quicktime-file-format.
 * All others become empty, such as `udta` with `©xyz` and `loci`, `meta` with `com.apple.quicktime.location.ISO6709`, `uuid`
 * with XMP, and `free` with what a camera left there.
 */
const KEPT = [
  ...['ftyp', 'styp', 'mdat', 'sidx', 'ssix', 'wide', 'mvhd', 'iods', 'tkhd', 'mdhd', 'hdlr', 'elng', 'elst', 'dref'],
  ...['vmhd', 'smhd', 'nmhd', 'clef', 'prof', 'enof', 'stsd', 'stts', 'ctts', 'cslg', 'stss', 'stsh', 'stps', 'stsc'],
  ...['stsz', 'stz2', 'stco', 'co64', 'sdtp', 'sgpd', 'sbgp', 'subs', 'padb', 'stdp', 'saiz', 'saio', 'mehd', 'trex'],
  ...['leva', 'mfhd', 'tfhd', 'tfdt', 'trun', 'tfra', 'mfro'],
]
/** Their second field is when the file was made. */
const DATED = ['mvhd', 'tkhd', 'mdhd']
/** Tracks with other handlers contain positions, faces, texts and time codes. */
const PLAYED = ['vide', 'soun', 'pict', 'auxv']
/** How a 360° video is projected: https://github.com/google/spatial-media/blob/master/docs/spherical-video-rfc.md */
const SPHERICAL = 'ffcc8263f8554a938814587a02521fdd'
/** Real files nest seven boxes. */
const DEPTH_MAX = 16

/** Keeps the video and sound of an MP4 or QuickTime file. Removes other tracks, and names, dates and all other data. */
export function planMovie(file: FileWindow, edits: EditList): void {
  planMovieBoxes(file, edits, { type: '', at: 0, start: 0, end: file.size })
}

export function planMovieBoxes(
  file: FileWindow,
  edits: EditList,
  parent: Box,
  removed = new Set<number>(),
  depth = 0,
): void {
  if (depth > DEPTH_MAX) throw tooComplex('boxes that are nested too deep')
  let end = parent.start
  for (const box of boxesIn(file, parent.start, parent.end)) {
    end = box.end
    if (box.type === 'trak' && !isPlayed(file, box)) {
      removed.add(trackOf(file, findBox(file, box, ['tkhd'])))
      for (const [at, bytes] of sampleRanges(file, box)) edits.fill(at, bytes)
      blank(edits, box)
    } else if (CONTAINERS.includes(box.type)) {
      planMovieBoxes(file, edits, box, removed, depth + 1)
    } else if (!KEPT.includes(box.type) && !isSpherical(file, box) && !isAuxiliary(file, box)) {
      blank(edits, box)
    } else if (DATED.includes(box.type)) {
      edits.fill(box.start + VERSION_BYTES, isLong(file, box) ? 16 : 8)
    } else if (box.type === 'hdlr') {
      blankHandlerName(edits, box)
    } else if (box.type === 'dref') {
      blankReferences(file, edits, box)
    } else if (box.type === 'tfhd' && removed.has(uint(file, box.start + VERSION_BYTES, 4))) {
      throw tooComplex('fragments of a track that is neither video nor sound')
    }
  }
  // In QuickTime, zeros may end a list.
  edits.fill(end, parent.end - end)
}

const isLong = (file: FileWindow, box: Box) => uint(file, box.start, 1) === 1

/** The id of a track. It follows two dates. */
const trackOf = (file: FileWindow, header: Box | undefined) =>
  header ? uint(file, header.start + VERSION_BYTES + (isLong(file, header) ? 16 : 8), 4) : 0

function isPlayed(file: FileWindow, track: Box): boolean {
  const handler = findBox(file, track, ['mdia', 'hdlr'])
  return handler !== undefined && PLAYED.includes(textAt(file, handler.start + VERSION_BYTES + 4))
}

const textAt = (file: FileWindow, at: number) => file.read(at, 4).toString('latin1')

const isSpherical = (file: FileWindow, { type, start }: Box) =>
  type === 'uuid' && file.read(start, 16).toString('hex') === SPHERICAL

/** References that connect transparency with its picture. Others lead to removed tracks. */
const isAuxiliary = (file: FileWindow, { type, start, end }: Box) =>
  type === 'tref' && [...boxesIn(file, start, end)].every(({ type }) => type === 'auxl')

/** Removes paths of files, which QuickTime states even where the data are in the same file. */
function blankReferences(file: FileWindow, edits: EditList, { start, end }: Box): void {
  for (const entry of boxesIn(file, start + VERSION_BYTES + 4, end)) {
    const isInThisFile = uint(file, entry.start, 4) & 1
    if (isInThisFile) edits.fill(entry.start + VERSION_BYTES, entry.end - entry.start - VERSION_BYTES)
  }
}
