import type { TProperties } from '@sinclair/typebox'
import type { Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { PublishError, unauthorized } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import { list, object, optional, TEXT } from '../wire/answer.ts'
import {
  type CallOptions,
  callNetwork,
  type NetworkResponse,
  type NetworkRules,
  type Refusal,
  Refused,
} from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { ERRORS, hasErrors, keysOf, pauseOf, wordsOf } from './errors.ts'

const API = 'https://oauth.reddit.com'

/** For messages. */
export const HOST = 'reddit.com'

/** Names of users: https://github.com/reddit-archive/reddit/blob/master/r2/r2/lib/validator/validator.py (VUname). */
const USERNAME = /^[\w-]{3,20}$/

/** A list of 100 posts with 40,000 characters each, in two forms. */
const RESPONSE_BYTES_MAX = 16_777_216

/** One account, and the calls to it. */
export interface Client extends NetworkRules {
  username: string
  call(path: string, options: Omit<CallOptions, 'headers'>): Promise<NetworkResponse>
}

/** The client of a connected account. */
export function clientFor(io: Io): Client {
  if (!USERNAME.test(io.credentials.username ?? '')) {
    throw unauthorized('The name of the account is missing: connect it again')
  }
  return clientOfToken(io)
}

/** The client of an account whose name is not known yet. */
export function clientOfToken(io: Io): Client {
  const { username = '', clientId } = io.credentials
  const accessToken = accessTokenOf(io.credentials, 'Reddit')
  const limitKey = clientId ? limitKeyOf(clientId) : undefined
  /** When the app may call again, in milliseconds since 1970. */
  let resetAt = 0
  const client: Client = {
    username,
    host: HOST,
    secrets: [accessToken],
    words: wordsOf,
    reportsError: hasErrors,
    errors: ERRORS,
    keysOf,
    retryAfterMs: (refusal) => (refusal.status === 429 ? untilReset(refusal) : pauseOf(refusal.body)),
    limitKey,
    // Apps that are not approved: https://support.reddithelp.com/hc/en-us/articles/42728983564564
    blockAdvice:
      'If Reddit has blocked the app or this service, the operator of Postroom has to check whether the app is approved',
    responseBytesMax: RESPONSE_BYTES_MAX,

    async call(path, options) {
      const waitMs = resetAt - Date.now()
      if (waitMs > 0) throw outOfRequests(waitMs, limitKey)
      // `raw_json` prevents HTML in texts: https://www.reddit.com/dev/api#response_body_encoding
      const url = new URL(path, API)
      url.searchParams.set('raw_json', '1')
      const headers = { authorization: `Bearer ${accessToken}`, 'user-agent': userAgentOf(clientId, username) }
      const response = await callNetwork(client, io, url, { ...options, headers })
      if (isUsedUp(response)) resetAt = Date.now() + (untilReset(response) ?? 0)
      return response
    },
  }
  return client
}

/** Names the accounts of one app, which share its requests. The id of an app is not a secret. */
export const limitKeyOf = (clientId: string) => `reddit:${clientId}`

/**
 * `platform:app:version (by /u/name)`, unique for each app: default agents of libraries are blocked.
 * https://support.reddithelp.com/hc/en-us/articles/16160319875092
 */
export function userAgentOf(clientId = '', username = ''): string {
  const agent = `server:postroom.${clientId.replaceAll(/[^\w-]/g, '')}:v1`
  return USERNAME.test(username) ? `${agent} (by /u/${username})` : agent
}

const outOfRequests = (waitMs: number, limitKey: string | undefined) =>
  new PublishError(`${HOST}: the app has no requests left in this period`, {
    code: 'rate_limited',
    maybeSent: false,
    retryable: true,
    retryAfterMs: waitMs,
    ...(limitKey && { limitKey }),
  })

/** The number of requests that are left may have a fraction. */
const isUsedUp = ({ headers }: Pick<Refusal, 'headers'>) => {
  const left = headers.get('x-ratelimit-remaining')
  return left !== null && Number(left) < 1
}

/**
 * https://support.reddithelp.com/hc/en-us/articles/16160319875092: in seconds. `Retry-After` is better if it is
 * present.
 */
function untilReset({ headers }: Pick<Refusal, 'headers'>): number | undefined {
  const seconds = headers.has('retry-after') ? Number.NaN : Number(headers.get('x-ratelimit-reset') ?? Number.NaN)
  return seconds >= 0 ? seconds * 1000 : undefined
}

/** A page of a subreddit; undefined if the subreddit does not exist, or does not show the page to the account. */
export async function readPage(client: Client, path: string, options: Omit<CallOptions, 'headers'>): Promise<unknown> {
  try {
    // Names that do not exist are redirected to the search.
    const { status, body } = await client.call(path, { ...options, accept: [302] })
    if (status === 302) return undefined
    return body
  } catch (error) {
    if (error instanceof Refused && [403, 404].includes(error.refusal.status)) return undefined
    throw error
  }
}

/** A list of items, such as posts or subreddits. */
export const listing = (item: TProperties) =>
  object({ data: object({ children: list(object({ data: object(item) })), after: optional(TEXT) }) })

/** The items of a listing. */
export const itemsOf = ({ body }: NetworkResponse): unknown[] =>
  (at(body, 'data', 'children') as unknown[]).map((child) => at(child, 'data'))

/** The response to a call that makes or changes a post or a comment. */
export const THINGS = object({ json: object({ data: object({ things: list(object({ data: object() })) }) }) })

const THING = { name: TEXT, author: TEXT, title: optional(TEXT), selftext: optional(TEXT), body: optional(TEXT) }

/** Posts and comments by their full names: https://www.reddit.com/dev/api#GET_api_info leaves out unknown ones. */
export async function readThings(client: Client, names: readonly string[]): Promise<Map<string, unknown>> {
  const query = new URLSearchParams({ id: names.join(',') })
  const things = itemsOf(await client.call(`/api/info?${query}`, { answer: listing(THING) }))
  return new Map(things.map((thing) => [textAt(thing, 'name') ?? '', thing]))
}

/** A post or a comment that its author deleted stays readable, without its author. */
export const isDeleted = (thing: unknown) => textAt(thing, 'author') === '[deleted]'

/**
 * A post or a comment in a response. Its full name is in `name`, in the response to a gallery in `id`. Undefined if it
 * is in neither.
 */
export function sentOf(thing: unknown): Sent | undefined {
  const id = [textAt(thing, 'name'), textAt(thing, 'id')].find((text) => /^t[13]_\w{1,16}$/.test(text ?? ''))
  return id === undefined ? undefined : { id, url: permalinkOf(thing) }
}

/** The address of a post or a comment, which may be given as a path; null if it is neither. */
function permalinkOf(thing: unknown): string | null {
  const url = URL.parse(textAt(thing, 'permalink') ?? textAt(thing, 'url') ?? '', 'https://www.reddit.com')
  return url?.origin === 'https://www.reddit.com' && /\/comments\//.test(url.pathname) ? url.href : null
}
