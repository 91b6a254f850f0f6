import type { MediaFacts } from '../../../schemas/media.ts'
import type { GifRule, ImageRule, PostTypeRule, VideoRule } from '../limits.ts'
import type { Submission } from './check-post.ts'
import { atLeast, atMost, counted, shortened } from './wording.ts'

const kinds = ['image', 'video', 'gif'] as const
type Kind = (typeof kinds)[number]

/** How many files the post carries, which of them together, and each file by the rule for its kind. */
export function judgeMedia(submission: Submission): void {
  const { rule, media, report } = submission
  if (!rule) return
  judgeCounts(rule, submission)
  judgeRequest(rule, submission)
  // What is past the maximum has to go anyway.
  const files = [...new Set(media.files)].slice(0, rule.mediaMax)
  for (const file of files) judgeFile(file, rule, report)
  if (rule.image?.sameSize) judgeSameSize(files, report)
}

/** A GIF is a kind of its own where the network treats it as one, else an image. Anything else is no kind. */
function kindOf(file: MediaFacts, rule: PostTypeRule): Kind | undefined {
  if (rule.gif && isGif(file) && !isStillImage(file, rule)) return 'gif'
  if (file.mimeType.startsWith('image/')) return 'image'
  return file.mimeType.startsWith('video/') ? 'video' : undefined
}

/** What networks call a GIF: the format, or any image that is animated. */
const isGif = ({ mimeType, frames }: MediaFacts) =>
  mimeType === 'image/gif' || (mimeType.startsWith('image/') && (frames ?? 1) > 1)

/** A GIF of one frame, where that is an image. */
const isStillImage = ({ mimeType, frames }: MediaFacts, rule: PostTypeRule) =>
  mimeType === 'image/gif' && frames === 1 && rule.image?.stillGifs === true

function judgeCounts(rule: PostTypeRule, { post, media, report }: Submission): void {
  const type = post.postType
  const count = { image: 0, video: 0, gif: 0 }
  for (const file of media.files) {
    const kind = kindOf(file, rule)
    if (kind) count[kind]++
  }

  if (media.count > rule.mediaMax) {
    report('media_count', `${type} has ${counted(media.count, 'media file')}, ${atMost(rule.mediaMax)}`)
  }
  if (media.sent < rule.mediaMin && post.scheduled) {
    report('media_required', `${type} has ${counted(media.sent, 'media file')}, ${atLeast(rule.mediaMin)}`)
  }
  const max = { image: rule.imagesMax, video: rule.videosMax, gif: rule.gifsMax }
  for (const kind of kinds) {
    // Where all media is limited as much, that was said; a kind without a rule is refused file by file.
    if (!rule[kind] || max[kind] >= rule.mediaMax || count[kind] <= max[kind]) continue
    report(`${kind}_count`, `${type} has ${counted(count[kind], names[kind])}, ${atMost(max[kind])}`)
  }

  const stills = rule.gifAlone ? count.image : count.image + count.gif
  if (!rule.mixed && rule.mediaMax > 1 && rule.video && rule.image && stills > 0 && count.video > 0) {
    report(
      'media_mixed',
      `${type} has ${counted(stills, 'image')} and ${counted(count.video, 'video')}, which may not be mixed`,
    )
  }
  if (rule.gifAlone && count.gif > 0 && media.count > count.gif) {
    report('gif_alone', `${type} has a GIF among ${counted(media.count, 'media file')}, a GIF has to be the only one`)
  }
}

/** A file goes along as often as it is attached. */
function judgeRequest({ requestBytesMax: max }: PostTypeRule, { post, media, report }: Submission): void {
  const bytes = media.files.reduce((sum, file) => sum + (file.bytes ?? 0), 0)
  if (max === undefined || bytes <= max) return
  report('request_bytes', `${post.postType} has files of ${bytes} bytes in all, ${atMost(max)}`)
}

