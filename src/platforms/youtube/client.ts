import type { TProperties } from '@sinclair/typebox'
import type { Credentials, Io } from '../contract/io.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import { list, object, optional } from '../wire/answer.ts'
import { type CallOptions, callNetwork, type NetworkResponse, type NetworkRules } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { CHANNEL_LIMIT, ERRORS, isQuotaUsedUp, keysOf, reasonOf, wordsOf } from './errors.ts'

export const HOST = 'youtube.com'

/** More than a list of 100 comments has, each of 10,000 characters and with a copy for display. */
const LIST_BYTES_MAX = 16_777_216

const API = 'https://www.googleapis.com'

/** Ids of videos, channels, playlists and comments become parts of addresses. */
export const isId = (id: string | undefined): id is string => id !== undefined && /^[\w.-]{1,128}$/.test(id)

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
    errors: ERRORS,
    keysOf,
    retryAfterMs: ({ body }) => (isQuotaUsedUp(body) ? untilMidnightPacificMs(new Date()) : undefined),
    limitKey: limitKeyOf(clientId),
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

/** A list of such items. An empty one may lack its key. */
export const listOf = (item: TProperties) => object({ items: optional(list(object(item))) })

/**
 * `items` of a list. An empty list of channels lacks the key. Throws if the response is not a list: it would prove that
 * nothing is there.
 */
export function itemsOf(body: unknown): unknown[] {
  const items = at(body, 'items') ?? (textAt(body, 'kind')?.endsWith('ListResponse') ? [] : undefined)
  if (!Array.isArray(items)) throw unexpected(HOST, false)
  return items
}
