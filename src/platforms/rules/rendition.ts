import type { Focus, MediaFacts } from '../../../schemas/media.ts'
import type { VideoTarget } from '../../../schemas/video-target.ts'
import type { PostTypeRule } from '../contract/limits.ts'
import { isWithin, type Range, reshape, type Size } from './crop.ts'
import { findFileKind } from './media-file.ts'
import { ANY_RATIO, type Fit, findBroken, scaleOf, scaleSize } from './reshape.ts'
import { planVideo } from './video-rendition.ts'

/** A type that renditions of images have. GIF is for animations alone. */
export type DrawnType = 'image/jpeg' | 'image/webp' | 'image/gif'

/** A rendition to make from an image. */
export interface RenditionTarget extends Size {
  /** Names everything that decides the result, so that a file has one rendition for all networks that take the same. */
  name: string
  mimeType: DrawnType
  /** The type if the image is transparent. Otherwise it gets the `background`. */
  transparentType: DrawnType
  /** The number of frames, which all stay. */
  frames: number
  background: string
  bytesMax: number
  /** The range of width divided by height, which a smaller size must keep as well. */
  ratio: Range
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
  | { target: RenditionTarget; why: string[] }
  | { video: VideoTarget; why: string[] }
  | { problem: string }

/** Each pixel takes up to six bytes while it is converted. Phones take pictures of up to 50 million. */
export const DECODED_PIXELS_MAX = 51_000_000
/** Decoders that hold a picture several times: HEIC takes up to 11 bytes for each pixel, AVIF 19 and WebP 10. */
const TYPE_PIXELS_MAX: ReadonlyMap<string, number> = new Map([
  ['image/heic', 26_000_000],
  ['image/avif', 17_000_000],
  ['image/webp', 34_000_000],
])

/** The maximum of pixels that are decoded of an image, so that none takes more than 350 MB. */
export const findPixelsMax = (mimeType: string): number => TYPE_PIXELS_MAX.get(mimeType) ?? DECODED_PIXELS_MAX

/**
 * Plans the rendition of a file for one network. Undefined if the file breaks no limit. The size is known beforehand,
 * but if the file has too many bytes, it may become smaller.
 */
export function planRendition(file: MediaFacts, rule: PostTypeRule, fit: Fit): RenditionPlan | undefined {
  const broken = findBroken(file, rule)
  if (broken.length === 0) return undefined
  const { mimeType, width, height, frames } = file
  if (mimeType.startsWith('video/')) return withReasons(planVideo(file, rule, fit), broken)
  if (!width || !height) return { problem: 'the size of the image is not known' }
  const isAnimated = (frames ?? 1) > 1 || (mimeType === 'image/gif' && frames === null)
  const pixelsMax = findPixelsMax(mimeType)
  if (width * height * (frames ?? 1) > pixelsMax) {
    return { problem: `images of more than ${pixelsMax} pixels are not decoded` }
  }
  const target = isAnimated
    ? planAnimation({ ...file, width, height, frames }, rule)
    : planStill({ width, height, focus: file.focus ?? null }, rule, fit)
  if (!target) return { problem: `the network takes no ${isAnimated ? 'such animation' : 'JPEG'} here` }
  const left = findBroken({ ...file, ...factsOf(target), bytes: null }, rule)
  if (left.includes('frames')) return { problem: 'an animation keeps all its frames' }
  if (left.includes('aspect_ratio')) return { problem: `the aspect ratio ${ASPECT_CHANGES[isAnimated ? 1 : 0]}` }
  if (left.length > 0) return { problem: `the image would be ${target.width}x${target.height} pixels large` }
  const { frames: kept } = target
  const converted = findBroken({ ...file, mimeType: target.mimeType, frames: kept, bytes: null }, rule)
  return withReasons({ target }, [...new Set([...broken, ...converted])])
}

const withReasons = <Plan extends object>(plan: Plan, broken: string[]) => ({
  ...plan,
  why: broken.map((name) => `media_${name}`),
})

/** The facts of a rendition that its target decides. */
export const factsOf = ({ mimeType, width, height, frames }: RenditionTarget) => ({
  mimeType,
  width,
  height,
  frames,
})

const ASPECT_CHANGES = ['changes with pad or crop only', 'of an animation does not change'] as const

/** An animation stays one, in a type that the network takes. Undefined if it takes none. */
function planAnimation(
  file: MediaFacts & Size & { frames: number | null },
  rule: PostTypeRule,
): RenditionTarget | undefined {
  const kind = findFileKind(file, rule)
  const limits = kind && rule[kind]
  if (!limits || file.frames === null) return undefined
  // A network without a rule for animations may show the first frame of another type alone.
  const types: string[] = kind === 'gif' ? [file.mimeType, 'image/gif', 'image/webp'] : [file.mimeType]
  const mimeType = types.filter(isAnimatedType).find((type) => limits.mimeTypes.includes(type))
  if (!mimeType) return undefined
  const { frames } = file
  const size = scaleSize(file, scaleOf(file, limits), ANY_RATIO)
  const bytesMax = limits.bytesMax ?? Infinity
  const name = `animation ${mimeType} ${size.width}x${size.height} ${bytesMax}`
  const shape = { background: '#ffffff', ratio: ANY_RATIO }
  return { name, mimeType, transparentType: mimeType, frames, bytesMax, ...shape, ...size }
}

const isAnimatedType = (type: string): type is 'image/gif' | 'image/webp' =>
  type === 'image/gif' || type === 'image/webp'

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
  const isTaken = isWithin(file, ratio)
  const aspect = isTaken || mediaFit === 'auto' ? undefined : mediaFit
  const shaped = aspect ? reshape(file, ratio, aspect) : file
  // Bars can make a frame hundreds of times as large as its picture.
  const pixelsMax = Math.min(image.pixelsMax ?? Infinity, DECODED_PIXELS_MAX)
  const size = scaleSize(shaped, scaleOf(shaped, { ...image, pixelsMax }), aspect || isTaken ? ratio : ANY_RATIO)
  const background = aspect === 'pad' ? padColor : '#ffffff'
  const focus = aspect === 'crop' && file.focus ? file.focus : undefined
  const part = aspect ? `${aspect}${focus ? ` at ${focus.x},${focus.y}` : ''}` : 'whole'
  const parts = [mimeType, transparentType, `${size.width}x${size.height}`, bytesMax, part, background]
  const name = `image ${parts.join(' ')}`
  return { name, mimeType, transparentType, frames: 1, background, bytesMax, ratio, aspect, focus, ...size }
}
