import type { Focus, MediaFacts, MediaFit } from '../../../schemas/media.ts'
import type { PostTypeRule } from '../contract/limits.ts'
import { checkFile } from './media-file.ts'

/** The wishes of a post for files that break limits. */
export interface Fit {
  mediaFit: Exclude<MediaFit, 'exact'>
  /** The colour of the bars that `pad` adds, as `#rrggbb`. */
  padColor: string
}

export interface Size {
  width: number
  height: number
}

/** A range of width divided by height. */
export interface Range {
  min: number
  max: number
}

/** The names of the rules that a file breaks. */
export function findBroken(file: MediaFacts, rule: PostTypeRule): string[] {
  const names: string[] = []
  checkFile(file, rule, (name) => names.push(name))
  return names
}

export const ANY_RATIO: Range = { min: 0, max: Infinity }

/** The part of an image that has the aspect ratio of `size`, as near to the focus as the edges allow. */
export function cropTo(image: Size, size: Size, { x, y }: Focus = CENTRE): Size & { left: number; top: number } {
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

type Maxima = Pick<
  NonNullable<PostTypeRule['image' | 'video']>,
  'widthMax' | 'heightMax' | 'shortSideMax' | 'widthPlusHeightMax' | 'pixelsMax'
>

/** The factor by which a size that breaks limits becomes smaller; 1 for any other. */
export const scaleOf = ({ width, height }: Size, limits: Maxima): number =>
  Math.min(
    1,
    (limits.widthMax ?? Infinity) / width,
    (limits.heightMax ?? Infinity) / height,
    (limits.shortSideMax ?? Infinity) / Math.min(width, height),
    (limits.widthPlusHeightMax ?? Infinity) / (width + height),
    Math.sqrt((limits.pixelsMax ?? Infinity) / (width * height)),
  )

/** A smaller size in whole pixels. Rounding moves no aspect ratio out of the range. */
export function scaleSize(size: Size, scale: number, { min, max }: Range): Size {
  const width = toPixels(size.width * scale)
  const height = toPixels(size.height * scale)
  if (width / height > max) return { width: toPixels(height * max), height }
  if (width / height < min) return { width, height: toPixels(width / min) }
  return { width, height }
}

/** A double rounds 1080 to a value on either side. */
const toPixels = (length: number) => Math.max(1, Math.floor(length + 1e-6))
