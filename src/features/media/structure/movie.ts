import { readBox } from './boxes.ts'
import { cutOff, damaged, type FileBytes, trailing } from './bytes.ts'
import { checkTables } from './tables.ts'

/** Far above real files: ten hours in fragments of one second have 72,000 boxes. */
const BOXES_MAX = 1_000_000

/** Boxes that parsers read as a whole. Twelve hours at 30 frames per second need 24 MB in an unfragmented file. */
const TABLES = ['moov', 'moof', 'mfra', 'meta', 'sidx']
const TABLE_BYTES_MAX = 26 * 1024 * 1024

/** Boxes that may follow the required ones. Other bytes there that parse as a box header are appended data. */
const AT_THE_END = ['mdat', 'moof', 'mfra', 'free', 'skip', 'uuid', 'meta', 'udta']

/**
 * Reads the top-level boxes to the end of the file (ISO/IEC 14496-12, 4.2). Throws if one of `required` is missing, as
 * in a file that was cut off between two boxes. sharp accepts AVIFs that are cut off, mediabunny fragmented MP4s, and
 * `mp4: stts` takes too much memory.
 */
export function walkBoxes(file: FileBytes, required: readonly string[]): void {
  const seen = new Set<string>()
  const missing = () => required.find((type) => !seen.has(type))
  for (let count = 1, at = file.position; at < file.size; count++) {
    if (count > BOXES_MAX) throw damaged('it has too many boxes')
    const bytesLeft = file.size - at
    const isComplete = !missing()
    if (bytesLeft < 8) throw isComplete ? trailing(bytesLeft) : cutOff('in a box')
    const box = readBox(file, at, file.size)
    const { type, start, end } = box
    // Apple's types may begin with ©.
    if (!/^[\x20-\x7e\xa9][\x20-\x7e]{3}$/.test(type)) {
      throw isComplete ? trailing(bytesLeft) : damaged('there is unexpected data between its boxes')
    }
    if (end < start && start <= file.size) throw damaged('a box is shorter than its header')
    if (Math.max(start, end) > file.size) {
      throw isComplete && !AT_THE_END.includes(type) ? trailing(bytesLeft) : cutOff(`in its ${type} box`)
    }
    if (TABLES.includes(type) && end - at > TABLE_BYTES_MAX) throw damaged(`its ${type} box is too large`)
    // A second `ftyp` begins another file.
    if (type === 'ftyp' && (seen.has('ftyp') || seen.has('moov'))) throw trailing(bytesLeft)
    if (type === 'moov' && seen.has('moov')) throw damaged('it has two moov boxes')
    seen.add(type)
    if (type === 'moov' || type === 'moof') checkTables(file, box)
    at = end
  }
  file.position = file.size
  const type = missing()
  if (type) throw cutOff(`before its ${type} box`)
}
