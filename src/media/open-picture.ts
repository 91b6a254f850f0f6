import type { Sharp } from 'sharp'
import { DECODED_PIXELS_MAX, HEIC_PIXELS_MAX } from '../platforms/rules/rendition.ts'
import { decodeHeic } from './heic.ts'

export interface Picture {
  /** Begins a pipeline of sharp. */
  open: (options?: { animated: boolean }) => Sharp
  /** The colour profile of the pixels, if they have lost it. */
  icc?: Buffer | undefined
}

/** Opens a picture for sharp. HEIC is decoded beforehand, once. Throws if the picture cannot be decoded. */
export async function openPicture(source: string): Promise<Picture> {
  // Imported on first use, because it takes memory.
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  const open = ({ animated = false } = {}) =>
    sharp(source, { animated, limitInputPixels: DECODED_PIXELS_MAX, failOn: 'error' })
  const { compression, icc, width, height } = await open().metadata()
  if (compression !== 'hevc') return { open }
  if (width * height > HEIC_PIXELS_MAX) throw new Error(`HEIC of ${width}x${height} pixels is too large`)
  const { bytes, ...size } = await decodeHeic(source)
  return { open: () => sharp(bytes, { raw: { ...size, channels: 3 } }), icc }
}

const MARKER_BYTES = 2
/**
 * A segment has at most 65,535 bytes with its length and its name:
 * https://www.color.org/technotes/ICC-Technote-ProfileEmbedding.pdf
 */
const PROFILE_PART_BYTES = 65_519

/** A JPEG with a colour profile, which says what its pixels mean and changes none. */
export function withProfile(jpeg: Buffer, icc: Buffer): Buffer {
  const count = Math.ceil(icc.length / PROFILE_PART_BYTES)
  const segments = Array.from({ length: count }, (_, index) => {
    const part = icc.subarray(index * PROFILE_PART_BYTES, (index + 1) * PROFILE_PART_BYTES)
    const head = Buffer.from(`\xff\xe2\0\0ICC_PROFILE\0${String.fromCharCode(index + 1, count)}`, 'latin1')
    head.writeUInt16BE(head.length - MARKER_BYTES + part.length, MARKER_BYTES)
    return Buffer.concat([head, part])
  })
  return Buffer.concat([jpeg.subarray(0, MARKER_BYTES), ...segments, jpeg.subarray(MARKER_BYTES)])
}
