import type { MediaFacts, MediaTracks } from '../../../schemas/media.ts'
import type { VideoTarget } from '../../../schemas/video-target.ts'
import type { PostTypeRule } from '../contract/limits.ts'
import { cropTo, isWithin, type Range, reshape, type Size } from './crop.ts'
import { ANY_RATIO, type Fit, findBroken, scaleOf, scaleSize } from './reshape.ts'

/** The rendition of a video that breaks limits, or why it has none. */
type VideoPlan = { video: VideoTarget } | { problem: string }

/** A decoder holds several frames in memory. Cameras of phones take 8K: 33 million pixels. */
const PIXELS_MAX = 36_000_000
/** Renditions have no more than 4K: an encoder holds dozens of frames in memory. */
const RENDITION_PIXELS_MAX = 3840 * 2160
/** A worker makes one video at a time. */
const SECONDS_MAX = 7_200

/** Bits for each pixel of a frame. Above the first, no difference shows; below the second, blocks do. */
const BITS_PER_PIXEL = { best: 0.15, worst: 0.03 }
/** Instagram and X recommend no more. */
const BITS_PER_SECOND_MAX = 25_000_000
const AUDIO_BITS_PER_SECOND = 128_000
const SHORT_SIDE_MIN = 240
/** Headers, tables of samples and padding take less than the rest. */
const BYTES_USED = 0.95
const FPS_DEFAULT = 30

/** The contents of a rendition, if the file has sound. */
const TRACKS: MediaTracks = {
  video: {
    codec: 'avc',
    codecString: null,
    chromaSubsampling: '4:2:0',
    bitDepth: 8,
    scan: 'progressive',
    pixelAspectRatio: '1:1',
    closedGop: true,
  },
  audio: { codec: 'aac', codecString: 'mp4a.40.2', channels: 2, sampleRate: 48_000 },
}

/** Plans an MP4 with H.264 and AAC, which every network takes. Its size in bytes is bounded by its rate of bits. */
export function planVideo(file: MediaFacts, rule: PostTypeRule, fit: Fit): VideoPlan {
  const { width, height, durationSeconds } = file
  const limits = rule.video
  if (!limits?.mimeTypes.includes('video/mp4')) return { problem: 'the network takes no MP4 here' }
  if (!width || !height || !durationSeconds) return { problem: 'the size or the duration of the video is not known' }
  if (width * height > PIXELS_MAX) return { problem: `videos of more than ${PIXELS_MAX} pixels are not converted` }
  if (durationSeconds > SECONDS_MAX) return { problem: `videos of more than ${SECONDS_MAX} seconds are not converted` }
  const { bytesMin = 0, bytesMax = Infinity, aspectRatioMin: min = 0, aspectRatioMax: max = Infinity } = limits
  if (file.bytes !== null && file.bytes < bytesMin) return { problem: 'a video does not become larger' }
  const fps = Math.min(limits.fpsMax ?? Infinity, Math.max(limits.fpsMin ?? 0, file.fps ?? FPS_DEFAULT))
  const bitsMax = (bytesMax * 8 * BYTES_USED) / (durationSeconds + 1) - AUDIO_BITS_PER_SECOND
  const aspect = findAspect({ width, height }, { min, max }, fit)
  const range = aspect === 'whole' ? ANY_RATIO : { min, max }
  const shaped = aspect === 'pad' || aspect === 'crop' ? reshape({ width, height }, range, aspect) : { width, height }
  const scale = scaleOf(shaped, { ...limits, pixelsMax: Math.min(limits.pixelsMax ?? Infinity, RENDITION_PIXELS_MAX) })
  const sized = fitBits(toEven(scaleSize(shaped, scale, range), range), { fps, bitsMax, range })
  if (!sized) return { problem: `only ${Math.max(0, Math.floor(bitsMax))} bits are left for each second of the video` }
  const video: VideoTarget = {
    ...sized,
    fps,
    ...(aspect === 'crop' && { crop: toFractions(cropTo({ width, height }, sized, file.focus ?? undefined), file) }),
    ...(aspect === 'pad' && { pad: { ...inside({ width, height }, sized), color: fit.padColor } }),
    ...(file.tracks?.video.scan === 'interlaced' && { isInterlaced: true }),
    ...(file.tracks?.video.transfer && { transfer: file.tracks.video.transfer }),
    bytesMax: Number.isFinite(bytesMax) ? bytesMax : null,
  }
  const left = findBroken({ ...file, ...videoFactsOf(video), bytes: null, tracks: tracksOf(file) }, rule)
  if (left.includes('aspect_ratio')) return { problem: 'the aspect ratio changes with pad or crop only' }
  if (left.includes('duration')) return { problem: 'the duration of a video does not change' }
  if (left.length > 0) return { problem: `the video would be ${video.width}x${video.height} pixels large` }
  return { video }
}

