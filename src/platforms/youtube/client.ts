import type { Credentials, Io } from '../contract/io.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import {
  type CallOptions,
  callNetwork,
  type NetworkResponse,
  type NetworkRules,
  type Refusal,
} from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'

export const HOST = 'youtube.com'

/** More than a list of 100 comments has, each of 10,000 characters and with a copy for display. */
const LIST_BYTES_MAX = 16_777_216

const API = 'https://www.googleapis.com'

/** Ids of videos, channels, playlists and comments become parts of addresses. */
export const isId = (id: string | undefined): id is string => id !== undefined && /^[\w.-]{1,128}$/.test(id)

/** https://developers.google.com/youtube/v3/docs/errors: the account cannot be used until its owner has acted. */
const UNAUTHORIZED_REASONS = [
  'insufficientPermissions',
  'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  'authenticatedUserAccountClosed',
  'authenticatedUserAccountSuspended',
  'authenticatedUserNotChannel',
  'youtubeSignupRequired',
]

/**
 * The limit of the channel itself, which YouTube does not publish:
 * https://developers.google.com/youtube/v3/docs/videos/insert#errors
 */
const CHANNEL_LIMIT = 'uploadLimitExceeded'
const RATE_REASONS = [CHANNEL_LIMIT, 'rateLimitExceeded', 'userRateLimitExceeded']

/** Refusals that end without a change to the post: the API is not enabled, or a new video is not known yet. */
const TEMPORARY_REASONS = ['accessNotConfigured', 'SERVICE_DISABLED', 'videoNotFound']

const QUOTA_ADVICE = `The day's quota of this Postroom's Google app is used up, and renewed at midnight Pacific time. Its operator can apply for more`
const API_ADVICE = 'The operator of this Postroom has to enable the YouTube Data API v3 in the Google Cloud project'
const SCOPE_ADVICE =
  'The connection lacks the permission to manage the videos of the channel: connect the account again'

/** The person who has to act, if the words of YouTube do not tell it to the owner of a post. */
const ADVICE = new Map([
  ['accessNotConfigured', API_ADVICE],
  ['SERVICE_DISABLED', API_ADVICE],
  ['insufficientPermissions', SCOPE_ADVICE],
  ['ACCESS_TOKEN_SCOPE_INSUFFICIENT', SCOPE_ADVICE],
  ['youtubeSignupRequired', 'The Google account has no YouTube channel: create one, then connect the account again'],
  [CHANNEL_LIMIT, 'The channel has reached its own daily limit of uploads'],
])

/** The first reason of an error: https://developers.google.com/youtube/v3/docs/errors */
export const reasonOf = (body: unknown): string =>
  textAt(body, 'error', 'errors', 0, 'reason') ?? textAt(body, 'error', 'details', 0, 'reason') ?? ''

/** The words of an error, without the HTML that many have: https://github.com/jolantahuba/YT-Backup/pull/2 */
const wordsOf = (body: unknown) =>
  (textAt(body, 'error', 'message') ?? textAt(body, 'error'))?.replaceAll(/<\/?[a-z][^>]*>/g, '')

/**
 * Whether a quota of the Google Cloud project is used up for the day:
 * https://developers.google.com/youtube/v3/determine_quota_cost. That of uploads has the reason of short limits:
 * https://github.com/googleapis/google-api-python-client/issues/2753
 */
function isQuotaUsedUp(body: unknown): boolean {
  const reason = reasonOf(body)
  if (reason === 'rateLimitExceeded') return /\bper day\b/.test(wordsOf(body) ?? '')
  return reason === 'quotaExceeded' || reason === 'dailyLimitExceeded'
}

const DAY_MS = 86_400_000

/** The quota is renewed at midnight Pacific time. On a day when clocks change, the result is an hour off. */
export function untilMidnightPacificMs(now: Date): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'America/Los_Angeles',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  const [hours = 0, minutes = 0, seconds = 0] = format.format(now).split(':').map(Number)
  return DAY_MS - ((hours * 60 + minutes) * 60 + seconds) * 1000
}

function retryAfterMs({ body }: Refusal): number | undefined {
  if (isQuotaUsedUp(body)) return untilMidnightPacificMs(new Date())
  return reasonOf(body) === CHANNEL_LIMIT ? DAY_MS : undefined
}

export interface Client extends NetworkRules {
  channelId: string
  headers: Record<string, string>
}

/** The client of an account whose channel is known. */
export function clientFor({ credentials }: Pick<Io, 'credentials'>): Client {
  const { channelId } = credentials
  if (!isId(channelId)) throw unauthorized('The account has no YouTube channel: connect it again')
  return clientOfToken({ credentials })
}

export function clientOfToken({ credentials }: { credentials: Credentials }): Client {
  const { channelId = '', clientId } = credentials
  const accessToken = accessTokenOf(credentials, 'Google')
  return {
    host: HOST,
    secrets: [accessToken],
    channelId,
    headers: { authorization: `Bearer ${accessToken}` },
    words: (body) => (isQuotaUsedUp(body) ? QUOTA_ADVICE : (ADVICE.get(reasonOf(body)) ?? wordsOf(body))),
    isUnauthorized: ({ status, body }) =>
      status === 401 || (status === 403 && ['', ...UNAUTHORIZED_REASONS].includes(reasonOf(body))),
    isRateLimited: ({ body }) => isQuotaUsedUp(body) || RATE_REASONS.includes(reasonOf(body)),
    retryAfterMs,
    limitKey: ({ body }) => (isQuotaUsedUp(body) ? limitKeyOf(clientId) : undefined),
    // 409: another write is under way (https://github.com/DayMoonDevelopment/post-for-me/pull/337).
    classify: ({ status, body }) =>
      status === 409 || TEMPORARY_REASONS.includes(reasonOf(body)) ? 'try later' : undefined,
  }
}

/** The quota is that of the app, for all accounts that were connected through it. */
export const limitKeyOf = (clientId: string | undefined) => (clientId ? `youtube app ${clientId}` : undefined)

type Options = Omit<CallOptions, 'headers'> & { query: Record<string, string>; headers?: Record<string, string> }

/** Calls a method such as `playlistItems`, or `upload/youtube/v3/…` by its whole path. */
export function call(
  client: Client,
  io: Pick<Io, 'fetch' | 'signal'>,
  path: string,
  { query, headers, ...options }: Options,
): Promise<NetworkResponse> {
  const url = `${API}/${path.includes('/') ? path : `youtube/v3/${path}`}?${new URLSearchParams(query)}`
  const rules = options.method === undefined ? { ...client, responseBytesMax: LIST_BYTES_MAX } : client
  return callNetwork(rules, io, url, { ...options, headers: { ...client.headers, ...headers } })
}

/**
 * `items` of a list. An empty list of channels lacks the key. Throws if the response is not a list: it would prove that
 * nothing is there.
 */
export function itemsOf(body: unknown): unknown[] {
  const items = at(body, 'items') ?? (textAt(body, 'kind')?.endsWith('ListResponse') ? [] : undefined)
  if (!Array.isArray(items)) throw unexpected(HOST, false)
  return items
}
