import { type Box, boxesIn, findBox, uint, VERSION_BYTES } from '../structure/boxes.ts'
import type { FileBytes } from '../structure/bytes.ts'
import { blank, blankHandlerName } from './boxes.ts'
import type { EditList } from './edits.ts'
import { MoviePlan } from './movie.ts'

/** ISO/IEC 23008-12; https://aomediacodec.github.io/av1-avif/ */
const KEPT = ['ftyp', 'mdat', 'meta', 'moov', 'hdlr', 'pitm', 'iinf', 'iloc', 'iprp', 'iref', 'idat', 'grpl', 'dinf']
/** Items that are pictures, or made from pictures. All others are EXIF, XMP and other data. */
const PICTURES = ['av01', 'hvc1', 'grid', 'iovl', 'iden', 'tmap', 'sato']
/** Descriptions, dates, alt texts and private data of items. */
const PROPERTIES_REMOVED = ['udes', 'crtt', 'mdft', 'altt', 'uuid', 'free']
const FREE = Buffer.from('free')

/** Keeps the pictures, their colour profile and their orientation, which is a property and no EXIF. */
export function planAvif(file: FileBytes, edits: EditList): void {
  for (const box of boxesIn(file, 0, file.size)) {
    if (box.type === 'moov') new MoviePlan(file, edits).visit(box)
    else if (box.type === 'meta') planItems(file, edits, { ...box, start: box.start + VERSION_BYTES })
    else if (!KEPT.includes(box.type)) blank(edits, box)
  }
}

function planItems(file: FileBytes, edits: EditList, meta: Box): void {
  const removed = new Set<number>()
  for (const box of boxesIn(file, meta.start, meta.end)) {
    if (!KEPT.includes(box.type)) blank(edits, box)
    if (box.type === 'hdlr') blankHandlerName(edits, box)
    if (box.type === 'iinf') removeItems(file, edits, box, removed)
    if (box.type === 'iprp') removeProperties(file, edits, box)
  }
  const locations = findBox(file, meta, ['iloc'])
  if (!locations) return
  const idat = findBox(file, meta, ['idat'])
  for (const { id, isInIdat, at, bytes } of extentsIn(file, locations)) {
    if (removed.has(id)) edits.fill(isInIdat ? (idat?.start ?? file.size) + at : at, bytes)
  }
}

/** Gives the items that are not pictures a type that no reader knows. */
function removeItems(file: FileBytes, edits: EditList, { start, end }: Box, removed: Set<number>): void {
  const countBytes = uint(file, start, 1) === 0 ? 2 : 4
  for (const entry of boxesIn(file, start + VERSION_BYTES + countBytes, end)) {
    const version = uint(file, entry.start, 1)
    const idAt = entry.start + VERSION_BYTES
    const idBytes = version === 3 ? 4 : 2
    // Two bytes of protection are between the id and the type. The first two versions have no type.
    const typeAt = idAt + idBytes + 2
    if (version >= 2 && PICTURES.includes(file.read(typeAt, 4).toString('latin1'))) continue
    removed.add(uint(file, idAt, idBytes))
    if (version >= 2) edits.put(typeAt, FREE)
    const nameAt = version >= 2 ? typeAt + 4 : typeAt
    edits.fill(nameAt, entry.end - nameAt)
  }
}

/** Items refer to properties by their order, so it stays. */
function removeProperties(file: FileBytes, edits: EditList, iprp: Box): void {
  const ipco = findBox(file, iprp, ['ipco'])
  if (!ipco) return
  for (const box of boxesIn(file, ipco.start, ipco.end)) {
    if (PROPERTIES_REMOVED.includes(box.type)) blank(edits, box)
  }
}

interface Extent {
  id: number
  /** Whether `at` counts from the content of the `idat` box, and not from the beginning of the file. */
  isInIdat: boolean
  at: number
  bytes: number
}

/** Reads an `iloc` box: ISO/IEC 14496-12, 8.11.3. */
function* extentsIn(file: FileBytes, { start, end }: Box): Generator<Extent> {
  let at = start
  const next = (bytes: number) => {
    at += bytes
    return uint(file, at - bytes, bytes)
  }
  const version = next(1)
  at += 3
  const offsetAndLength = next(1)
  const baseAndIndex = next(1)
  const offsetBytes = offsetAndLength >> 4
  const lengthBytes = offsetAndLength & 15
  const baseBytes = baseAndIndex >> 4
  const indexBytes = version === 0 ? 0 : baseAndIndex & 15
  const items = next(version === 2 ? 4 : 2)
  for (let item = 0; item < items && at < end; item++) {
    const id = next(version === 2 ? 4 : 2)
    const isInIdat = version > 0 && (next(2) & 15) === 1
    at += 2
    const base = next(baseBytes)
    const extents = next(2)
    for (let extent = 0; extent < extents && at < end; extent++) {
      at += indexBytes
      const offset = next(offsetBytes)
      yield { id, isInIdat, at: base + offset, bytes: next(lengthBytes) }
    }
  }
}
