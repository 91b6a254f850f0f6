import { type Static, Type } from '@sinclair/typebox'
import { MediaKind } from './media.ts'
import { Ref, StringEnum } from './shared.ts'
import { LimitSource } from './validate-post.ts'

const SOURCE = {
  url: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/embed/images.json',
  confidence: 'official' as const,
  version: '2026-08-20',
  seenAt: '2026-11-21',
}

const bound = (description: string) => Type.Optional(Type.Number({ description: `${description} Absent: no limit.` }))
const list = (description: string) => Type.Array(Type.String(), { description })
const anyOf = (description: string) => Type.Optional(list(`${description} Absent: any.`))
const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

export const FileLimits = Type.Object(
  {
    kind: Ref(MediaKind),
    mimeTypes: list('The types that are accepted.'),
    bytesMin: bound('The minimum size in bytes.'),
    bytesMax: bound('The maximum size in bytes.'),
    convertedBytesMax: bound(
      'The maximum size of the file that the network makes of this one, in bytes, by the server of the account. Larger files lead to the warning `may_be_refused`.',
    ),
    widthMin: bound('The minimum width in pixels.'),
    widthMax: bound('The maximum width in pixels.'),
    heightMin: bound('The minimum height in pixels.'),
    heightMax: bound('The maximum height in pixels.'),
    shortSideMax: bound('The maximum of the smaller of width and height, in pixels.'),
    widthPlusHeightMax: bound('The maximum of width plus height, in pixels.'),
    pixelsMax: bound('The maximum of width times height.'),
    aspectRatioMin: bound('The minimum of width divided by height.'),
    aspectRatioMax: bound('The maximum of width divided by height.'),
    durationMinSeconds: bound('The minimum duration in seconds, less 0.05.'),
    durationMaxSeconds: bound('The maximum duration in seconds, plus 0.05.'),
    fpsMin: bound('The minimum of frames per second. 23.976 counts as 24.'),
    fpsMax: bound('The maximum of frames per second. 59.94 and 60.06 count as 60.'),
    fpsRounded: Type.Optional(
      StringEnum(['down'], { description: '`down`: the network rounds the rate down before it compares.' }),
    ),
    videoCodecs: anyOf('The accepted codecs, as `codec` in `VideoTrack` names them.'),
    chromaSubsamplings: anyOf('The accepted chroma subsamplings.'),
    scans: anyOf('The accepted scans: `progressive`, `interlaced`.'),
    pixelAspectRatios: anyOf('The accepted shapes of pixels, width to height.'),
    closedGop: flag('`true`: H.264 with open groups of pictures is rejected. HEVC is not checked.'),
    audioCodecs: anyOf('The accepted codecs, as `codec` in `AudioTrack` names them.'),
    audioCodecStrings: anyOf('The accepted codecs with their profiles, as `codecString` in `AudioTrack` has them.'),
    audioChannelsMax: bound('The maximum number of audio channels.'),
    audioSampleRateMax: bound('The maximum number of audio samples per second.'),
    framesMax: bound('The maximum number of frames.'),
    pagesMax: bound('The maximum number of pages of a document.'),
    stillsOnly: flag('`true`: animated images are rejected.'),
    stillGifs: flag('`true`: a GIF with a single frame is accepted as an image.'),
    sameSize: flag('`true`: all images of a post must have the same width and height.'),
    source: Ref(LimitSource),
  },
  {
    $id: 'FileLimits',
    description:
      'The limits of one kind of file. What is not known of a file, such as the duration of a video in an unusual format, or the codec of a file that an earlier version stored, is not checked.',
    examples: [
      {
        kind: 'image',
        mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
        stillGifs: true,
        bytesMax: 2_000_000,
        source: SOURCE,
      },
    ],
  },
)
export type FileLimits = Static<typeof FileLimits>

export const MediaLimits = Type.Object(
  {
    min: Type.Integer({ description: 'The minimum number of files of a scheduled post. A draft may be incomplete.' }),
    max: Type.Integer({ description: 'The maximum number of files.' }),
    imagesMax: Type.Integer({ description: 'The maximum number of images.' }),
    videosMax: Type.Integer({ description: 'The maximum number of videos.' }),
    gifsMax: Type.Integer({
      description: 'The maximum number of GIFs. 0 where `files` has no kind `gif`: GIFs are then images.',
    }),
    mixed: Type.Boolean({ description: 'Whether images and videos can be combined in one post.' }),
    gifAlone: Type.Boolean({ description: 'Whether a GIF must be the only file of its post.' }),
    documentsMax: Type.Integer({
      description: 'The maximum number of documents. A document has to be the only file of its post.',
    }),
    requestBytesMax: bound('The maximum size of all files together, in bytes.'),
    files: Type.Array(Ref(FileLimits), {
      description: 'The kinds of files that are accepted. Other kinds are rejected.',
    }),
    source: Ref(LimitSource),
  },
  {
    $id: 'MediaLimits',
    description: 'The number and the combination of the files of a post, and the limits of each.',
    examples: [
      {
        min: 0,
        max: 4,
        imagesMax: 4,
        videosMax: 0,
        gifsMax: 0,
        mixed: false,
        gifAlone: false,
        documentsMax: 0,
        files: FileLimits.examples,
        source: SOURCE,
      },
    ],
  },
)
export type MediaLimits = Static<typeof MediaLimits>
