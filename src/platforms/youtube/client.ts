import { accessTokenOf } from '../access-token.ts'
import type { Credentials, Io } from '../adapter.ts'
import {
  type CallOptions,
  callNetwork,
  type NetworkResponse,
  type NetworkRules,
  type Refusal,
} from '../call-network.ts'
import { at, textAt } from '../json.ts'
import { unauthorized } from '../publish-error.ts'

export const HOST = 'youtube.com'

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

/** The day's quota of the Google Cloud project: https://developers.google.com/youtube/v3/determine_quota_cost */
const QUOTA_REASONS = ['quotaExceeded', 'dailyLimitExceeded']

/** The limit of the channel itself, which YouTube does not publish: https://developers.google.com/youtube/v3/docs/videos/insert#errors */
const CHANNEL_LIMIT = 'uploadLimitExceeded'
const RATE_REASONS = [...QUOTA_REASONS, CHANNEL_LIMIT, 'rateLimitExceeded', 'userRateLimitExceeded']

/**
 * Refusals that end without a change to the post: the API is not enabled, another write is under way
 * (https://github.com/DayMoonDevelopment/post-for-me/pull/337), or a new video is not known yet.
 */
const TEMPORARY_REASONS = ['accessNotConfigured', 'SERVICE_DISABLED', 'alreadyExists', 'videoNotFound']

/** Who has to act, where the words of YouTube do not say it to the owner of a post. */
const ADVICE: Record<string, string> = {
  quotaExceeded: `The day's quota of this Postroom's Google app is used up, and renewed at midnight Pacific time. Its operator can apply for more`,
  accessNotConfigured:
    'The operator of this Postroom has to enable the YouTube Data API v3 in the Google Cloud project',
  youtubeSignupRequired: 'The Google account has no YouTube channel: create one, then connect the account again',
  uploadLimitExceeded: 'The channel has reached its own daily limit of uploads',
}

/** The first reason of an error: https://developers.google.com/youtube/v3/docs/errors */
export const reasonOf = (body: unknown): string =>
  textAt(body, 'error', 'errors', 0, 'reason') ?? textAt(body, 'error', 'details', 0, 'reason') ?? ''

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
  const reason = reasonOf(body)
  if (QUOTA_REASONS.includes(reason)) return untilMidnightPacificMs(new Date())
  return reason === CHANNEL_LIMIT ? DAY_MS : undefined
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
    words: (body) => ADVICE[reasonOf(body)] ?? textAt(body, 'error', 'message') ?? textAt(body, 'error'),
    isUnauthorized: ({ status, body }) =>
      status === 401 || (status === 403 && ['', ...UNAUTHORIZED_REASONS].includes(reasonOf(body))),
    isRateLimited: ({ body }) => RATE_REASONS.includes(reasonOf(body)),
    retryAfterMs,
    limitKey: ({ body }) => (QUOTA_REASONS.includes(reasonOf(body)) ? limitKeyOf(clientId) : undefined),
    classify: ({ body }) => (TEMPORARY_REASONS.includes(reasonOf(body)) ? 'try later' : undefined),
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
  return callNetwork(client, io, url, { ...options, headers: { ...client.headers, ...headers } })
}

/** `items` of a list; empty where YouTube leaves the key out. */
export function itemsOf(body: unknown): unknown[] {
  const items = at(body, 'items')
  return Array.isArray(items) ? items : []
}
