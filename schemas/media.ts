import { type Static, Type } from '@sinclair/typebox'
import { ALT_TEXT_MAX } from './alt-text.ts'
import { METADATA_EXAMPLE, NewMetadata, NewReference, REFERENCE_EXAMPLE } from './references.ts'
import {
  Defaulted,
  Dictionary,
  Limit,
  NextCursor,
  Nullable,
  NullableInteger,
  NullableNumber,
  NullableString,
  Offset,
  PageQuery,
  Ref,
  StringEnum,
  UUID_PATTERN,
  WebAddress,
} from './shared.ts'

export const MEDIA_ID = '0196f0a9-30c2-7a94-86fd-e25b71c8d0a7'

/** A file of the demo that no post uses. */
export const UNUSED_MEDIA_ID = '0196f0a9-30c4-7e11-9b08-5ac2d6f3b771'

const MEDIA_KINDS = ['image', 'gif', 'video', 'document'] as const

/** The accepted file types, which are detected from the content. */
export const MEDIA_TYPES = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/heic',
  'video/mp4',
  'video/quicktime',
  'video/webm',
  'application/pdf',
] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

/** File name extensions, which some networks and clients take the type from. */
export const FILE_EXTENSIONS: Record<MediaType, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/heic': 'heic',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'application/pdf': 'pdf',
}

const CHROMA_SUBSAMPLINGS = ['4:0:0', '4:2:0', '4:2:2', '4:4:4'] as const
const SCANS = ['progressive', 'interlaced'] as const

/** Perceptual quantisation, and hybrid log-gamma, which phones record. */
export const HDR_TRANSFERS = ['pq', 'hlg'] as const

export const VideoTrack = Type.Object(
  {
    codec: Type.String({
      description:
        'The codec: `avc` (H.264), `hevc` (H.265), `vp8`, `vp9`, `av1` or `prores`. Any other codec has the code that the file states, such as `mp4v` for MPEG-4 part 2 or `h263`; `unknown` where it has none.',
    }),
    codecString: NullableString({
      description:
        'The codec with its profile and level, as the `codecs` parameter of a media type states it (RFC 6381), such as `avc1.640028`. `null` where it is not known.',
    }),
    chromaSubsampling: Nullable(StringEnum(CHROMA_SUBSAMPLINGS), {
      description: 'How colours are sampled. `null` where it is not known.',
    }),
    bitDepth: NullableInteger({ description: 'The bits of a sample. `null` where they are not known.' }),
    scan: Nullable(StringEnum(SCANS), {
      description: 'Whether frames are stored whole or as two fields. `null` where it is not known.',
    }),
    pixelAspectRatio: Type.String({ description: 'The shape of a pixel, width to height. `1:1` is a square.' }),
    closedGop: Nullable(Type.Boolean(), {
      description:
        'Whether no frame refers across a key frame to a group of pictures before it, in the first 8 groups. `null` where it is not known.',
    }),
    transfer: Type.Optional(
      StringEnum(HDR_TRANSFERS, {
        description:
          'The transfer function of a video with a high dynamic range (ITU-R BT.2100). Absent for any other video, and for files that an earlier version has inspected.',
      }),
    ),
  },
  {
    $id: 'VideoTrack',
    description: 'The video track of a file that networks look at: the default one, or the first one.',
    examples: [
      {
        codec: 'avc',
        codecString: 'avc1.640028',
        chromaSubsampling: '4:2:0',
        bitDepth: 8,
        scan: 'progressive',
        pixelAspectRatio: '1:1',
        closedGop: true,
      },
    ],
  },
)
export type VideoTrack = Static<typeof VideoTrack>

export const AudioTrack = Type.Object(
  {
    codec: Type.String({
      description:
        'The codec: `aac`, `mp3`, `opus`, `vorbis`, `flac`, `ac3`, `eac3`, `dts`, `ulaw`, `alaw` or one that begins with `pcm-`. Any other codec has the code that the file states, such as `alac`; `unknown` where it has none.',
    }),
    codecString: NullableString({
      description:
        'The codec with its profile (RFC 6381), such as `mp4a.40.2` for AAC Low Complexity. `null` where it is not known.',
    }),
    channels: Type.Integer({ description: 'The number of channels: 2 for stereo, 6 for 5.1.' }),
    sampleRate: Type.Integer({ description: 'Samples per second.' }),
  },
  {
    $id: 'AudioTrack',
    description: 'The audio track of a file that networks look at: the default one, or the first one.',
    examples: [{ codec: 'aac', codecString: 'mp4a.40.2', channels: 2, sampleRate: 48_000 }],
  },
)
export type AudioTrack = Static<typeof AudioTrack>

