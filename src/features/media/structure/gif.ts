import { damaged, type FileBytes, trailing } from './bytes.ts'
import { refuseTooManyFrames } from './frames.ts'

const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b
/** A frame has one extension, or a few. */
const EXTENSIONS_MAX = 50_000

/**
 * Reads the blocks to the trailer: https://www.w3.org/Graphics/GIF/spec-gif89a.txt. sharp accepts GIFs that are cut
 * off, and `gif: empty extensions`.
 */
export function walkGif(file: FileBytes): void {
  const header = file.next(13, 'in its header')
  file.position += colourTableBytes(header[10]!)
  for (let frames = 0, extensions = 0; ; ) {
    const [block] = file.next(1, 'before its trailer')
    if (block === TRAILER) break
    if (block === EXTENSION) {
      if (++extensions > EXTENSIONS_MAX) throw damaged('it has too many extensions')
      file.next(1, 'in an extension')
    } else if (block === IMAGE) {
      frames++
      refuseTooManyFrames(frames)
      const image = file.next(9, 'in a picture')
      // The byte after the colour table is the initial code size.
      file.position += colourTableBytes(image[8]!) + 1
    } else {
      throw damaged('there is unexpected data between its blocks')
    }
    endOfSubBlocks(file, file.position)
  }
  if (file.position < file.size) throw trailing(file.size - file.position)
}

/** From the flag that says whether there is a table, and the three bits of its size. */
export const colourTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** The position after the block of length 0. */
export function endOfSubBlocks(file: FileBytes, from: number): number {
  file.position = from
  for (;;) {
    const length = file.byte('in a picture or extension')
    if (length === 0) return file.position
    file.position += length
  }
}
