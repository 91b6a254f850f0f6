import type { Focus, MediaFacts, MediaFit } from '../../../schemas/media.ts'
import type { PostTypeRule } from '../contract/limits.ts'
import { checkFile, RATIO_TOLERANCE } from './media-file.ts'

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

/** A rendition to make from an image. */
export interface RenditionTarget extends Size {
  /** Names everything that decides the result, so that a file has one rendition for all networks that take the same. */
  name: string
  mimeType: 'image/jpeg' | 'image/webp'
  /** The type if the image is transparent. Otherwise it gets the `background`. */
  transparentType: 'image/jpeg' | 'image/webp'
  background: string
  bytesMax: number
  /** The range of width divided by height, which a smaller size must keep as well. */
  ratio: { min: number; max: number }
  /** How another aspect ratio is made. Absent: the image keeps its own. */
  aspect?: 'pad' | 'crop' | undefined
  /** The point that `crop` keeps. Absent: the centre. */
  focus?: Focus | undefined
}

/** A rendition that a post needs. */
export interface WantedRendition {
  mediaId: string
  target: RenditionTarget
}

/** The rendition of a file that breaks limits, or why it has none. `why`: the names of the broken rules. */
export type RenditionPlan =
  | { target: RenditionTarget; why: string[]; problem?: never }
  | { target?: never; why?: never; problem: string }

/** Decoding takes up to four bytes for each pixel: 200 MB. Phones take pictures of up to 50 million. */
export const DECODED_PIXELS_MAX = 51_000_000
/** Decoding HEIC takes three times as much for each pixel. Phones store pictures of 24 million. */
export const HEIC_PIXELS_MAX = 26_000_000

/**
 * Plans the rendition of a file for one network. Undefined if the file breaks no limit. The size is known beforehand,
 * but if the file has too many bytes, it may become smaller.
 */
export function planRendition(file: MediaFacts, rule: PostTypeRule, fit: Fit): RenditionPlan | undefined {
  const broken = findBroken(file, rule)
  if (broken.length === 0) return undefined
  const { mimeType, width, height, frames } = file
  if (!mimeType.startsWith('image/')) return { problem: 'it changes images alone' }
  if (!width || !height) return { problem: 'the size of the image is not known' }
  const isAnimated = (frames ?? 1) > 1 || (mimeType === 'image/gif' && frames === null)
  if (isAnimated) return { problem: 'animations are sent as they are' }
  const pixelsMax = mimeType === 'image/heic' ? HEIC_PIXELS_MAX : DECODED_PIXELS_MAX
  if (width * height > pixelsMax) return { problem: `images of more than ${pixelsMax} pixels are not decoded` }
  const target = planStill({ width, height, focus: file.focus ?? null }, rule, fit)
  if (!target) return { problem: 'the network takes no JPEG here' }
  const left = findBroken({ ...file, ...factsOf(target), bytes: null }, rule)
  if (left.includes('aspect_ratio')) return { problem: 'the aspect ratio changes with pad or crop only' }
  if (left.length > 0) return { problem: `the image would be ${target.width}x${target.height} pixels large` }
  const converted = findBroken({ ...file, mimeType: target.mimeType, frames: 1, bytes: null }, rule)
  return { target, why: [...new Set([...broken, ...converted])].map((name) => `media_${name}`) }
}

/** The facts of a rendition that its target decides. */
export const factsOf = ({ mimeType, width, height }: RenditionTarget) => ({ mimeType, width, height, frames: 1 })

function findBroken(file: MediaFacts, rule: PostTypeRule): string[] {
  const names: string[] = []
  checkFile(file, rule, (name) => names.push(name))
  return names
}