export const MediaTracks = Type.Object(
  {
    video: Ref(VideoTrack),
    audio: Nullable(Ref(AudioTrack), { description: 'The audio track. `null`: the video has no sound.' }),
  },
  {
    $id: 'MediaTracks',
    description: 'What is inside of a video.',
    examples: [{ video: VideoTrack.examples[0], audio: AudioTrack.examples[0] }],
  },
)
export type MediaTracks = Static<typeof MediaTracks>

const coordinate = (description: string) => Type.Number({ minimum: -1, maximum: 1, description })

export const Focus = Type.Object(
  {
    x: coordinate('From -1, the left edge, to 1, the right edge.'),
    y: coordinate('From -1, the bottom edge, to 1, the top edge.'),
  },
  {
    $id: 'Focus',
    additionalProperties: false,
    description:
      'The point of an image or a video that stays visible where it is cropped, as on Mastodon. `{"x": 0, "y": 0}` is the centre.',
    examples: [{ x: 0.2, y: 0.65 }],
  },
)
export type Focus = Static<typeof Focus>

/** The facts of a file that limits apply to. Null: unknown, or not applicable to its type. */
export interface MediaFacts {
  id: string
  mimeType: string
  bytes: number | null
  width: number | null
  height: number | null
  durationSeconds: number | null
  fps: number | null
  frames: number | null
  tracks: MediaTracks | null
  /** The pages of a document. */
  pages?: number | null
  /** For messages. */
  fileName?: string | null
  kind?: MediaKind | null
  altText?: string | null
  focus?: Focus | null
  /** `pending` if the file is being uploaded to an address; why that failed. Absent, or null, if it is there. */
  missing?: string | null
}

export const MediaKind = StringEnum(MEDIA_KINDS, {
  $id: 'MediaKind',
  description:
    'How networks treat the file: an `image` is a still image, a `gif` is an animated GIF or WebP image, a `video` is a video, a `document` is a PDF. A GIF or WebP with a single frame is an `image`.',
  examples: ['image'],
})
export type MediaKind = Static<typeof MediaKind>

export const MEDIA_FITS = ['exact', 'auto', 'pad', 'crop'] as const

export const MediaFit = StringEnum(MEDIA_FITS, {
  $id: 'MediaFit',
  description: `What happens to a file that a network does not take as it is.

- \`exact\`: the post is rejected.
- \`auto\`: the network gets a rendition. An image becomes a JPEG, or a WebP if it is transparent and the network takes WebP, with as many pixels and in the best quality that the network takes. An animation keeps its frames. A video becomes an MP4 with H.264 and AAC, with the frame rate, size and rate of bits that the network takes: a worker with ffmpeg makes it before it is sent, and \`getMedia\` shows the progress. A high dynamic range becomes a standard one; without the filters \`zscale\` and \`tonemap\` in its ffmpeg, colours may look pale. \`listPlatforms\` tells whether there is such a worker. Without one, the post is rejected.
- \`pad\`: as \`auto\`, and an image or a video with another aspect ratio than the network takes gets bars in \`padColor\`.
- \`crop\`: as \`auto\`, and such a file loses its edges: its \`focus\` stays, or else its centre. A stored post keeps its crop when \`updateMedia\` changes the focus. Its next \`updatePost\` crops the file again.

A file that breaks no limit is sent as it is.`,
  examples: ['auto'],
})
export type MediaFit = Static<typeof MediaFit>

export const PAD_COLOR = '^#[0-9A-Fa-f]{6}$'

export const PadColor = () =>
  Type.String({
    pattern: PAD_COLOR,
    description: 'The colour of the bars that `mediaFit` `pad` adds, as `#rrggbb`. Default: white.',
    examples: ['#ffffff'],
  })

export const AdjustedFile = Type.Object(
  {
    mimeType: Type.String({ description: 'The type of the file.' }),
    bytes: NullableInteger({
      description: 'The size of the file in bytes. `null` for a rendition that is not made yet.',
    }),
    width: NullableInteger({ description: 'The displayed width in pixels.' }),
    height: NullableInteger({ description: 'The displayed height in pixels.' }),
  },
  {
    $id: 'AdjustedFile',
    description: 'The facts of a file before or after it was made to fit.',
    examples: [{ mimeType: 'image/png', bytes: 9_412_608, width: 4032, height: 3024 }],
  },
)
export type AdjustedFile = Static<typeof AdjustedFile>

/** Several times what any network takes. Each account checks its list, so the sum needs a bound. */
export const MEDIA_IDS_MAX = 200

