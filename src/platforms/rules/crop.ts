import type { Focus } from '../../../schemas/media.ts'

/* How a picture is cut. The console shows it, so nothing here needs more than a browser has. */

export interface Size {
  width: number
  height: number
}

/** A range of width divided by height. */
export interface Range {
  min: number
  max: number
}

/** A part of a picture, in its pixels. */
export interface Cut extends Size {
  left: number
  top: number
}

/** A double rounds the ratio of 1000x3000 to a value on either side of 1/3. */
export const RATIO_TOLERANCE = 1e-9

export const isWithin = ({ width, height }: Size, { min, max }: Range): boolean =>
  width / height >= min - RATIO_TOLERANCE && width / height <= max + RATIO_TOLERANCE

/** The part of an image that has the aspect ratio of `size`, as near to the focus as the edges allow. */
export function cropTo(image: Size, size: Size, { x, y }: Focus = CENTRE): Cut {
  const scale = Math.min(image.width / size.width, image.height / size.height)
  const width = toPixels(size.width * scale)
  const height = toPixels(size.height * scale)
  const start = (length: number, part: number, place: number) =>
    Math.round(Math.min(length - part, Math.max(0, place * length - part / 2)))
  const left = start(image.width, width, (1 + x) / 2)
  const top = start(image.height, height, (1 - y) / 2)
  return { left, top, width, height }
}

const CENTRE: Focus = { x: 0, y: 0 }

/** The size with the nearest aspect ratio in the range, which `pad` extends and `crop` cuts. */
export function reshape({ width, height }: Size, { min, max }: Range, aspect: 'pad' | 'crop'): Size {
  const ratio = width / height > max ? max : min
  const changesWidth = (ratio === max) === (aspect === 'crop')
  const round = aspect === 'crop' ? Math.floor : Math.ceil
  return changesWidth ? { width: round(height * ratio), height } : { width, height: round(width / ratio) }
}

/** The part that `crop` keeps for aspect ratios in a range; undefined if that is the whole. */
export const cutTo = (image: Size, range: Range, focus?: Focus): Cut | undefined =>
  isWithin(image, range) ? undefined : cropTo(image, reshape(image, range, 'crop'), focus)

/** A double rounds 1080 to a value on either side. */
export const toPixels = (length: number) => Math.max(1, Math.floor(length + 1e-6))
