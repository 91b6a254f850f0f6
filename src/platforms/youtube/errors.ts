import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import { textAt } from '../wire/json.ts'

const ERROR_PAGE = 'https://developers.google.com/youtube/v3/docs/errors'
const QUOTA = 'https://developers.google.com/youtube/v3/determine_quota_cost'
const UPLOAD = 'https://developers.google.com/youtube/v3/docs/videos/insert#errors'

/** The limit of the channel itself, which YouTube does not publish. */
export const CHANNEL_LIMIT = 'uploadLimitExceeded'

export const QUOTA_USED_UP = 'quotaExceeded'

export const VIDEO_UNKNOWN = { code: 'videoNotFound' } as const

export const ERRORS: readonly ErrorRow[] = [
  {
    code: ['authenticatedUserAccountSuspended', 'authenticatedUserAccountClosed'],
    means: 'account restricted',
    note: 'The account is suspended or closed.',
    source: ERROR_PAGE,
  },
  { status: 401, means: 'credentials refused', note: 'The token has expired or was revoked.', source: ERROR_PAGE },
  {
    code: ['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'],
    means: 'credentials refused',
    note: 'A scope is missing.',
    source: ERROR_PAGE,
  },
  {
    code: ['authenticatedUserNotChannel', 'youtubeSignupRequired'],
    means: 'credentials refused',
    note: 'The Google account has no channel.',
    source: ERROR_PAGE,
  },
  {
    code: QUOTA_USED_UP,
    means: 'rate limited',
    isShared: true,
    note: "The day's quota of the app is used up, for all its accounts.",
    source: QUOTA,
  },
  {
    code: CHANNEL_LIMIT,
    means: 'rate limited',
    pauseMs: 86_400_000,
    note: 'The channel has reached its own daily limit of uploads.',
    source: UPLOAD,
  },
  {
    code: ['rateLimitExceeded', 'userRateLimitExceeded'],
    means: 'rate limited',
    note: 'Too many calls in a short time.',
    source: ERROR_PAGE,
  },
  {
    code: ['accessNotConfigured', 'SERVICE_DISABLED'],
    means: 'app restricted',
    note: 'The API is not enabled in the Google Cloud project of the app.',
    source: ERROR_PAGE,
  },
  {
    ...VIDEO_UNKNOWN,
    means: 'tried later',
    note: 'A new video is not known yet.',
    source: 'https://developers.google.com/youtube/v3/docs/thumbnails/set#errors',
  },
  {
    status: 409,
    means: 'tried later',
    note: 'Another write is under way.',
    source: 'https://github.com/DayMoonDevelopment/post-for-me/pull/337',
  },
]

/** The first reason of an error. */
export const reasonOf = (body: unknown): string =>
  textAt(body, 'error', 'errors', 0, 'reason') ?? textAt(body, 'error', 'details', 0, 'reason') ?? ''

/** The words of an error, without the HTML that many have: https://github.com/jolantahuba/YT-Backup/pull/2 */
export const wordsOf = (body: unknown) =>
  (textAt(body, 'error', 'message') ?? textAt(body, 'error'))?.replaceAll(/<\/?[a-z][^>]*>/g, '')

/**
 * Whether a quota of the Google Cloud project is used up for the day. That of uploads has the reason of short limits:
 * https://github.com/googleapis/google-api-python-client/issues/2753
 */
export function isQuotaUsedUp(body: unknown): boolean {
  const reason = reasonOf(body)
  if (reason === 'rateLimitExceeded') return /\bper day\b/.test(wordsOf(body) ?? '')
  return reason === QUOTA_USED_UP || reason === 'dailyLimitExceeded'
}

export const keysOf = ({ body }: { body: unknown }): ErrorKeys => ({
  code: isQuotaUsedUp(body) ? QUOTA_USED_UP : reasonOf(body),
})