/** A still image becomes a JPEG, which every network takes. */
function planStill(
  file: Size & Pick<MediaFacts, 'focus'>,
  rule: PostTypeRule,
  { mediaFit, padColor }: Fit,
): RenditionTarget | undefined {
  const { image } = rule
  const mimeType = 'image/jpeg'
  if (!image?.mimeTypes.includes(mimeType)) return undefined
  const transparentType = image.mimeTypes.includes('image/webp') ? 'image/webp' : mimeType
  const { aspectRatioMin: min = 0, aspectRatioMax: max = Infinity, bytesMax = Infinity } = image
  const ratio = { min, max }
  const fileRatio = file.width / file.height
  const isWithin = fileRatio >= min - RATIO_TOLERANCE && fileRatio <= max + RATIO_TOLERANCE
  const aspect = isWithin || mediaFit === 'auto' ? undefined : mediaFit
  const shaped = aspect ? reshape(file, ratio, aspect) : file
  const size = scaleSize(shaped, scaleOf(shaped, image), aspect || isWithin ? ratio : ANY_RATIO)
  const background = aspect === 'pad' ? padColor : '#ffffff'
  const focus = aspect === 'crop' && file.focus ? file.focus : undefined
  const part = aspect ? `${aspect}${focus ? ` at ${focus.x},${focus.y}` : ''}` : 'whole'
  const parts = [mimeType, transparentType, `${size.width}x${size.height}`, bytesMax, part, background]
  const name = `image ${parts.join(' ')}`
  return { name, mimeType, transparentType, background, bytesMax, ratio, aspect, focus, ...size }
}

const ANY_RATIO = { min: 0, max: Infinity }

/** The part of an image that has the aspect ratio of `size`, as near to the focus as the edges allow. */
export function cropTo(image: Size, size: Size, { x, y }: Focus = CENTRE): Size & { left: number; top: number } {
  const scale = Math.min(image.width / size.width, image.height / size.height)
  const [width, height] = [toPixels(size.width * scale), toPixels(size.height * scale)]
  const start = (length: number, part: number, place: number) =>
    Math.round(Math.min(length - part, Math.max(0, place * length - part / 2)))
  const [left, top] = [start(image.width, width, (1 + x) / 2), start(image.height, height, (1 - y) / 2)]
  return { left, top, width, height }
}

const CENTRE: Focus = { x: 0, y: 0 }

/** The size with the nearest aspect ratio in the range, which `pad` extends and `crop` cuts. */
function reshape({ width, height }: Size, { min, max }: RenditionTarget['ratio'], aspect: 'pad' | 'crop'): Size {
  const ratio = width / height > max ? max : min
  const changesWidth = (ratio === max) === (aspect === 'crop')
  const round = aspect === 'crop' ? Math.floor : Math.ceil
  return changesWidth ? { width: round(height * ratio), height } : { width, height: round(width / ratio) }
}

type Maxima = Pick<
  NonNullable<PostTypeRule['image']>,
  'widthMax' | 'heightMax' | 'shortSideMax' | 'widthPlusHeightMax' | 'pixelsMax'
>

/** The factor by which a size that breaks limits becomes smaller; 1 for any other. */
const scaleOf = ({ width, height }: Size, limits: Maxima): number =>
  Math.min(
    1,
    (limits.widthMax ?? Infinity) / width,
    (limits.heightMax ?? Infinity) / height,
    (limits.shortSideMax ?? Infinity) / Math.min(width, height),
    (limits.widthPlusHeightMax ?? Infinity) / (width + height),
    Math.sqrt((limits.pixelsMax ?? Infinity) / (width * height)),
  )

/** A smaller size in whole pixels. Rounding moves no aspect ratio out of the range. */
export function scaleSize(size: Size, scale: number, { min, max }: RenditionTarget['ratio']): Size {
  const [width, height] = [toPixels(size.width * scale), toPixels(size.height * scale)]
  if (width / height > max) return { width: toPixels(height * max), height }
  if (width / height < min) return { width, height: toPixels(width / min) }
  return { width, height }
}

/** A double rounds 1080 to a value on either side. */
const toPixels = (length: number) => Math.max(1, Math.floor(length + 1e-6))
