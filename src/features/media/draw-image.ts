import { writeFile } from 'node:fs/promises'
import { throwFileError } from '../../base/storage/storage.ts'
import { cropTo, type Size } from '../../platforms/rules/crop.ts'
import type { DrawnType, RenditionTarget } from '../../platforms/rules/rendition.ts'
import { scaleSize } from '../../platforms/rules/reshape.ts'
import type { Drawn, NotDrawn } from './make-rendition.ts'
import { openPicture, type Picture, problemOf } from './open-picture.ts'
import { withProfile } from './with-profile.ts'

/** From the best to the worst that is published. Below it, artefacts show. */
const QUALITIES = [90, 85, 80, 75, 70] as const
/** An image with too many bytes in the worst quality becomes smaller, but not than this. */
const LONG_SIDE_MIN = { still: 640, animated: 240 }
/** Bytes shrink a little less than pixels. */
const MARGIN = 0.95
const DECODING_MAX_SECONDS = 30

/** Optimal codes make a JPEG a few percent smaller, and take up to 6 bytes of memory for each pixel: 100 MB. */
const OPTIMISED_PIXELS_MAX = 16_000_000

/** It has no quality. Frames that are equal stay, as the number of frames does. */
const GIF = { effort: 4, keepDuplicateFrames: true }

const FORMATS = { 'image/jpeg': 'jpeg', 'image/webp': 'webp', 'image/gif': 'gif' } as const

/**
 * Writes the image at `source` to `path` as its target wants it: upright, without metadata, and in the best
 * quality that fits.
 */
export async function drawImage(source: string, path: string, target: RenditionTarget): Promise<Drawn | NotDrawn> {
  // Nothing but decoding fails here: no file is written.
  const drawn = await openPicture(source)
    .then((picture) => draw(picture, target))
    .catch(problemOf)
  if ('problem' in drawn) return drawn
  const { image, size, mimeType } = drawn
  await writeFile(path, image, { flag: 'wx', mode: 0o600 }).catch(throwFileError)
  return { mimeType, ...size, fallsShort: image.length > target.bytesMax }
}

async function draw({ open, icc }: Picture, target: RenditionTarget) {
  const { hasAlpha, pages = 1, autoOrient: upright } = await open().metadata()

  async function chooseType() {
    if (pages !== target.frames) return undefined
    const keepsAlpha = hasAlpha && target.transparentType !== target.mimeType && !(await open().stats()).isOpaque
    return keepsAlpha ? target.transparentType : target.mimeType
  }

  async function encode(mimeType: DrawnType, size: Size, quality: number): Promise<Buffer> {
    const { background, aspect, focus } = target
    const image = open({ animated: pages > 1 }).autoOrient()
    if (aspect === 'crop') image.extract(cropTo(upright, size, focus))
    image.resize({ ...size, fit: aspect === 'pad' ? 'contain' : 'fill', background })
    if (mimeType === 'image/jpeg') image.flatten({ background })
    image
      .toFormat(
        FORMATS[mimeType],
        mimeType === 'image/gif' ? GIF : { quality, optimiseCoding: size.width * size.height <= OPTIMISED_PIXELS_MAX },
      )
      .timeout({ seconds: DECODING_MAX_SECONDS })
    return icc && mimeType === 'image/jpeg' ? withProfile(await image.toBuffer(), icc) : image.toBuffer()
  }

  const mimeType = await chooseType()
  if (!mimeType) return { problem: null }
  const qualities = mimeType === 'image/gif' ? [100] : QUALITIES
  const drawn = await fitBytes(target, qualities, (size, quality) => encode(mimeType, size, quality))
  return { mimeType, ...drawn }
}

/** The image in the best quality that has at most `bytesMax` bytes, smaller if none has; else the smallest one. */
async function fitBytes(
  target: RenditionTarget,
  qualities: readonly number[],
  encode: (size: Size, quality: number) => Promise<Buffer>,
) {
  const { bytesMax, ratio, width, height } = target
  let size: Size = { width, height }
  let image = await encode(size, qualities[0]!)
  if (image.length <= bytesMax) return { image, size }
  if (qualities.length > 1) image = await encode(size, qualities.at(-1)!)
  if (image.length <= bytesMax) {
    // The first quality is too good, the last one fits.
    let tooGood = 0
    let fitting = qualities.length - 1
    while (fitting - tooGood > 1) {
      const middle = (tooGood + fitting) >> 1
      const better = await encode(size, qualities[middle]!)
      if (better.length > bytesMax) tooGood = middle
      else [fitting, image] = [middle, better]
    }
    return { image, size }
  }
  const longSideMin = LONG_SIDE_MIN[target.frames > 1 ? 'animated' : 'still']
  const scaleMin = Math.min(1, longSideMin / Math.max(width, height))
  let scale = 1
  while (image.length > bytesMax && scale > scaleMin) {
    scale = Math.max(scaleMin, scale * MARGIN * Math.sqrt(bytesMax / image.length))
    size = scaleSize(target, scale, ratio)
    image = await encode(size, qualities.at(-1)!)
  }
  return { image, size }
}
