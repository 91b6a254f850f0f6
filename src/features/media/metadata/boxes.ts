import { type Box, VERSION_BYTES } from '../structure/boxes.ts'
import type { EditList } from './edits.ts'

const FREE = Buffer.from('free')

/** Makes a box one of zeros that readers skip. */
export function blank(edits: EditList, { at, start, end }: Box): void {
  edits.put(at + 4, FREE)
  edits.fill(start, end - start)
}

/** Removes the name in an `hdlr` box: of the program or the device that wrote the file. */
export function blankHandlerName(edits: EditList, { start, end }: Box): void {
  edits.fill(start + VERSION_BYTES + 20, end - start - VERSION_BYTES - 20)
}