/** The facts of a rendition that its target decides. */
export const videoFactsOf = ({ width, height, fps }: Pick<VideoTarget, 'width' | 'height' | 'fps'>) => ({
  mimeType: 'video/mp4' as const,
  width,
  height,
  fps,
})

/** The contents of the rendition of a file. */
export const tracksOf = ({ tracks }: Pick<MediaFacts, 'tracks'>): MediaTracks =>
  tracks?.audio === null ? { ...TRACKS, audio: null } : TRACKS

/** Names everything that decides a rendition, so that networks that take the same share it. */
export const nameVideo = ({ bytesMax: _, ...target }: VideoTarget): string => `video ${JSON.stringify(target)}`

/** How the aspect ratio gets into its range: not at all (`whole`), or it is there. */
function findAspect(size: Size, range: Range, { mediaFit }: Fit): 'pad' | 'crop' | 'whole' | 'within' {
  if (isWithin(size, range)) return 'within'
  return mediaFit === 'auto' ? 'whole' : mediaFit
}

/** H.264 stores colours of 2 by 2 pixels. */
function toEven({ width, height }: Size, { min, max }: Range): Size {
  const even = { width: evenBelow(width), height: evenBelow(height) }
  const ratio = even.width / even.height
  if (ratio > max) return { ...even, width: evenBelow(even.height * max) }
  return ratio < min ? { ...even, height: evenBelow(even.width / min) } : even
}

const evenBelow = (length: number) => Math.max(2, 2 * Math.floor((length + 1e-6) / 2))

/** The size, smaller if too few bits are left for it; undefined if it would become too small. */
function fitBits(size: Size, { fps, bitsMax, range }: { fps: number; bitsMax: number; range: Range }) {
  const perPixel = (bits: number) => bits / (size.width * size.height * fps)
  const best = Math.min(BITS_PER_SECOND_MAX, BITS_PER_PIXEL.best * size.width * size.height * fps)
  const videoBitsPerSecond = Math.floor(Math.min(best, bitsMax))
  if (perPixel(videoBitsPerSecond) >= BITS_PER_PIXEL.worst) return { ...size, videoBitsPerSecond }
  const scale = Math.sqrt(Math.max(0, perPixel(videoBitsPerSecond)) / BITS_PER_PIXEL.worst)
  const smaller = toEven(scaleSize(size, scale, range), range)
  return Math.min(smaller.width, smaller.height) < SHORT_SIDE_MIN ? undefined : { ...smaller, videoBitsPerSecond }
}

/** The size of the picture between bars. */
function inside(picture: Size, frame: Size): Size {
  const scale = Math.min(frame.width / picture.width, frame.height / picture.height)
  return toEven({ width: picture.width * scale, height: picture.height * scale }, ANY_RATIO)
}

const toFractions = (part: ReturnType<typeof cropTo>, { width, height }: Pick<MediaFacts, 'width' | 'height'>) => ({
  left: toFraction(part.left, width!),
  top: toFraction(part.top, height!),
  width: toFraction(part.width, width!),
  height: toFraction(part.height, height!),
})

/** Exact to a hundredth of a pixel. */
const toFraction = (part: number, whole: number) => Math.round((part / whole) * 1e6) / 1e6
