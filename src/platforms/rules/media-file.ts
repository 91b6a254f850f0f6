import type { MediaFacts } from '../../../schemas/media.ts'
import type { GifRule, ImageRule, PostTypeRule, VideoRule } from '../limits.ts'
import type { CheckContext } from './context.ts'
import { atLeast, atMost, formatNumber } from './wording.ts'

export const fileKinds = ['image', 'video', 'gif'] as const
export type FileKind = (typeof fileKinds)[number]

/** The rule that applies to a file. A GIF counts as an image if the post type has no rule for GIFs. */
export function findFileKind(file: MediaFacts, rule: PostTypeRule): FileKind | undefined {
  if (rule.gif && isAnimation(file) && !isStillGif(file, rule)) return 'gif'
  if (file.mimeType.startsWith('image/')) return 'image'
  return file.mimeType.startsWith('video/') ? 'video' : undefined
}

/** Networks treat every GIF, and every other image with several frames, as an animation. */
const isAnimation = ({ mimeType, frames }: MediaFacts) =>
  mimeType === 'image/gif' || (mimeType.startsWith('image/') && (frames ?? 1) > 1)

/** A GIF with one frame, on a network that takes it as an image. */
const isStillGif = ({ mimeType, frames }: MediaFacts, rule: PostTypeRule) =>
  mimeType === 'image/gif' && frames === 1 && rule.image?.stillGifs === true

/** A double rounds the ratio of 1000x3000 to a value on either side of 1/3. */
const RATIO_TOLERANCE = 1e-9

/** An encoder pads the audio of a video to whole packets of up to 46 ms at each end. Networks ignore this. */
const DURATION_TOLERANCE_SECONDS = 0.05

/** Checks the type of a file, and its facts against the rule for its kind. */
export function checkFile(file: MediaFacts, rule: PostTypeRule, addViolation: CheckContext['addViolation']): void {
  const kind = findFileKind(file, rule)
  const limits: (ImageRule & GifRule & VideoRule) | undefined = kind && rule[kind]
  if (!limits || !(limits.mimeTypes.includes(file.mimeType) || isStillGif(file, rule))) {
    addViolation('media_type', `media ${file.id} ${describeType(file, rule)}`)
    return
  }

  const check = (name: string, value: Fact, min: number | undefined, max: number | undefined, problem: string) => {
    if (value === null) return
    if (max !== undefined && value > max) addViolation(`media_${name}`, `media ${file.id} ${problem}, ${atMost(max)}`)
    if (min !== undefined && value < min) addViolation(`media_${name}`, `media ${file.id} ${problem}, ${atLeast(min)}`)
  }
  const { bytes, width, height, durationSeconds: duration, frames } = file
  const fps = toNominalFps(file.fps)
  check('bytes', bytes, limits.bytesMin, limits.bytesMax, `is ${bytes} bytes large`)
  check('width', width, limits.widthMin, limits.widthMax, `is ${width} pixels wide`)
  check('height', height, limits.heightMin, limits.heightMax, `is ${height} pixels high`)
  const long = `is ${formatNumber(duration ?? 0)} seconds long`
  check('duration', duration && duration - DURATION_TOLERANCE_SECONDS, undefined, limits.durationMaxSeconds, long)
  check('duration', duration && duration + DURATION_TOLERANCE_SECONDS, limits.durationMinSeconds, undefined, long)
  check('fps', fps, limits.fpsMin, limits.fpsMax, `has ${formatNumber(fps ?? 0)} frames per second`)
  check('frames', frames, undefined, limits.framesMax, `has ${frames} frames`)
  if (!width || !height) return
  const sum = width + height
  check('width_plus_height', sum, undefined, limits.widthPlusHeightMax, `has a width plus height of ${sum} pixels`)
  check('pixels', width * height, undefined, limits.pixelsMax, `has ${width * height} pixels`)
  const ratio = width / height
  const ratioProblem = `has an aspect ratio of ${formatNumber(ratio)} (${width}x${height})`
  check('aspect_ratio', ratio - RATIO_TOLERANCE, undefined, limits.aspectRatioMax, ratioProblem)
  check('aspect_ratio', ratio + RATIO_TOLERANCE, limits.aspectRatioMin, undefined, ratioProblem)
}

function describeType(file: MediaFacts, rule: PostTypeRule): string {
  if (findFileKind(file, rule) === 'gif' && file.mimeType !== 'image/gif') {
    const allowed = rule.gif!.mimeTypes.join(', ')
    return `is animated and of type ${file.mimeType}, allowed for animated images are ${allowed}`
  }
  const allowed = fileKinds.flatMap((kind) => rule[kind]?.mimeTypes ?? [])
  return `is of type ${file.mimeType}, allowed are ${allowed.join(', ')}`
}

type Fact = number | null

/** A television rate differs from the nominal rate by this factor: 23.976 is 24 / 1.001. */
const FPS_TOLERANCE = 0.0011

/** Networks limit the nominal rate. Files store times in milliseconds or less precisely. */
function toNominalFps(fps: Fact): Fact {
  if (!fps) return fps
  const nominal = Math.round(fps)
  return Math.abs(fps - nominal) <= nominal * FPS_TOLERANCE ? nominal : fps
}
