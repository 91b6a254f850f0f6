import type { MediaFacts, MediaFit } from '../../../schemas/media.ts'
import type { PostTypeRule } from '../contract/limits.ts'
import { type Range, type Size, toPixels } from './crop.ts'
import { checkFile } from './media-file.ts'

/** The wishes of a post for files that break limits. */
export interface Fit {
  mediaFit: Exclude<MediaFit, 'exact'>
  /** The colour of the bars that `pad` adds, as `#rrggbb`. */
  padColor: string
}

/** The names of the rules that a file breaks. */
export function findBroken(file: MediaFacts, rule: PostTypeRule): string[] {
  const names: string[] = []
  checkFile(file, rule, (name) => names.push(name))
  return names
}

export const ANY_RATIO: Range = { min: 0, max: Infinity }

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