export const MediaIds = (options: { description?: string } = {}) =>
  Type.Array(Type.String(), { maxItems: MEDIA_IDS_MAX, ...options })

export const Adjustment = Type.Object(
  {
    accountId: Type.String({ description: 'The id of the account that gets the rendition.' }),
    mediaId: Type.String({ description: 'The id of the file that it is made from.' }),
    from: Ref(AdjustedFile),
    to: Ref(AdjustedFile),
    why: Type.Array(Type.String(), {
      description: 'The limits that the file breaks: the names of their rules, as in `PostViolation`.',
    }),
  },
  {
    $id: 'Adjustment',
    description:
      'A file that one account gets in another form, by `mediaFit`: `from` is the file, `to` is the rendition in its place.',
    examples: [
      {
        accountId: '0196f0a1-5b2e-7c41-9d3f-8a6b0e4c7d12',
        mediaId: MEDIA_ID,
        from: { mimeType: 'image/png', bytes: 9_412_608, width: 4032, height: 3024 },
        to: { mimeType: 'image/jpeg', bytes: 1_911_034, width: 4032, height: 3024 },
        why: ['media_type', 'media_bytes'],
      },
    ],
  },
)
export type Adjustment = Static<typeof Adjustment>

export const ALT_TEXT = 'The alternative text: what the file shows, for people who cannot see it.'

const image = {
  id: MEDIA_ID,
  kind: 'image',
  mimeType: 'image/jpeg',
  bytes: 482_113,
  width: 1080,
  height: 1350,
  durationSeconds: null,
  fps: null,
  tracks: null,
  pages: null,
  altText: 'A lighthouse at dusk.',
  focus: null,
  fileName: 'lighthouse.jpg',
  externalReference: REFERENCE_EXAMPLE,
  metadata: METADATA_EXAMPLE,
  createdAt: '2026-11-21T08:12:04.871Z',
}

const video = {
  ...image,
  id: '0196f0a7-e8d1-7f05-9b3c-48a1d06e72f9',
  kind: 'video',
  mimeType: 'video/mp4',
  bytes: 6_291_456,
  width: 1080,
  height: 1920,
  durationSeconds: 21.5,
  fps: 30,
  tracks: MediaTracks.examples[0],
  altText: null,
  fileName: 'harbour.mp4',
  externalReference: null,
  metadata: null,
  createdAt: '2026-11-20T16:58:40.020Z',
}

export const Media = Type.Object(
  {
    id: Type.String({ description: 'The id of the file, for `mediaIds` of a post. Newer files have greater ids.' }),
    kind: Ref(MediaKind),
    mimeType: Type.String({
      description:
        'The type of the file, detected from its content. For a file that was registered without content, the registered type.',
    }),
    bytes: Type.Integer({ description: 'The size of the file in bytes.' }),
    width: NullableInteger({
      description:
        'The displayed width in pixels, after the EXIF orientation or the rotation of a video is applied. `null` where it is not known.',
    }),
    height: NullableInteger({
      description:
        'The displayed height in pixels, after the EXIF orientation or the rotation of a video is applied. `null` where it is not known.',
    }),
    durationSeconds: NullableNumber({
      description:
        'The duration of a video or an animated image in seconds. `null` for a still image and where it is not known.',
    }),
    fps: NullableNumber({
      description:
        'Frames per second, averaged over the first 3,000 frames. `null` for a still image and where it is not known.',
    }),
    tracks: Nullable(Ref(MediaTracks), {
      description:
        'What is inside of a video: codecs, chroma subsampling, channels. `null` for an image, and for a video that was added before version 1.1 or registered without content. Limits of unknown properties are not checked.',
    }),
    pages: NullableInteger({ description: 'The number of pages of a document. `null` for other files.' }),
    altText: NullableString({ description: `${ALT_TEXT} \`null\` if it has none.` }),
    focus: Nullable(Ref(Focus), { description: 'The focus of the file. `null` if it has none.' }),
    fileName: NullableString({
      description:
        'The name that the file had when it was added: that of the form, or the end of the URL. `null` where there was none.',
    }),
    externalReference: NullableString({ description: 'Your own name for the file, or `null`.' }),
    metadata: Nullable(Dictionary(Type.String()), { description: 'Your own pairs of names and texts, or `null`.' }),
    createdAt: Type.String({ format: 'date-time', description: 'When the file was added, in UTC with milliseconds.' }),
  },
  { $id: 'Media', description: 'An image, a video or a PDF that posts can refer to.', examples: [image, video] },
)
export type Media = Static<typeof Media>

/** How many posts of a file a list names, and its details. */
export const POST_IDS_MAX = { listed: 10, detail: 100 } as const

