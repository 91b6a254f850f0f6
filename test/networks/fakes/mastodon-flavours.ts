import { refuse } from './mastodon-login.ts'
import { Refused } from './network.ts'

/** How a server that speaks Mastodon's API differs from Mastodon. Each value was read in the server's own code. */
export interface Flavour {
  /** The responses of the pages that state limits and software, by path. Others have 404. */
  pages: Record<string, object>
  lengthMax: number
  /** The length of a status as the server counts it. */
  lengthOf(text: string, spoiler: string): number
  spoilerMax?: number
  /** The status of refusals. */
  refusal: number
  filesMax: number
  types: readonly string[]
  altTextMax: number
  altTextMin?: number
  altTextLengthOf(text: string): number
  needsFile?: true
  visibilities: readonly string[]
  takesLanguage?(code: string): boolean
  /** Absent: polls are dropped in silence. */
  poll?: { optionsMax: number; optionMax: number; lengthOf(option: string): number; min: number; max: number }
  /** `refused`: the second use of an `Idempotency-Key` is, for an hour. */
  keys: 'replayed' | 'refused' | 'ignored'
  hasSource: boolean
  /** The parameter with which several statuses are read at a time. */
  idsParameter: 'ids[]' | null
  uploads: '/api/v1/media' | '/api/v2/media'
  listsReplies: boolean
  edits: boolean
  deletes: 'status' | 'empty list' | 'status, else 500' | 'nothing, else 400'
  /** A post has either files or a poll. */
  pollsAlone?: true
  /** A text may be absent, but not empty. */
  needsText?: true
  /** Whether this reply becomes a reaction. */
  isReaction?(text: string): boolean
  /** The ids of files change when they are attached. */
  renamesFiles?: true
}

const runes = (text: string) => [...text].length
const utf16 = (text: string) => text.length
const segmenter = new Intl.Segmenter('en')
const graphemes = (text: string) => [...segmenter.segment(text)].length

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif']
const MASTODON_VISIBILITIES = ['public', 'unlisted', 'private', 'direct']

/** 57cb4fe of https://codeberg.org/superseriousbusiness/gotosocial: internal/processing/status/common.go. */
const gotosocial: Flavour = {
  pages: {
    '/api/v2/instance': {
      domain: 'mastodon.example',
      version: '0.20.0+git-57cb4fe',
      source_url: 'https://codeberg.org/superseriousbusiness/gotosocial',
      configuration: {
        statuses: {
          max_characters: 600,
          max_media_attachments: 6,
          characters_reserved_per_url: 25,
          supported_mime_types: ['text/plain', 'text/markdown'],
        },
        media_attachments: {
          supported_mime_types: [...IMAGES, 'video/mp4', 'video/quicktime', 'video/webm'],
          image_size_limit: 41_943_040,
          image_matrix_limit: 2_147_483_647,
          video_size_limit: 41_943_040,
          video_frame_rate_limit: 2_147_483_647,
          video_matrix_limit: 2_147_483_647,
          description_limit: 1500,
          description_minimum: 5,
        },
        polls: { max_options: 6, max_characters_per_option: 50, min_expiration: 300, max_expiration: 2_629_746 },
      },
    },
  },
  lengthMax: 600,
  lengthOf: (text, spoiler) => runes(text) + runes(spoiler),
  refusal: 400,
  filesMax: 6,
  types: [...IMAGES, 'video/mp4', 'video/quicktime', 'video/webm'],
  altTextMax: 1500,
  altTextMin: 5,
  altTextLengthOf: runes,
  visibilities: MASTODON_VISIBILITIES,
  // golang.org/x/text/language.Parse refuses subtags that it does not know.
  takesLanguage: (code) => /^[a-z]{2,3}(?:-[A-Z]{2})?$/.test(code) && code !== 'xx',
  poll: { optionsMax: 6, optionMax: 50, lengthOf: runes, min: 0, max: Number.POSITIVE_INFINITY },
  keys: 'ignored',
  hasSource: true,
  idsParameter: null,
  uploads: '/api/v2/media',
  listsReplies: true,
  edits: true,
  deletes: 'status',
  pollsAlone: true,
}

