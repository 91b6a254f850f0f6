import t from 'tap'
import type { AudioTrack, MediaTracks, VideoTrack } from '../../schemas/media.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import { check, messages, video } from '../helpers/limits.ts'
import { collectProblems } from '../helpers/problems.ts'

const AVC: VideoTrack = {
  codec: 'avc',
  codecString: 'avc1.640028',
  chromaSubsampling: '4:2:0',
  bitDepth: 8,
  scan: 'progressive',
  pixelAspectRatio: '1:1',
  closedGop: true,
}
const AAC: AudioTrack = { codec: 'aac', codecString: 'mp4a.40.2', channels: 2, sampleRate: 48_000 }

const withVideo = (facts: Partial<VideoTrack>): MediaTracks => ({ video: { ...AVC, ...facts }, audio: null })
const withAudio = (facts: Partial<AudioTrack>): MediaTracks => ({ video: AVC, audio: { ...AAC, ...facts } })

/** A type of post with a video on each network that takes videos. */
const NETWORKS: [PlatformId, PostType][] = [
  ['instagram', 'reel'],
  ['instagram', 'story'],
  ['instagram', 'carousel'],
  ['facebook', 'post'],
  ['facebook', 'reel'],
  ['facebook', 'story'],
  ['threads', 'post'],
  ['x', 'post'],
  ['linkedin', 'video'],
  ['tiktok', 'video'],
  ['youtube', 'video'],
  ['pinterest', 'post'],
  ['bluesky', 'video'],
  ['mastodon', 'video'],
  ['telegram', 'video'],
  ['reddit', 'video'],
  ['discord', 'video'],
]
const META = [
  'instagram reel',
  'instagram story',
  'instagram carousel',
  'facebook reel',
  'facebook story',
  'threads post',
]

t.test('each network rejects what its page excludes, and no other', async (t) => {
  const cases: [string, MediaTracks, string[], string][] = [
    ['H.264, AAC', { video: AVC, audio: AAC }, [], ''],
    ['no sound', withVideo({}), [], ''],
    ['H.263', withVideo({ codec: 'h263' }), [...META, 'x post', 'tiktok video', 'pinterest post'], 'media_video_codec'],
    [
      'MPEG-4',
      withVideo({ codec: 'mp4v' }),
      [...META, 'x post', 'tiktok video', 'pinterest post'],
      'media_video_codec',
    ],
    ['HEVC', withVideo({ codec: 'hevc' }), ['x post'], 'media_video_codec'],
    [
      'VP9',
      withVideo({ codec: 'vp9' }),
      ['instagram reel', 'instagram story', 'instagram carousel', 'threads post', 'x post', 'pinterest post'],
      'media_video_codec',
    ],
    ['4:4:4', withVideo({ chromaSubsampling: '4:4:4' }), [...META, 'x post'], 'media_chroma_subsampling'],
    ['interlaced', withVideo({ scan: 'interlaced' }), [...META, 'x post'], 'media_scan'],
    ['wide pixels', withVideo({ pixelAspectRatio: '2:1' }), ['x post'], 'media_pixel_aspect_ratio'],
    ['open GOP', withVideo({ closedGop: false }), [...META, 'x post'], 'media_closed_gop'],
    ['open GOP of a phone', withVideo({ codec: 'hevc', closedGop: false }), ['x post'], 'media_video_codec'],
    ['mp3', withAudio({ codec: 'mp3', codecString: null }), [...META, 'x post'], 'media_audio_codec'],
    ['HE-AAC', withAudio({ codecString: 'mp4a.40.5' }), ['x post'], 'media_audio_profile'],
    ['5.1', withAudio({ channels: 6 }), [...META, 'x post'], 'media_audio_channels'],
    ['96 kHz', withAudio({ sampleRate: 96_000 }), META, 'media_audio_sample_rate'],
    ['mono, 44.1 kHz', withAudio({ channels: 1, sampleRate: 44_100 }), [], ''],
    [
      'unknown',
      withVideo({ codecString: null, chromaSubsampling: null, bitDepth: null, scan: null, closedGop: null }),
      [],
      '',
    ],
  ]
  const { problems, check: compare } = collectProblems()
  for (const [name, tracks, expected, rule] of cases) {
    for (const [platform, postType] of NETWORKS) {
      const found = check(platform, { postType, media: [video({ tracks })] }).map((violation) => violation.rule)
      const isRejected = expected.includes(`${platform} ${postType}`)
      compare(found, isRejected ? [rule] : [], `${name} on ${platform} ${postType}`)
    }
  }
  t.strictSame(problems, [])
})

t.test('the message names account, file, actual and allowed values', async (t) => {
  const of = (tracks: MediaTracks, platform: PlatformId = 'x') => messages(platform, { media: [video({ tracks })] })
  const problem = 'x (@ada): media v1'
  t.strictSame(of(withVideo({ codec: 'h263' }), 'instagram'), [
    'instagram (@ada): media v1 has the video codec h263, allowed are avc, hevc',
  ])
  t.strictSame(of(withVideo({ chromaSubsampling: '4:2:2', scan: 'interlaced', pixelAspectRatio: '4:3' })), [
    `${problem} has a chroma subsampling of 4:2:2, allowed is 4:2:0`,
    `${problem} is interlaced, allowed is progressive`,
    `${problem} has a pixel aspect ratio of 4:3, allowed is 1:1`,
  ])
  t.strictSame(of(withVideo({ closedGop: false })), [
    `${problem} has open groups of pictures (GOP), only closed ones are allowed`,
  ])
  t.strictSame(of(withAudio({ codecString: 'mp4a.40.29', channels: 6 })), [
    `${problem} has the audio codec and profile mp4a.40.29, allowed are mp4a.40.2, mp4a.67`,
    `${problem} has 6 audio channels, at most 2 are allowed`,
  ])
  t.strictSame(of(withAudio({ sampleRate: 96_000 }), 'threads'), [
    'threads (@ada): media v1 has an audio sample rate of 96000 Hz, at most 48000 are allowed',
  ])
  const [violation] = check('instagram', { media: [video({ tracks: withVideo({ codec: 'vp9' }) })] })
  t.match(violation, { limit: { allowed: ['avc', 'hevc'] }, actual: 'vp9', unit: null, mediaId: 'v1' })
})