const postIds = (max: number) =>
  Type.Array(Type.String(), { description: `The ids of up to ${max} posts that use the file.` })

export const ListedMedia = Type.Object(
  { ...Media.properties, postIds: postIds(POST_IDS_MAX.listed) },
  {
    $id: 'ListedMedia',
    description: 'An image or a video in a list.',
    examples: [
      { ...image, postIds: ['0196f0b2-81d4-7e6f-8a15-c07d2e9b4f63'] },
      { ...video, postIds: [] },
    ],
  },
)
export type ListedMedia = Static<typeof ListedMedia>

/** How many renditions the details of a file name. */
export const RENDITIONS_SHOWN_MAX = 100

const RENDITION_STATES = ['waiting', 'running', 'made', 'failed'] as const

export const Rendition = Type.Object(
  {
    state: StringEnum(RENDITION_STATES, {
      description:
        '`waiting`: a worker is going to make it. `running`: a worker makes it now. `made`: it is there. `failed`: it cannot be made.',
    }),
    progress: Type.Number({ minimum: 0, maximum: 1, description: 'How much of it is made, from 0 to 1.' }),
    mimeType: Type.String({ description: 'The type of the rendition.' }),
    bytes: NullableInteger({ description: 'Its size in bytes. `null` until it is made.' }),
    width: NullableInteger({ description: 'The displayed width in pixels. `null` if it failed.' }),
    height: NullableInteger({ description: 'The displayed height in pixels. `null` if it failed.' }),
    problem: NullableString({ description: 'Why it cannot be made. `null` otherwise.' }),
  },
  {
    $id: 'Rendition',
    description: 'A form of a file that networks get by `mediaFit`.',
    examples: [
      {
        state: 'running',
        progress: 0.42,
        mimeType: 'video/mp4',
        bytes: null,
        width: 1080,
        height: 1920,
        problem: null,
      },
    ],
  },
)
export type Rendition = Static<typeof Rendition>

export const MediaDetail = Type.Object(
  {
    ...Media.properties,
    postIds: postIds(POST_IDS_MAX.detail),
    renditions: Type.Array(Ref(Rendition), {
      description: `The first ${RENDITIONS_SHOWN_MAX} forms of the file that networks get by \`mediaFit\`, oldest first.`,
    }),
  },
  {
    $id: 'MediaDetail',
    description: 'An image, a video or a PDF, and the posts that use it.',
    examples: [
      { ...image, postIds: ['0196f0b2-81d4-7e6f-8a15-c07d2e9b4f63'], renditions: [] },
      { ...video, postIds: [], renditions: Rendition.examples },
    ],
  },
)
export type MediaDetail = Static<typeof MediaDetail>

export const ListMediaQuery = Type.Object({
  ...PageQuery.properties,
  organizationId: Type.Optional(
    Type.String({
      pattern: UUID_PATTERN,
      description:
        'The files in posts of this organisation instead of your own: those of all members, your own included. Only admins of the organisation may use it.',
    }),
  ),
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Only files whose name, alternative text or `externalReference` has all these words, in any order. Parts of words are found, without regard to case, accents and points: `light` finds `Lighthouse.jpg`, and `lodz` finds `Łódź`. No character is a wildcard.',
    }),
  ),
})
export type ListMediaQuery = Static<typeof ListMediaQuery>

const MediaQuota = Type.Object(
  {
    usedBytes: Type.Integer({ minimum: 0, description: 'The bytes of all your files.' }),
    allowedBytes: Type.Integer({
      minimum: 1,
      description: 'How many they may have. `uploadMedia` and `importMedia` reject a file that exceeds it with 409.',
    }),
  },
  {
    $id: 'MediaQuota',
    description: 'How much of your quota is used. Absent if the operator has set none, and with `organizationId`.',
    examples: [{ usedBytes: 4_200_000, allowedBytes: 10_000_000_000 }],
  },
)

export const MediaList = Type.Object(
  {
    data: Type.Array(Ref(ListedMedia), { description: 'The page, newest first.' }),
    limit: Limit(),
    offset: Offset(),
    nextCursor: NextCursor(),
    quota: Type.Optional(Ref(MediaQuota)),
  },
  {
    $id: 'MediaList',
    description: 'One page of your media, with the paging that was applied.',
    examples: [{ data: ListedMedia.examples, limit: 25, offset: 0, nextCursor: null }],
  },
)
export type MediaList = Static<typeof MediaList>

const altText = Type.String({ maxLength: ALT_TEXT_MAX, description: ALT_TEXT })