/** https://akkoma.dev/AkkomaGang/akkoma: lib/pleroma/web/common_api/utils.ex and activity_draft.ex. */
const akkoma: Flavour = {
  pages: {
    '/api/v1/instance': {
      uri: 'https://mastodon.example',
      version: '2.7.2 (compatible; Akkoma 3.15.2-0-g0000000)',
      max_toot_chars: 700,
      description_limit: 2000,
      upload_limit: 16_000_000,
      poll_limits: { max_options: 20, max_option_chars: 200, min_expiration: 0, max_expiration: 31_536_000 },
      pleroma: { metadata: { post_formats: ['text/plain', 'text/html', 'text/markdown', 'text/bbcode'] } },
    },
  },
  lengthMax: 700,
  lengthOf: (text, spoiler) => graphemes((text.trim() + spoiler).trim()),
  refusal: 422,
  filesMax: Number.POSITIVE_INFINITY,
  types: [...IMAGES, 'video/mp4', 'video/quicktime', 'video/webm'],
  altTextMax: 2000,
  altTextLengthOf: graphemes,
  visibilities: [...MASTODON_VISIBILITIES, 'local'],
  // priv/language-codes.json has the codes of ISO 639-1.
  takesLanguage: (code) => /^[a-z]{2}$/.test(code) && code !== 'xx',
  poll: { optionsMax: 20, optionMax: 200, lengthOf: graphemes, min: 0, max: 31_536_000 },
  keys: 'replayed',
  hasSource: true,
  idsParameter: 'ids[]',
  uploads: '/api/v2/media',
  listsReplies: true,
  edits: true,
  deletes: 'status',
}

/**
 * 1193ce0 of https://git.pleroma.social/pleroma/pleroma: the same texts, and
 * lib/pleroma/web/mastodon_api/views/instance_view.ex. Languages that it does not know are ignored.
 */
const { takesLanguage: _, ...akkomaTexts } = akkoma
const pleroma: Flavour = {
  ...akkomaTexts,
  pages: {
    '/api/v2/instance': {
      domain: 'mastodon.example',
      version: '2.7.2 (compatible; Pleroma 2.9.1)',
      source_url: 'https://git.pleroma.social/pleroma/pleroma/-/tree/stable',
      configuration: {
        statuses: { max_characters: 700, max_media_attachments: 1000 },
        media_attachments: {
          supported_mime_types: ['application/octet-stream'],
          image_size_limit: 16_000_000,
          video_size_limit: 16_000_000,
        },
        polls: { max_options: 20, max_characters_per_option: 200, min_expiration: 0, max_expiration: 31_536_000 },
      },
      pleroma: { metadata: { post_formats: ['text/plain', 'text/markdown'], description_limit: 2000 } },
    },
  },
}

/** 8aae92d of https://github.com/pixelfed/pixelfed: ApiV1Controller.php and ApiV2Controller.php. */
const pixelfed: Flavour = {
  pages: {
    '/api/v2/instance': {
      domain: 'mastodon.example',
      version: '3.5.3 (compatible; Pixelfed 0.12.5)',
      source_url: 'https://github.com/pixelfed/pixelfed',
      configuration: {
        statuses: { max_characters: 500, max_media_attachments: 10, characters_reserved_per_url: 23 },
        media_attachments: {
          supported_mime_types: ['image/jpeg', 'image/png', 'image/gif', 'video/mp4'],
          image_size_limit: 15_360_000,
          image_matrix_limit: 3_686_400,
          video_size_limit: 15_360_000,
          video_frame_rate_limit: 240,
          video_matrix_limit: 3_686_400,
        },
        polls: { max_options: 0, max_characters_per_option: 0, min_expiration: 0, max_expiration: 0 },
      },
    },
  },
  lengthMax: 500,
  lengthOf: (text) => runes(text.trim()),
  spoilerMax: 140,
  // Its handler has no status for a validation that failed.
  refusal: 500,
  filesMax: 10,
  types: ['image/jpeg', 'image/png', 'image/gif', 'video/mp4'],
  altTextMax: 1000,
  altTextLengthOf: runes,
  needsFile: true,
  visibilities: ['public', 'unlisted', 'private'],
  keys: 'refused',
  hasSource: false,
  idsParameter: null,
  uploads: '/api/v2/media',
  listsReplies: false,
  edits: false,
  deletes: 'status, else 500',
}

