import type { MediaType } from '../../../../schemas/media.ts'
import type { FileBytes } from '../structure/bytes.ts'
import { planAvif } from './avif.ts'
import { EditList, type Plan } from './edits.ts'
import { planGif } from './gif.ts'
import { planJpeg } from './jpeg.ts'
import { planMovie } from './movie.ts'
import { planPng } from './png.ts'
import { planWebm } from './webm.ts'
import { planWebp } from './webp.ts'

const PLANS: Record<MediaType, (file: FileBytes, edits: EditList) => void> = {
  'image/jpeg': planJpeg,
  'image/png': planPng,
  'image/gif': planGif,
  'image/webp': planWebp,
  'image/avif': planAvif,
  'image/heic': planAvif,
  'video/mp4': planMovie,
  'video/quicktime': planMovie,
  'video/webm': planWebm,
  // The title and the author of a document are for its readers. Its objects may be compressed or signed.
  'application/pdf': () => {},
}

/**
 * The edits that remove metadata from a file of a type: position, serial numbers, names, dates, descriptions, previews.
 * The pictures and the sound, their colour profile and their orientation stay, and so does the length of the file. Its
 * structure was checked before. Throws a 400 if it cannot be followed, or takes too much.
 */
export function planEdits(file: FileBytes, type: MediaType): Plan {
  const edits = new EditList()
  PLANS[type](file, edits)
  return edits.plan()
}
