import type { MediaFacts } from '../../../schemas/media.ts'
import type { DocumentRule, GifRule, ImageRule, PostTypeRule, VideoRule } from '../contract/limits.ts'
import { RATIO_TOLERANCE } from './crop.ts'
import type { AddFileViolation, CheckBounds, Fact } from './file-checks.ts'
import { checkTracks } from './media-tracks.ts'
import { atLeast, atMost, formatNumber } from './wording.ts'

export const fileKinds = ['image', 'video', 'gif', 'document'] as const
export type FileKind = (typeof fileKinds)[number]

/** Whether the bytes of a file are not there, so that its facts are not known. */
export const isMissing = ({ missing }: MediaFacts): boolean => typeof missing === 'string'

/** The rule that applies to a file. A GIF counts as an image if the post type has no rule for GIFs. */
export function findFileKind(file: MediaFacts, rule: PostTypeRule): FileKind | undefined {
  if (tellsAnimations(rule) && isAnimation(file) && !isStillGif(file, rule)) return 'gif'
  if (file.mimeType.startsWith('image/')) return 'image'
  if (file.mimeType === 'application/pdf') return 'document'
  return file.mimeType.startsWith('video/') ? 'video' : undefined
}

/** Whether animations are not simply images. */
export const tellsAnimations = ({ gif, image }: PostTypeRule): boolean =>
  gif !== undefined || image?.stillsOnly === true

/** Networks treat every GIF, and every other image with several frames, as an animation. */
const isAnimation = ({ mimeType, frames }: MediaFacts) =>
  mimeType === 'image/gif' || (mimeType.startsWith('image/') && (frames ?? 1) > 1)

/** A GIF with one frame, on a network that takes it as an image. */
const isStillGif = ({ mimeType, frames }: MediaFacts, rule: PostTypeRule) =>
  mimeType === 'image/gif' && frames === 1 && rule.image?.stillGifs === true

/** An encoder pads the audio of a video to whole packets of up to 46 ms at each end. Networks ignore this. */
const DURATION_TOLERANCE_SECONDS = 0.05

/** Checks the type of a file, and its facts against the rule for its kind. */
export function checkFile(file: MediaFacts, rule: PostTypeRule, add: AddFileViolation): void {
  const kind = findFileKind(file, rule)
  const limits: (ImageRule & GifRule & VideoRule & DocumentRule) | undefined = kind && rule[kind]
  const types: readonly string[] = limits?.mimeTypes ?? []
  if (!limits || !(types.includes(file.mimeType) || isStillGif(file, rule))) {
    const allowed = findAllowedTypes(file, rule)
    const { source } = limits ?? rule
    add('type', describeType(file, rule, allowed), { limit: { allowed }, actual: file.mimeType, source })
    return
  }
  const { source } = limits

  /** `compared` is the value within its tolerance. */
  const check: CheckBounds = (name, unit, actual, { min, max, compared = actual }, what) => {
    if (compared === null) return
    const facts = { actual, unit, source }
    if (max !== undefined && compared > max) add(name, `${what}, ${atMost(max)}`, { ...facts, limit: { max } })
    if (min !== undefined && compared < min) add(name, `${what}, ${atLeast(min)}`, { ...facts, limit: { min } })
  }
  const { bytes, width, height, durationSeconds: duration, frames, pages = null } = file
  const fps = toNominalFps(file.fps)
  check('bytes', 'bytes', bytes, { min: limits.bytesMin, max: limits.bytesMax }, `is ${bytes} bytes large`)
  check('width', 'pixels', width, { min: limits.widthMin, max: limits.widthMax }, `is ${width} pixels wide`)
  check('height', 'pixels', height, { min: limits.heightMin, max: limits.heightMax }, `is ${height} pixels high`)
  const shortest = duration && duration - DURATION_TOLERANCE_SECONDS
  const longest = duration && duration + DURATION_TOLERANCE_SECONDS
  const long = `is ${formatNumber(duration ?? 0)} seconds long`
  check('duration', 'seconds', duration, { max: limits.durationMaxSeconds, compared: shortest }, long)
  check('duration', 'seconds', duration, { min: limits.durationMinSeconds, compared: longest }, long)
  const rate = `has ${formatNumber(fps ?? 0)} frames per second`
  const comparedFps = limits.fpsRounded && file.fps ? Math.floor(file.fps) : fps
  check('fps', 'fps', fps, { min: limits.fpsMin, max: limits.fpsMax, compared: comparedFps }, rate)
  check('pages', 'items', pages, { max: limits.pagesMax }, `has ${formatNumber(pages ?? 0)} pages`)
  check('frames', 'items', frames, { max: limits.framesMax }, `has ${frames} frames`)
  if (file.tracks) checkTracks(file.tracks, limits, { check, add })
  if (!width || !height) return
  const short = Math.min(width, height)
  check('short_side', 'pixels', short, { max: limits.shortSideMax }, `has a short side of ${short} pixels`)
  const sum = width + height
  const sumProblem = `has a width plus height of ${sum} pixels`
  check('width_plus_height', 'pixels', sum, { max: limits.widthPlusHeightMax }, sumProblem)
  check('pixels', 'pixels', width * height, { max: limits.pixelsMax }, `has ${width * height} pixels`)
  const ratio = width / height
  const ratioProblem = `has an aspect ratio of ${formatNumber(ratio)} (${width}x${height})`
  const tall = { max: limits.aspectRatioMax, compared: ratio - RATIO_TOLERANCE }
  const wide = { min: limits.aspectRatioMin, compared: ratio + RATIO_TOLERANCE }
  check('aspect_ratio', 'ratio', ratio, tall, ratioProblem)
  check('aspect_ratio', 'ratio', ratio, wide, ratioProblem)
}

/** The types that are allowed instead: for an animated image those of GIFs, else those of all kinds. */
function findAllowedTypes(file: MediaFacts, rule: PostTypeRule): string[] {
  if (rule.gif && isAnimatedStillType(file, rule)) return [...rule.gif.mimeTypes]
  return fileKinds.flatMap((kind) => rule[kind]?.mimeTypes ?? [])
}

/** An animated image that is no GIF. */
const isAnimatedStillType = (file: MediaFacts, rule: PostTypeRule) =>
  findFileKind(file, rule) === 'gif' && file.mimeType !== 'image/gif'

function describeType(file: MediaFacts, rule: PostTypeRule, allowed: string[]): string {
  if (isAnimatedStillType(file, rule)) {
    if (!rule.gif) return `is animated, allowed are still images and videos of type ${allowed.join(', ')}`
    return `is animated and of type ${file.mimeType}, allowed for animated images are ${allowed.join(', ')}`
  }
  return `is of type ${file.mimeType}, allowed are ${allowed.join(', ')}`
}

/** A television rate differs from the nominal rate by this factor: 23.976 is 24 / 1.001. */
const FPS_TOLERANCE = 0.0011

/** Networks limit the nominal rate. Files store times in milliseconds or less precisely. */
function toNominalFps(fps: Fact): Fact {
  if (!fps) return fps
  const nominal = Math.round(fps)
  return Math.abs(fps - nominal) <= nominal * FPS_TOLERANCE ? nominal : fps
}
