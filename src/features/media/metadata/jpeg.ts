import type { FileBytes } from '../structure/bytes.ts'
import { EOI, segmentsIn } from '../structure/jpeg.ts'
import type { EditList } from './edits.ts'
import { orientationOnly } from './exif.ts'

const APP0 = 0xe0
const APP1 = 0xe1
const APP2 = 0xe2
const APP14 = 0xee
const APP15 = 0xef
const COM = 0xfe

const EXIF = 'Exif\0\0'
const JFIF_BYTES = 14

/**
 * Keeps the picture, its colour profile and the orientation. Everything else that an application has added becomes a
 * segment of zeros, which decoders skip. So do the data after the picture: a gain map, a preview or a video, each with
 * metadata of its own.
 */
export function planJpeg(file: FileBytes, edits: EditList): void {
  let hasExif = false
  for (const { marker, at, start, end } of segmentsIn(file, 0)) {
    if (marker === EOI) edits.fill(end, file.size - end)
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
  }
}

const startsWith = (file: FileBytes, at: number, text: string) => file.read(at, text.length).toString('latin1') === text

/** The colour profile (ICC.1:2022, annex B.4), and Adobe's colour transform, which decoders need. */
const isKept = (file: FileBytes, marker: number, start: number) =>
  (marker === APP2 && startsWith(file, start, 'ICC_PROFILE\0')) ||
  (marker === APP14 && startsWith(file, start, 'Adobe'))

function blank(edits: EditList, at: number, end: number): void {
  edits.put(at + 1, Buffer.from([APP15]))
  edits.fill(at + 4, end - at - 4)
}
