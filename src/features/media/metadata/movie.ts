import { type Box, boxesIn, findBox, uint, VERSION_BYTES } from '../structure/boxes.ts'
import { type FileBytes, tooComplex } from '../structure/bytes.ts'
import { blank, blankHandlerName } from './boxes.ts'
import type { EditList } from './edits.ts'
import { runRanges, sampleRanges } from './samples.ts'

const CONTAINERS = ['moov', 'trak', 'edts', 'mdia', 'minf', 'dinf', 'stbl', 'mvex', 'moof', 'traf', 'mfra', 'tapt']
/**
 * The boxes that playing needs, by ISO/IEC 14496-12 and
 * https://developer.apple.com/documentation/quicktime-file-format. All others become empty, such as `udta` with `©xyz`
 * and `loci`, `meta` with `com.apple.quicktime.location.ISO6709`, `uuid` with XMP, and `free` with what a camera left
 * there.
 */
const KEPT = [
  'ftyp styp mdat sidx ssix wide mvhd iods tkhd mdhd hdlr elng elst dref',
  'vmhd smhd nmhd clef prof enof stsd stts ctts cslg stss stsh stps stsc',
  'stsz stz2 stco co64 sdtp sgpd sbgp subs padb stdp saiz saio mehd trex',
  'leva mfhd tfhd tfdt trun tfra mfro',
].flatMap((line) => line.split(' '))
/** Their second field is when the file was made. */
const DATED = ['mvhd', 'tkhd', 'mdhd']
/** Tracks with other handlers contain positions, faces, texts and time codes. */
const PLAYED = ['vide', 'soun', 'pict', 'auxv']
/** How a 360° video is projected: https://github.com/google/spatial-media/blob/master/docs/spherical-video-rfc.md */
const SPHERICAL = 'ffcc8263f8554a938814587a02521fdd'
/** Real files nest seven boxes. */
const DEPTH_MAX = 16

/** Keeps the video and sound of an MP4 or QuickTime file. Removes other tracks, and names, dates and all other data. */
export const planMovie = (file: FileBytes, edits: EditList): void =>
  new MoviePlan(file, edits).visit({ type: '', at: 0, start: 0, end: file.size })

export class MoviePlan {
  readonly #file: FileBytes
  readonly #edits: EditList
  /** The ids of tracks that are removed. */
  readonly #removed = new Set<number | undefined>()
  /** The size of samples by track, if fragments state none. */
  readonly #sampleBytes = new Map<number, number>()
  /** The end of the data of the last `traf`. */
  #data = { moof: -1, end: 0 }

  constructor(file: FileBytes, edits: EditList) {
    this.#file = file
    this.#edits = edits
  }

  visit(parent: Box, depth = 0): void {
    if (depth > DEPTH_MAX) throw tooComplex('boxes that are nested too deep')
    let { start: end } = parent
    for (const box of boxesIn(this.#file, parent.start, parent.end)) {
      end = box.end
      if (box.type === 'trak' && !isPlayed(this.#file, box)) this.#removeTrack(box)
      else if (box.type === 'traf' && this.#removed.size > 0) this.#visitFragment(box, parent, depth)
      else if (CONTAINERS.includes(box.type)) this.visit(box, depth + 1)
      else if (isKept(this.#file, box)) this.#clean(box)
      else blank(this.#edits, box)
    }
    // In QuickTime, zeros may end a list.
    this.#edits.fill(end, parent.end - end)
  }

  #removeTrack(track: Box): void {
    const header = findBox(this.#file, track, ['tkhd'])
    if (header) this.#removed.add(trackOf(this.#file, header))
    for (const [at, bytes] of sampleRanges(this.#file, track)) this.#edits.fill(at, bytes)
    blank(this.#edits, track)
  }

  #trackOfFragment(traf: Box): number | undefined {
    const header = findBox(this.#file, traf, ['tfhd'])
    return header && uint(this.#file, header.start + VERSION_BYTES, 4)
  }

  #visitFragment(traf: Box, moof: Box, depth: number): void {
    const track = this.#trackOfFragment(traf)
    const isRemoved = this.#removed.has(track)
    const defaultBytes = this.#sampleBytes.get(track!) ?? 0
    // ISO/IEC 14496-12, 8.8.7.1: the data of the first `traf` begin at the `moof`, and others where the ones before
    // end.
    const impliedBase = this.#data.moof === moof.at ? this.#data.end : moof.at
    this.#data = { moof: moof.at, end: impliedBase }
    for (const [at, bytes] of runRanges(this.#file, traf, moof, { defaultBytes, impliedBase })) {
      if (isRemoved) this.#edits.fill(at, bytes)
      this.#data.end = at + bytes
    }
    if (isRemoved) blank(this.#edits, traf)
    else this.visit(traf, depth + 1)
  }

  /** Removes private fields from a box that stays. */
  #clean(box: Box): void {
    const { type, start } = box
    if (DATED.includes(type)) this.#edits.fill(start + VERSION_BYTES, isLong(this.#file, box) ? 16 : 8)
    if (type === 'hdlr') blankHandlerName(this.#edits, box)
    if (type === 'dref') blankReferences(this.#file, this.#edits, box)
    if (type === 'trex') {
      this.#sampleBytes.set(uint(this.#file, start + VERSION_BYTES, 4), uint(this.#file, start + VERSION_BYTES + 12, 4))
    }
  }
}

const isKept = (file: FileBytes, box: Box) =>
  KEPT.includes(box.type) || isSpherical(file, box) || isAuxiliary(file, box)

const isLong = (file: FileBytes, box: Box) => uint(file, box.start, 1) === 1

/** The id of a track. It follows two dates. */
const trackOf = (file: FileBytes, header: Box) =>
  uint(file, header.start + VERSION_BYTES + (isLong(file, header) ? 16 : 8), 4)

function isPlayed(file: FileBytes, track: Box): boolean {
  const handler = findBox(file, track, ['mdia', 'hdlr'])
  return handler !== undefined && PLAYED.includes(textAt(file, handler.start + VERSION_BYTES + 4))
}

const textAt = (file: FileBytes, at: number) => file.read(at, 4).toString('latin1')

const isSpherical = (file: FileBytes, { type, start }: Box) =>
  type === 'uuid' && file.read(start, 16).toString('hex') === SPHERICAL

/** References that connect transparency with its picture. Others lead to removed tracks. */
const isAuxiliary = (file: FileBytes, { type, start, end }: Box) =>
  type === 'tref' && [...boxesIn(file, start, end)].every(({ type }) => type === 'auxl')

/** Removes paths of files, which QuickTime states even if the data are in the same file. */
function blankReferences(file: FileBytes, edits: EditList, { start, end }: Box): void {
  for (const entry of boxesIn(file, start + VERSION_BYTES + 4, end)) {
    const isInThisFile = uint(file, entry.start, 4) & 1
    if (isInThisFile) edits.fill(entry.start + VERSION_BYTES, entry.end - entry.start - VERSION_BYTES)
  }
}
