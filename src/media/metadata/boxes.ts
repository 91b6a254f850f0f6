import type { EditList } from './edits.ts'
import type { FileWindow } from './file-window.ts'

/** A box of ISO/IEC 14496-12; QuickTime calls them atoms. Its content is between `start` and `end`. */
export interface Box {
  type: string
  at: number
  start: number
  end: number
}

/** The boxes between `at` and `to`, as far as they are valid. */
export function* boxesIn(file: FileWindow, at: number, to: number): Generator<Box> {
  while (to - at >= 8) {
    const header = file.read(at, 16)
    const type = header.toString('latin1', 4, 8)
    const short = header.readUInt32BE()
    const size = short === 1 ? Number(header.readBigUInt64BE(8)) : short === 0 ? to - at : short
    const start = at + (short === 1 ? 16 : 8)
    if (at + size < start) return
    const end = Math.min(at + size, to)
    yield { type, at, start, end }
    at = end
  }
}

/** The first box along a path of types. */
export function findBox(file: FileWindow, parent: Box, [type, ...rest]: string[]): Box | undefined {
  for (const box of boxesIn(file, parent.start, parent.end)) {
    if (box.type === type) return rest.length > 0 ? findBox(file, box, rest) : box
  }
  return undefined
}

const FREE = Buffer.from('free')

/** Makes a box one of zeros that readers skip. */
export function blank(edits: EditList, { at, start, end }: Box): void {
  edits.put(at + 4, FREE)
  edits.fill(start, end - start)
}

/** The version and three bytes of flags, which many boxes begin with. */
export const VERSION_BYTES = 4

/** Removes the name in an `hdlr` box: of the program or the device that wrote the file. */
export function blankHandlerName(edits: EditList, { start, end }: Box): void {
  edits.fill(start + VERSION_BYTES + 20, end - start - VERSION_BYTES - 20)
}

/** A big-endian number of 0 to 8 bytes. */
export function uint(file: FileWindow, at: number, bytes: number): number {
  if (bytes === 0) return 0
  const read = file.read(at, bytes)
  return bytes === 8 ? Number(read.readBigUInt64BE()) : read.readUIntBE(0, bytes)
}
