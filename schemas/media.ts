import { type Static, Type } from '@sinclair/typebox'
import {
  Limit,
  NextCursor,
  NullableInteger,
  NullableNumber,
  NullableString,
  Offset,
  Ref,
  StringEnum,
} from './shared.ts'

export const MEDIA_ID = '0196f0a9-30c2-7a94-86fd-e25b71c8d0a7'

export const MEDIA_KINDS = ['image', 'gif', 'video'] as const

/** The types of file that can be uploaded, as their content says. */
export const MEDIA_TYPES = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'video/mp4',
  'video/quicktime',
  'video/webm',
] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

/** File name extensions, which some networks and clients take the type from. */
export const FILE_EXTENSIONS: Record<MediaType, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
}

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
}

export const MediaKind = StringEnum(MEDIA_KINDS, {
  $id: 'MediaKind',
  description: 'What the file is to a network: an `image` stands still, a `gif` is an animated image, a `video` plays.',
  examples: ['image'],
})
export type MediaKind = Static<typeof MediaKind>

/** In UTF-16 units; above what any network takes. */
export const ALT_TEXT_MAX = 5_000

const ALT_TEXT = 'What the file shows, for people who cannot see it.'

const image = {
  id: MEDIA_ID,
  kind: 'image',
  mimeType: 'image/jpeg',
  bytes: 482_113,
  width: 1080,
  height: 1350,
  durationSeconds: null,
  fps: null,
  altText: 'A lighthouse at dusk.',
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
  altText: null,
  createdAt: '2026-11-20T16:58:40.020Z',
}

export const Media = Type.Object(
  {
    id: Type.String({ description: 'The id to post with: it goes into `mediaIds`. Newer files have greater ones.' }),
    kind: Ref(MediaKind),
    mimeType: Type.String({ description: 'The type of the file: by its content, unless only facts were registered.' }),
    bytes: Type.Integer({ description: 'The size of the file in bytes.' }),
    width: NullableInteger({
      description: 'The width in pixels, as it is shown: after rotation. `null` if it is not known.',
    }),
    height: NullableInteger({
      description: 'The height in pixels, as it is shown: after rotation. `null` if it is not known.',
    }),
    durationSeconds: NullableNumber({
      description: 'How long it plays, in seconds; `null` for what stands still, and if it is not known.',
    }),
    fps: NullableNumber({
      description:
        'Frames per second, on average over the first 3,000 frames; `null` for what stands still, and if it is not known.',
    }),
    altText: NullableString({ description: `${ALT_TEXT} \`null\` if there is none.` }),
    createdAt: Type.String({ format: 'date-time', description: 'When it was added, in UTC with milliseconds.' }),
  },
  { $id: 'Media', description: 'An image or a video that posts can refer to.', examples: [image, video] },
)
export type Media = Static<typeof Media>

export const MediaList = Type.Object(
  {
    data: Type.Array(Ref(Media), { description: 'The page, newest first.' }),
    limit: Limit(),
    offset: Offset(),
    nextCursor: NextCursor(),
  },
  {
    $id: 'MediaList',
    description: 'One page of the caller’s media, with the paging that was applied.',
    examples: [{ data: [image, video], limit: 25, offset: 0, nextCursor: null }],
  },
)
export type MediaList = Static<typeof MediaList>

const altText = Type.String({ maxLength: ALT_TEXT_MAX, description: ALT_TEXT })

/** Read part by part, never as a whole: this describes it. */
export const UploadMedia = Type.Object(
  {
    // `format` is what generators and Swagger UI go by; in OpenAPI 3.1 the media type is what says it.
    file: Type.Unsafe<unknown>({
      type: 'string',
      format: 'binary',
      contentMediaType: 'application/octet-stream',
      description: 'The file. Its name, and the type that it is said to be of, do not matter.',
    }),
    // Without the example, Swagger UI would fill in "string".
    altText: Type.Optional({ ...altText, examples: [''] }),
  },
  {
    $id: 'UploadMedia',
    additionalProperties: false,
    description: 'One file. A part that is not listed here is refused.',
  },
)

export const IMPORT_MEDIA_EXAMPLE = {
  url: 'https://www.example.com/lighthouse.jpg',
  altText: 'A lighthouse at dusk.',
}

/** Longer addresses are rare, and refused by many servers. */
export const URL_MAX = 2_048

export const ImportMedia = Type.Object(
  {
    url: Type.String({
      maxLength: URL_MAX,
      description:
        'Where the file is: an address that begins with `https://` or `http://` and leads to the public internet, also after redirections (five at most).',
    }),
    altText: Type.Optional(altText),
  },
  {
    $id: 'ImportMedia',
    additionalProperties: false,
    description: 'A file to fetch. A key that is not listed here is refused.',
    examples: [IMPORT_MEDIA_EXAMPLE],
  },
)
export type ImportMedia = Static<typeof ImportMedia>

export const UPDATE_MEDIA_EXAMPLES = {
  change: { altText: 'A lighthouse at dusk.' },
  remove: { altText: null },
}

export const UpdateMedia = Type.Object(
  { altText: NullableString({ maxLength: ALT_TEXT_MAX, description: `${ALT_TEXT} \`null\` removes it.` }) },
  {
    $id: 'UpdateMedia',
    additionalProperties: false,
    description: 'What can be changed about a file.',
    examples: Object.values(UPDATE_MEDIA_EXAMPLES),
  },
)
export type UpdateMedia = Static<typeof UpdateMedia>

export const MediaPath = Type.Object({
  id: Type.String({ description: 'The id of the file, as the list shows it.', examples: [MEDIA_ID] }),
})
export type MediaPath = Static<typeof MediaPath>

/** Without examples: Swagger UI would send them. */
export const ContentHeaders = Type.Object({
  Range: Type.Optional(
    Type.String({ description: 'The part that is wanted, such as `bytes=0-1023`; the whole file when left out.' }),
  ),
  'If-None-Match': Type.Optional(Type.String({ description: 'The `ETag` of the bytes that you have already.' })),
})

const header = (description: string) => ({ type: 'string', description })

/** What stands beside the bytes. */
export const CONTENT_ANSWERS = {
  ETag: header('Names these bytes, for `If-None-Match`.'),
  'Content-Disposition': header('A name to save the file under.'),
  'Content-Range': header('Which bytes these are, and how many there are.'),
  Location: header('The address.'),
}
