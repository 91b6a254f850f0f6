import { stat } from 'node:fs/promises'
import sharp from 'sharp'
import type { MediaType } from '../../../schemas/media.ts'
import { fail } from '../../base/errors.ts'
import type { MediaFile } from './inspected.ts'
import { damaged } from './structure/bytes.ts'

/** sharp's default limit: 0x3fff squared. */
const PIXELS_MAX = 268_402_689

sharp.cache(false)
sharp.concurrency(1)

/** The facts of an image whose structure was checked. */
export async function readImage(path: string, mimeType: MediaType): Promise<MediaFile> {
  const { format, mediaType, compression, autoOrient, pages, delay } = await readHeader(path)
  // For HEIF, sharp takes the type from the first brand. checkStructure has read all brands.
  const isAgreed = mimeType === 'image/avif' ? format === 'heif' : mediaType === mimeType
  if (!isAgreed) throw damaged('its header and its content are of different types')
  // HEIC with another codec is rare, and not decoded.
  if (mimeType === 'image/heic' && compression !== 'hevc') throw fail('file_type_unsupported.heic')
  const { width, height } = autoOrient
  if (width * height > PIXELS_MAX) {
    throw fail('file_too_complex', `is ${width}x${height} pixels large, at most ${PIXELS_MAX} pixels are allowed`)
  }

  const isAnimation = mimeType === 'image/gif' || mimeType === 'image/webp'
  const frames = isAnimation ? (pages ?? 1) : 1
  const durationSeconds = frames > 1 ? (delay ?? []).reduce((sum, ms) => sum + ms, 0) / 1000 : null
  return {
    kind: frames > 1 ? 'gif' : 'image',
    mimeType,
    width,
    height,
    durationSeconds,
    fps: durationSeconds ? frames / durationSeconds : null,
    frames,
    tracks: null,
    pages: null,
  }
}

async function readHeader(path: string) {
  try {
    // sharp checks its own limit after the header as well, but its error does not contain the image's size.
    return await sharp(path, { limitInputPixels: false }).metadata()
  } catch {
    // Throws if the file cannot be read at all.
    await stat(path)
    throw damaged('its header cannot be read')
  }
}
