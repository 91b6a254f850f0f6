import type { FileBytes } from '../structure/bytes.ts'
import { colourTableBytes, endOfSubBlocks } from '../structure/gif.ts'
import type { EditList } from './edits.ts'

/** https://www.w3.org/Graphics/GIF/spec-gif89a.txt */
const EXTENSION = 0x21
const IMAGE = 0x2c
const GRAPHIC_CONTROL = 0xf9
const COMMENT = 0xfe
const APPLICATION = 0xff
/** Repetition, and the colour profile. */
const KEPT = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']

/** Keeps pictures, repetition and colour profile. Comments, text and the data of other applications become neutral. */
export function planGif(file: FileBytes, edits: EditList): void {
  let at = 13 + colourTableBytes(file.read(10, 1)[0]!)
  for (;;) {
    const [block, label] = file.read(at, 2)
    if (block === IMAGE) {
      at = endOfSubBlocks(file, at + 10 + colourTableBytes(file.read(at + 9, 1)[0]!) + 1)
    } else if (block === EXTENSION) {
      const start = at + 2
      const end = endOfSubBlocks(file, start)
      const isKept =
        label === GRAPHIC_CONTROL ||
        (label === APPLICATION && KEPT.includes(file.read(start + 1, 11).toString('latin1')))
      if (!isKept) neutralize(edits, start, end)
      at = end
    } else {
      return
    }
  }
}

/** A comment of sub-blocks of length 1 that contain the number 1. If need be, the first one has length 2. */
function neutralize(edits: EditList, start: number, end: number): void {
  const count = end - 1 - start
  if (count === 0) return
  const isOdd = count % 2 === 1
  edits.put(start - 1, Buffer.from(isOdd ? [COMMENT, 2] : [COMMENT]))
  edits.fill(isOdd ? start + 1 : start, isOdd ? count - 1 : count, 1)
}
