import type { Sharp } from 'sharp'
import { DECODED_PIXELS_MAX, findPixelsMax } from '../../platforms/rules/rendition.ts'
import { decodeHeic, TIMEOUT } from './heic.ts'
import type { NotDrawn } from './make-rendition.ts'
import { findHighRange, toStandardRange } from './standard-range.ts'

export interface Picture {
  /** Begins a pipeline of sharp. */
  open: (options?: { animated: boolean }) => Sharp
  /** The colour profile of the pixels, if they have lost it. */
  icc?: Buffer | undefined
}

/** Why decoding a picture has failed. sharp tells only in the message that its time was over, after `timeout: `. */
export const problemOf = ({ message }: Error): NotDrawn => ({
  problem: message.startsWith(TIMEOUT) ? 'decoding the image takes too long' : null,
})

/**
 * Opens a picture for sharp. HEIC and AVIF are decoded, and a high dynamic range is mapped to the standard one,
 * beforehand and once. Throws if the picture cannot be decoded.
 */
export async function openPicture(source: string): Promise<Picture> {
  // Imported on first use, because it takes memory.
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  const open = ({ animated = false } = {}) =>
    sharp(source, { animated, limitInputPixels: DECODED_PIXELS_MAX, failOn: 'error' })
  const { compression, icc, width, height } = await open().metadata()
  const requirePixels = (mimeType: 'image/avif' | 'image/heic') => {
    if (width * height > findPixelsMax(mimeType)) throw new Error(`${width}x${height} pixels are too many`)
  }
  // A profile says how its colours are mapped.
  const range = icc ? undefined : await findHighRange(source)
  const mapped = async (picture: Sharp) => {
    const jpeg = await toStandardRange(picture, range!)
    return { open: () => sharp(jpeg) }
  }
  if (compression === 'av1') requirePixels('image/avif')
  if (range && compression !== 'hevc') return mapped(open().autoOrient())
  if (compression === 'av1') {
    // Threads that decode it one after the other keep some of its memory each.
    const { data, info } = await open().autoOrient().raw().toBuffer({ resolveWithObject: true })
    return { open: () => sharp(data, { raw: info }) }
  }
  if (compression !== 'hevc') return { open }
  requirePixels('image/heic')
  const { bytes, ...size } = await decodeHeic(source)
  const openDecoded = () => sharp(bytes, { raw: { ...size, channels: 3 } })
  return range ? mapped(openDecoded()) : { open: openDecoded, icc }
}
