import type { FileBytes } from './bytes.ts'

/** A box of ISO/IEC 14496-12; QuickTime calls them atoms. Its content is between `start` and `end`. */
export interface Box {
  type: string
  at: number
  start: number
  end: number
}

/** The box at a position, as its header describes it: `end` may be after `to`, or before `start`. */
export function readBox(file: FileBytes, at: number, to: number): Box {
  const header = file.read(at, 16)
  const short = header.readUInt32BE()
  const start = at + (short === 1 ? 16 : 8)
  const end = short === 1 && to >= start ? at + Number(header.readBigUInt64BE(8)) : short === 0 ? to : at + short
  return { type: header.toString('latin1', 4, 8), at, start, end }
}

/** The boxes between `at` and `to`, as far as they are valid. The last one ends at `to`. */
export function* boxesIn(file: FileBytes, at: number, to: number): Generator<Box> {
  while (to - at >= 8) {
    const box = readBox(file, at, to)
    if (box.end < box.start) return
    yield { ...box, end: Math.min(box.end, to) }
    at = box.end
  }
}

/** The first box along a path of types. */
export function findBox(file: FileBytes, parent: Box, [type, ...rest]: string[]): Box | undefined {
  for (const box of boxesIn(file, parent.start, parent.end)) {
    if (box.type === type) return rest.length > 0 ? findBox(file, box, rest) : box
  }
  return undefined
}

/** The version and three bytes of flags, which many boxes begin with. */
export const VERSION_BYTES = 4

/** A big-endian number of 0 to 8 bytes. */
export function uint(file: FileBytes, at: number, bytes: number): number {
  if (bytes === 0) return 0
  const read = file.read(at, bytes)
  return bytes === 8 ? Number(read.readBigUInt64BE()) : read.readUIntBE(0, bytes)
}