/** a0a8aeb of https://github.com/friendica/friendica: src/Module/Api/Mastodon. */
const friendica: Flavour = {
  pages: {
    '/api/v2/instance': {
      domain: 'mastodon.example',
      version: '2.8.0 (compatible; Friendica 2024.08)',
      source_url: 'https://git.friendi.ca/friendica/friendica',
      configuration: {
        statuses: { max_characters: 2000, max_media_attachments: 99, characters_reserved_per_url: 23 },
        media_attachments: {
          supported_mime_types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'video/mp4', 'video/webm'],
          image_size_limit: 0,
          image_matrix_limit: 33_177_600,
          video_size_limit: 104_857_600,
          video_frame_rate_limit: 60,
          video_matrix_limit: 33_177_600,
        },
        polls: { max_options: 0, max_characters_per_option: 0, min_expiration: 0, max_expiration: 0 },
      },
    },
  },
  lengthMax: Number.POSITIVE_INFINITY,
  lengthOf: () => 0,
  refusal: 422,
  filesMax: Number.POSITIVE_INFINITY,
  types: [...IMAGES, 'video/mp4', 'video/webm'],
  altTextMax: Number.POSITIVE_INFINITY,
  altTextLengthOf: runes,
  visibilities: MASTODON_VISIBILITIES,
  keys: 'ignored',
  hasSource: true,
  idsParameter: null,
  uploads: '/api/v1/media',
  listsReplies: true,
  edits: true,
  deletes: 'empty list',
  renamesFiles: true,
}

/** b3d9f64 of https://iceshrimp.dev/iceshrimp/Iceshrimp.NET: Iceshrimp.Backend/Core/Services/NoteService.cs. */
const iceshrimp: Flavour = {
  pages: {
    '/api/v2/instance': {
      domain: 'mastodon.example',
      version: '4.2.1 (compatible; Iceshrimp.NET/2025.1-beta5)',
      source_url: 'https://iceshrimp.dev/iceshrimp/Iceshrimp.NET',
      configuration: {
        statuses: { max_characters: 900, max_media_attachments: 16, supported_mime_types: ['text/x.misskeymarkdown'] },
        media_attachments: {
          supported_mime_types: [...IMAGES, 'video/mp4', 'video/quicktime', 'video/webm'],
          image_size_limit: 10_485_760,
          image_matrix_limit: 16_777_216,
          video_size_limit: 41_943_040,
        },
        polls: { max_options: 10, max_characters_per_option: 50, min_expiration: 50, max_expiration: 2_629_746 },
      },
    },
  },
  lengthMax: 900,
  lengthOf: (text, spoiler) => utf16(text) + utf16(spoiler),
  refusal: 422,
  filesMax: Number.POSITIVE_INFINITY,
  types: [...IMAGES, 'video/mp4', 'video/quicktime', 'video/webm'],
  altTextMax: Number.POSITIVE_INFINITY,
  altTextLengthOf: runes,
  visibilities: [...MASTODON_VISIBILITIES, 'local'],
  poll: { optionsMax: 10, optionMax: Number.POSITIVE_INFINITY, lengthOf: utf16, min: 0, max: Number.POSITIVE_INFINITY },
  keys: 'replayed',
  hasSource: true,
  idsParameter: null,
  uploads: '/api/v2/media',
  listsReplies: true,
  edits: true,
  deletes: 'status',
}

/**
 * 2025.4 of https://activitypub.software/TransFem-org/Sharkey: packages/backend/src/server/api/mastodon/endpoints, and
 * api/endpoints/notes/create.ts, whose schema counts code points.
 */
