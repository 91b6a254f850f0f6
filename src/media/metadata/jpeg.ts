import type { EditList } from './edits.ts'
import { orientationOnly } from './exif.ts'
import type { FileWindow } from './file-window.ts'

/** ITU-T T.81, table B.1 */
const EOI = 0xd9
const SOS = 0xda
const APP0 = 0xe0
const APP1 = 0xe1
const APP2 = 0xe2
const APP14 = 0xee
const APP15 = 0xef
const COM = 0xfe
const isStandalone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

const EXIF = 'Exif\0\0'
const JFIF_BYTES = 14
const WINDOW = 64 * 1024

/**
 * Keeps the picture, its colour profile and the orientation. Everything else that an application has added becomes a
 * segment of zeros, which decoders skip. So do the data after the picture: a gain map, a preview or a video, each with
 * metadata of its own.
 */
export function planJpeg(file: FileWindow, edits: EditList): void {
  let hasExif = false
  for (let at = 2; at + 2 <= file.size; ) {
    const marker = file.read(at, 2)[1]!
    // Any number of 0xff bytes may precede a marker's code.
    if (marker === 0xff) {
      at++
      continue
    }
    if (marker === EOI) {
      edits.fill(at + 2, file.size - at - 2)
      return
    }
    if (isStandalone(marker)) {
      at += 2
      continue
    }
    const start = at + 4
    const end = at + 2 + file.read(at + 2, 2).readUInt16BE()
    const exif =
      marker === APP1 && !hasExif && startsWith(file, start, EXIF)
        ? orientationOnly(file, start + EXIF.length, end)
        : undefined
    if (exif) {
      edits.replace(start + EXIF.length, end, exif)
      hasExif = true
    } else if (marker === APP0 && startsWith(file, start, 'JFIF\0')) {
      // The last two bytes are the size of a thumbnail, which follows them.
      edits.fill(start + JFIF_BYTES - 2, end - start - JFIF_BYTES + 2)
    } else if ((marker >= APP0 && marker <= APP15 && !isKept(file, marker, start)) || marker === COM) {
      blank(edits, at, end)
    }
    at = marker === SOS ? endOfScan(file, end) : end
  }
}

const startsWith = (file: FileWindow, at: number, text: string) =>
  file.read(at, text.length).toString('latin1') === text

/** The colour profile (ICC.1:2022, annex B.4), and Adobe's colour transform, which decoders need. */
const isKept = (file: FileWindow, marker: number, start: number) =>
  (marker === APP2 && startsWith(file, start, 'ICC_PROFILE\0')) ||
  (marker === APP14 && startsWith(file, start, 'Adobe'))

function blank(edits: EditList, at: number, end: number): void {
  edits.put(at + 1, Buffer.from([APP15]))
  edits.fill(at + 4, end - at - 4)
}

/** The position of the next marker outside of the compressed data. */
function endOfScan(file: FileWindow, from: number): number {
  for (let at = from; at + 2 <= file.size; ) {
    const bytes = file.read(at, WINDOW)
    let index = bytes.indexOf(0xff)
    while (index >= 0 && index + 1 < bytes.length) {
      const code = bytes[index + 1]!
      if (code === 0xff) index++
      else if (code !== 0 && !(code >= 0xd0 && code <= 0xd7)) return at + index
      else index = bytes.indexOf(0xff, index + 2)
    }
    at += index < 0 ? bytes.length : Math.max(index, 1)
  }
  return file.size
}
