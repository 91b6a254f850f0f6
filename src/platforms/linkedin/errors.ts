import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import type { Refusal } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'

const ERROR_PAGE = 'https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling'
const POSTS = 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api'

export const UPLOAD_EXPIRED = 'EXPIRED_UPLOAD_URL'

export const ERRORS: readonly ErrorRow[] = [
  {
    status: 401,
    code: 'fresh token',
    means: 'tried later',
    note: 'For some seconds after it was issued, a token may be refused as revoked.',
    source: 'https://github.com/jclusso/omniauth-linkedin-openid/issues/6',
  },
  {
    status: 401,
    means: 'credentials refused',
    note: 'The token has expired or was revoked.',
    source: ERROR_PAGE,
  },
  {
    status: 403,
    text: /unpermitted fields|processing fields \[/i,
    means: 'content refused',
    note: 'A field of the post is not open to the app.',
    source: 'https://github.com/artesaos/laravel-linkedin/issues/20',
  },
  {
    status: 403,
    code: 'ACCESS_DENIED',
    means: 'credentials refused',
    note: 'A scope, or the role on the page, is missing.',
    source: ERROR_PAGE,
  },
  {
    status: 403,
    text: /permission/i,
    means: 'credentials refused',
    note: 'A scope, or the role on the page, is missing.',
    source: 'https://github.com/verbb/social-poster/issues/25',
  },
  {
    status: 422,
    code: 'DUPLICATE_POST',
    means: 'duplicate',
    note: 'The message names the earlier post.',
    source: POSTS,
  },
  {
    code: 'MEDIA_ASSET_WAITING_UPLOAD',
    means: 'tried later',
    note: 'The upload of a file is not known yet.',
    source: POSTS,
  },
  {
    code: ['INVALID_IMAGE_ID', 'INVALID_VIDEO_ID'],
    means: 'prepared again',
    note: 'LinkedIn does not know the file of the post.',
    source: POSTS,
  },
  {
    code: UPLOAD_EXPIRED,
    means: 'content refused',
    note: 'The address of an upload has ended. The upload begins again.',
    source: POSTS,
  },
  { status: 409, means: 'tried later', note: 'Another write is under way.', source: ERROR_PAGE },
  {
    status: 426,
    means: 'tried later',
    note: 'The version of the API has ended. An update of Postroom cures it.',
    source: 'https://learn.microsoft.com/en-us/linkedin/marketing/versioning',
  },
  {
    status: 429,
    means: 'rate limited',
    isShared: true,
    note: "The member's quota of the day is used up, for all accounts that were connected with it.",
    source: 'https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/rate-limits',
  },
]

/** Refusals that only comments have. */
export const COMMENT_ERRORS: readonly ErrorRow[] = [
  {
    status: 403,
    means: 'content refused',
    note: 'Comments need rights of their own. Posts are published.',
    source: 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api',
  },
  {
    status: 404,
    means: 'tried later',
    note: 'For some seconds, a new post has no activity to comment on.',
    source: 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api',
  },
]

/** The outer code, or the first known one of the fields. */
export const codeOf = ({ body }: { body: unknown }): string | undefined => {
  const errors = at(body, 'errorDetails', 'inputErrors')
  const inner = Array.isArray(errors) ? errors.map((error) => textAt(error, 'code')) : []
  const codes = [textAt(body, 'code'), ...inner]
  return codes.find((code) => code !== undefined && KNOWN.has(code)) ?? codes[0]
}

const KNOWN = new Set(ERRORS.flatMap(({ code }) => (code === undefined || code instanceof RegExp ? [] : code)))

/** `isFresh`: the token was issued a moment ago. */
export const keysOf = ({ status, body }: Refusal, isFresh: boolean): ErrorKeys => ({
  code: isFresh && status === 401 ? 'fresh token' : codeOf({ body }),
  text: textAt(body, 'message'),
})
