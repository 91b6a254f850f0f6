import type { Sharp } from 'sharp'
import { DECODED_PIXELS_MAX, HEIC_PIXELS_MAX } from '../platforms/rules/rendition.ts'
import { decodeHeic } from './heic.ts'
import { findHighRange, toStandardRange } from './standard-range.ts'

export interface Picture {
  /** Begins a pipeline of sharp. */
  open: (options?: { animated: boolean }) => Sharp
  /** The colour profile of the pixels, if they have lost it. */
  icc?: Buffer | undefined
}

/**
 * Opens a picture for sharp. HEIC is decoded, and a high dynamic range is mapped to the standard one, beforehand and
 * once. Throws if the picture cannot be decoded.
 */
export async function openPicture(source: string): Promise<Picture> {
  // Imported on first use, because it takes memory.
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  const open = ({ animated = false } = {}) =>
    sharp(source, { animated, limitInputPixels: DECODED_PIXELS_MAX, failOn: 'error' })
  const { compression, icc, width, height } = await open().metadata()
  // A profile says how its colours are mapped.
  const range = icc ? undefined : await findHighRange(source)
  const mapped = async (picture: Sharp) => {
    const jpeg = await toStandardRange(picture, range!)
    return { open: () => sharp(jpeg) }
  }
  if (compression !== 'hevc') return range ? mapped(open().autoOrient()) : { open }
  if (width * height > HEIC_PIXELS_MAX) throw new Error(`HEIC of ${width}x${height} pixels is too large`)
  const { bytes, ...size } = await decodeHeic(source)
  const openDecoded = () => sharp(bytes, { raw: { ...size, channels: 3 } })
  return range ? mapped(openDecoded()) : { open: openDecoded, icc }
}
