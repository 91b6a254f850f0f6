import { Ajv } from 'ajv'
import { Refused, type Reply } from './network.ts'

/** https://developers.tiktok.com/doc/tiktok-api-v2-error-handling */
export const replyOf = (status: number, code: string, message = ''): Reply => ({
  status,
  body: { data: {}, error: { code, message, log_id: '202210112248442CB9319E1FB30C1073F3' } },
})

export const okReply = (data: object): Reply => ({
  status: 200,
  body: { data, error: { code: 'ok', message: '', log_id: '202210112248442CB9319E1FB30C1073F3' } },
})

export const refuse = (status: number, code: string, message = ''): never => {
  throw new Refused(replyOf(status, code, message))
}

/** No header says when the limit is over. */
export const throttled = (): Reply =>
  replyOf(429, 'rate_limit_exceeded', 'Your request is blocked due to exceeding the API rate limit')

const text = (maxLength: number) => ({ type: 'string', isAtMost: maxLength })
const boolean = { type: 'boolean' }
const closed = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const common = {
  privacy_level: {
    enum: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'],
  },
  disable_comment: boolean,
  brand_content_toggle: boolean,
  brand_organic_toggle: boolean,
}

const fileUpload = closed(
  {
    source: { const: 'FILE_UPLOAD' },
    video_size: { type: 'integer', minimum: 1, maximum: 4_294_967_296 },
    chunk_size: { type: 'integer', minimum: 1 },
    total_chunk_count: { type: 'integer', minimum: 1, maximum: 1000 },
  },
  ['source', 'video_size', 'chunk_size', 'total_chunk_count'],
)

const photos = closed(
  {
    source: { const: 'PULL_FROM_URL' },
    photo_images: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 35 },
    photo_cover_index: { type: 'integer', minimum: 0 },
  },
  ['source', 'photo_images', 'photo_cover_index'],
)

const videoInfo = closed(
  {
    ...common,
    title: text(2200),
    disable_duet: boolean,
    disable_stitch: boolean,
    video_cover_timestamp_ms: { type: 'integer', minimum: 0 },
    is_aigc: boolean,
  },
  ['privacy_level', 'brand_content_toggle', 'brand_organic_toggle'],
)

const texts = { title: text(90), description: text(4000) }

const SCHEMAS = {
  '/v2/post/publish/creator_info/query/': closed({}),
  '/v2/post/publish/status/fetch/': closed({ publish_id: { type: 'string' } }, ['publish_id']),
  '/v2/post/publish/inbox/video/init/': closed({ source_info: fileUpload }, ['source_info']),
  '/v2/post/publish/video/init/': closed({ post_info: videoInfo, source_info: fileUpload }, [
    'post_info',
    'source_info',
  ]),
  '/v2/post/publish/content/init/': {
    type: 'object',
    required: ['media_type', 'post_mode', 'post_info', 'source_info'],
    oneOf: [
      closed({
        media_type: { const: 'PHOTO' },
        post_mode: { const: 'DIRECT_POST' },
        post_info: closed({ ...common, ...texts, auto_add_music: boolean }, [
          'privacy_level',
          'brand_content_toggle',
          'brand_organic_toggle',
        ]),
        source_info: photos,
        is_aigc: boolean,
      }),
      closed({
        media_type: { const: 'PHOTO' },
        post_mode: { const: 'MEDIA_UPLOAD' },
        post_info: closed(texts),
        source_info: photos,
      }),
    ],
  },
}

const ajv = new Ajv({ strict: false })
// `maxLength` counts code points, TikTok counts UTF-16 units.
ajv.addKeyword({ keyword: 'isAtMost', validate: (max: number, value: string) => value.length <= max })
const validators = Object.fromEntries(Object.entries(SCHEMAS).map(([path, schema]) => [path, ajv.compile(schema)]))

/**
 * Refuses a body with another shape than the pages describe: https://developers.tiktok.com/doc/
 * content-posting-api-reference-direct-post, …-upload-video, …-photo-post, …-query-creator-info and …-get-video-status.
 */
export function validate(path: string, body: unknown): void {
  const isValid = validators[path]!
  if (!isValid(body ?? {})) refuse(400, 'invalid_param', `Invalid request: ${ajv.errorsText(isValid.errors)}`)
}

const MB = 1_000_000

/** https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide#chunk_restrictions */
export function checkChunks({
  video_size: size,
  chunk_size: chunk,
  total_chunk_count: count,
}: Record<'video_size' | 'chunk_size' | 'total_chunk_count', number>): void {
  const isWhole = chunk === size && size <= 64 * MB
  const isCut = chunk >= 5 * MB && chunk <= 64 * MB && chunk <= size && size >= 5 * MB
  if (!(isWhole || isCut) || count !== Math.floor(size / chunk)) {
    refuse(400, 'invalid_param', 'The chunk size or the total chunk count is invalid')
  }
}