const names = { image: 'image', video: 'video', gif: 'GIF' }

function judgeFile(file: MediaFacts, rule: PostTypeRule, report: Submission['report']): void {
  const kind = kindOf(file, rule)
  const limits: (ImageRule & GifRule & VideoRule) | undefined = kind && rule[kind]
  if (!limits || !(limits.mimeTypes.includes(file.mimeType) || isStillImage(file, rule))) {
    const isAnimated = kind === 'gif' && file.mimeType !== 'image/gif'
    const allowed = isAnimated ? limits!.mimeTypes : kinds.flatMap((kind) => rule[kind]?.mimeTypes ?? [])
    const type = `${isAnimated ? 'animated and ' : ''}of type ${file.mimeType}`
    report('media_type', `media ${file.id} is ${type}, allowed ${isAnimated ? 'then ' : ''}are ${allowed.join(', ')}`)
    return
  }

  const judge = (name: string, value: Fact, min: number | undefined, max: number | undefined, says: string) => {
    if (value === null || value === undefined) return
    if (max !== undefined && value > max) report(`media_${name}`, `media ${file.id} ${says}, ${atMost(max)}`)
    if (min !== undefined && value < min) report(`media_${name}`, `media ${file.id} ${says}, ${atLeast(min)}`)
  }
  const { bytes, width, height, durationSeconds: duration, frames } = file
  const fps = nominalFps(file.fps)
  judge('bytes', bytes, limits.bytesMin, limits.bytesMax, `is ${bytes} bytes large`)
  judge('width', width, limits.widthMin, limits.widthMax, `is ${width} pixels wide`)
  judge('height', height, limits.heightMin, limits.heightMax, `is ${height} pixels high`)
  const long = `is ${shortened(duration ?? 0)} seconds long`
  judge('duration', duration && duration - PADDING_SECONDS, undefined, limits.durationMax, long)
  judge('duration', duration && duration + PADDING_SECONDS, limits.durationMin, undefined, long)
  judge('fps', fps, limits.fpsMin, limits.fpsMax, `has ${shortened(fps ?? 0)} frames per second`)
  judge('frames', frames, undefined, limits.framesMax, `has ${frames} frames`)
  if (!width || !height) return
  const sum = width + height
  judge('width_plus_height', sum, undefined, limits.widthPlusHeightMax, `is ${sum} pixels in width plus height`)
  judge('pixels', width * height, undefined, limits.pixelsMax, `has ${width * height} pixels`)
  const ratio = width / height
  const says = `has an aspect ratio of ${shortened(ratio)} (${width}x${height})`
  judge('aspect_ratio', ratio - ROUNDING, undefined, limits.aspectRatioMax, says)
  judge('aspect_ratio', ratio + ROUNDING, limits.aspectRatioMin, undefined, says)
}

/** 1000x3000 is 1:3, however a double rounds it. */
const ROUNDING = 1e-9

type Fact = number | null | undefined

/** How far a measured rate is from the whole number that is meant: 24 is 23.976 on television (24 / 1.001). */
const RATE_ERROR = 0.0011

/** Networks mean the whole number, and files tell their times in milliseconds, or less well. */
function nominalFps(fps: Fact): Fact {
  if (!fps) return fps
  const nominal = Math.round(fps)
  return Math.abs(fps - nominal) <= nominal * RATE_ERROR ? nominal : fps
}

/** An encoder pads the sound of a video to whole packets, of up to 46 ms at each end: no network means these. */
const PADDING_SECONDS = 0.05

function judgeSameSize(files: readonly MediaFacts[], report: Submission['report']): void {
  const images = files.filter(({ mimeType, width, height }) => mimeType.startsWith('image/') && width && height)
  const [first, other] = new Set(images.map(({ width, height }) => `${width}x${height}`))
  if (other) report('media_same_size', `images are ${first} and ${other} pixels large, all have to have the same size`)
}
