import type { MediaTracks } from '../../../schemas/media.ts'
import type { VideoRule } from '../contract/limits.ts'
import type { AddFileViolation, CheckBounds } from './file-checks.ts'

/** Checks the contents of a video. Facts that are not known are not checked. */
export function checkTracks(
  { video, audio }: MediaTracks,
  limits: VideoRule,
  { add, check }: { add: AddFileViolation; check: CheckBounds },
): void {
  const { source } = limits
  const checkList = (
    name: string,
    actual: string | null | undefined,
    allowed: readonly string[] = [],
    what: string,
  ) => {
    if (!actual || allowed.length === 0 || allowed.includes(actual)) return
    const problem = `${what}, allowed ${allowed.length === 1 ? 'is' : 'are'} ${allowed.join(', ')}`
    add(name, problem, { limit: { allowed: [...allowed] }, actual, source })
  }
  const { codec, chromaSubsampling: chroma, scan, pixelAspectRatio: pixels } = video
  checkList('video_codec', codec, limits.videoCodecs, `has the video codec ${codec}`)
  checkList('chroma_subsampling', chroma, limits.chromaSubsamplings, `has a chroma subsampling of ${chroma}`)
  checkList('scan', scan, limits.scans, `is ${scan}`)
  checkList('pixel_aspect_ratio', pixels, limits.pixelAspectRatios, `has a pixel aspect ratio of ${pixels}`)
  if (limits.closedGop && codec === 'avc' && video.closedGop === false) {
    add('closed_gop', 'has open groups of pictures (GOP), only closed ones are allowed', { source })
  }
  if (!audio) return
  const { channels, sampleRate, codecString: profile } = audio
  checkList('audio_codec', audio.codec, limits.audioCodecs, `has the audio codec ${audio.codec}`)
  checkList('audio_profile', profile, limits.audioCodecStrings, `has the audio codec and profile ${profile}`)
  check('audio_channels', 'channels', channels, { max: limits.audioChannelsMax }, `has ${channels} audio channels`)
  const rate = `has an audio sample rate of ${sampleRate} Hz`
  check('audio_sample_rate', 'hertz', sampleRate, { max: limits.audioSampleRateMax }, rate)
}