/** For the document only: the form is parsed part by part, without this schema. */
export const UploadMedia = Type.Object(
  {
    // OpenAPI 3.1 wants `contentMediaType`; generators and Swagger UI still read `format`.
    file: Type.Unsafe<unknown>({
      type: 'string',
      format: 'binary',
      contentMediaType: 'application/octet-stream',
      description: 'The file. Its name is kept; its type is detected from the content.',
    }),
    // The empty example replaces "string", which Swagger UI would fill in.
    altText: Type.Optional({ ...altText, examples: [''] }),
    focus: Type.Optional(
      Type.String({
        description: 'The focus as two numbers, such as `0.2,0.65`: see `Focus`.',
        examples: [''],
      }),
    ),
    externalReference: Type.Optional({ ...NewReference('file'), examples: [''] }),
    metadata: Type.Optional(
      Type.String({
        description: 'Your own pairs of names and texts, as for `importMedia`, as JSON: `{"campaign": "spring"}`.',
        examples: ['{}'],
      }),
    ),
  },
  {
    $id: 'UploadMedia',
    additionalProperties: false,
    description:
      'One file, with an optional alternative text, focus, reference and metadata, in any order. Other parts are rejected.',
  },
)

export const IMPORT_MEDIA_EXAMPLE = {
  url: 'https://www.example.com/lighthouse.jpg',
  altText: 'A lighthouse at dusk.',
}

/** Longer URLs are rare, and many servers reject them. */
const URL_MAX = 2_048

export const ImportMedia = Type.Object(
  {
    url: WebAddress({
      maxLength: URL_MAX,
      description:
        'The address of the file, beginning with `https://` or `http://`, without a user name or password. It must lead to the public internet, after redirects as well. Up to five redirects are followed.',
    }),
    altText: Type.Optional(altText),
    focus: Type.Optional(Ref(Focus)),
    externalReference: Type.Optional(NewReference('file')),
    metadata: Type.Optional(NewMetadata()),
  },
  {
    $id: 'ImportMedia',
    additionalProperties: false,
    description: 'A file to fetch. Unknown keys are rejected.',
    examples: [IMPORT_MEDIA_EXAMPLE],
  },
)
export type ImportMedia = Static<typeof ImportMedia>

export const UPDATE_MEDIA_EXAMPLES = {
  change: { altText: 'A lighthouse at dusk.' },
  remove: { altText: null },
  focus: { focus: { x: 0.2, y: 0.65 } },
}

export const UpdateMedia = Type.Object(
  {
    altText: Type.Optional(
      NullableString({
        maxLength: ALT_TEXT_MAX,
        description: `${ALT_TEXT} \`null\` removes it. Required without \`focus\`.`,
      }),
    ),
    focus: Type.Optional(Nullable(Ref(Focus), { description: 'The new focus. `null` removes it.' })),
  },
  {
    $id: 'UpdateMedia',
    additionalProperties: false,
    description: 'The changes to a file. Unknown keys are rejected.',
    examples: Object.values(UPDATE_MEDIA_EXAMPLES),
  },
)
export type UpdateMedia = Static<typeof UpdateMedia>

export const MediaPath = Type.Object({
  id: Type.String({
    description: 'The id of the file, from `listMedia` or from the response that created it.',
    examples: [MEDIA_ID],
  }),
})
export type MediaPath = Static<typeof MediaPath>

/** The widths of previews, in pixels. */
export const PREVIEW_WIDTHS = [160, 320, 640, 1280] as const

export const PreviewQuery = Type.Object({
  width: Defaulted(
    Type.Integer({
      minimum: 1,
      maximum: PREVIEW_WIDTHS.at(-1)!,
      description: `The width in pixels, rounded up to ${PREVIEW_WIDTHS.join(', ')}. A smaller image keeps its own.`,
    }),
    320,
  ),
})
export type PreviewQuery = Static<typeof PreviewQuery>

/** No examples: Swagger UI would send them. */
export const ContentHeaders = Type.Object({
  Range: Type.Optional(
    Type.String({
      description: 'The requested part of the file, such as `bytes=0-1023`. Leave it out to get the whole file.',
    }),
  ),
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'The `ETag` of the bytes that you already have. The response is 304 where it still matches.',
    }),
  ),
})

const header = (description: string) => ({ type: 'string', description })

/** The response headers of a file's content. */
export const CONTENT_HEADERS = {
  ETag: header(
    'The version of these bytes, for `If-None-Match`, `If-Match` and `If-Range`. The bytes of an id never change.',
  ),
  'Content-Disposition': header('A file name for saving: the id with the extension of the type.'),
  'Content-Range': header('The range of these bytes, and the size of the file.'),
  Location: header('The temporary address of the file.'),
}