const sharkey: Flavour = {
  pages: {
    '/api/v1/instance': {
      uri: 'mastodon.example',
      version: '3.0.0 (compatible; Sharkey 2025.4.3; like Akkoma)',
      configuration: {
        statuses: { max_characters: 800, max_media_attachments: 16, characters_reserved_per_url: 24 },
        media_attachments: {
          supported_mime_types: [...IMAGES, 'video/mp4', 'video/quicktime', 'video/webm'],
          image_size_limit: 10_485_760,
          image_matrix_limit: 16_777_216,
          video_size_limit: 41_943_040,
          video_frame_limit: 60,
          video_matrix_limit: 2_304_000,
        },
        polls: { max_options: 10, max_characters_per_option: 150, min_expiration: 50, max_expiration: 2_629_746 },
      },
    },
  },
  lengthMax: 800,
  lengthOf: utf16,
  spoilerMax: 500,
  refusal: 400,
  filesMax: 16,
  types: [...IMAGES, 'video/mp4', 'video/quicktime', 'video/webm'],
  altTextMax: 20_000,
  altTextLengthOf: runes,
  visibilities: MASTODON_VISIBILITIES,
  poll: { optionsMax: 10, optionMax: 150, lengthOf: runes, min: 1, max: Number.POSITIVE_INFINITY },
  keys: 'ignored',
  hasSource: true,
  idsParameter: null,
  uploads: '/api/v2/media',
  listsReplies: true,
  edits: true,
  deletes: 'nothing, else 400',
  needsText: true,
  isReaction: (text) => /^(?:\p{RGI_Emoji}|:[a-zA-Z0-9@_]+:)$/v.test(text.replace(/@\S+/g, '').replace(/\s/g, '')),
}

export const FLAVOURS = { gotosocial, akkoma, pleroma, pixelfed, friendica, iceshrimp, sharkey }
export type FlavourName = keyof typeof FLAVOURS

interface CheckedStatus {
  text: string
  spoiler: string
  files: readonly { description: string | null }[]
  visibility: unknown
  language: unknown
  poll: unknown
  isReply: boolean
}

/** Refuses a status as the server does. */
export function checkStatus(flavour: Flavour, status: CheckedStatus): void {
  const { text, spoiler, files, visibility, language, poll, isReply } = status
  const { altTextMin = 0, poll: polls } = flavour
  const refuseParameter = (message: string) => {
    if (flavour.refusal !== 500) refuse(flavour.refusal, message)
    throw new Refused({ status: 500, body: { message, errors: { status: [message] } } })
  }
  if (flavour.needsFile && files.length === 0 && !isReply) refuse(403, 'Empty statuses are not allowed')
  if (`${text}${spoiler}`.trim() === '' && files.length === 0 && !poll) refuseParameter('status contains no text')
  const length = flavour.lengthOf(text, spoiler)
  if (length > flavour.lengthMax) refuseParameter(`text has ${length} characters, at most ${flavour.lengthMax}`)
  if (flavour.spoilerMax && runes(spoiler) > flavour.spoilerMax) refuseParameter('The spoiler text is too long')
  if (files.length > flavour.filesMax) refuseParameter(`media files exceed max count (${flavour.filesMax})`)
  if (files.some(({ description }) => flavour.altTextLengthOf(description ?? '') < altTextMin)) {
    refuseParameter(`media description less than min chars (${altTextMin})`)
  }
  if (!flavour.visibilities.includes(String(visibility))) refuseParameter('The selected visibility is invalid')
  if (typeof language === 'string' && flavour.takesLanguage?.(language) === false) refuseParameter('Invalid language')
  if (!poll || !polls) return
  if (flavour.pollsAlone && files.length > 0) refuseParameter("can't post media + poll in same status")
  const { options, expires_in: seconds } = poll as { options: string[]; expires_in: number }
  if (options.length < 2 || options.length > polls.optionsMax) refuseParameter('poll options exceed max count')
  if (options.some((option) => option === '' || polls.lengthOf(option) > polls.optionMax)) {
    refuseParameter('poll option exceed max chars')
  }
  if (seconds < polls.min || seconds > polls.max) refuseParameter('Expiration date is too far in the future')
}
