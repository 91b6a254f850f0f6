import type { Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { unauthorized } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import { callNetwork, type NetworkResponse, type NetworkRules, type Refusal } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'

const HOST = 'api.x.com'
export const API = `https://${HOST}`

/** Ids of posts, users and files: https://docs.x.com/openapi.json. They exceed 2^53, so they stay texts. */
export const ID = /^\d{1,19}$/

/** https://help.x.com/en/managing-your-account/x-username-rules */
const USERNAME = /^\w{1,15}$/

/** How long an app without credit rests: its operator has to buy some. */
const NO_CREDIT_REST_MS = 3_600_000

/** One account, and the calls to it. */
export interface Client extends NetworkRules {
  userId: string
  /** The name has no leading @; undefined if it is not known. */
  username: string | undefined
  call(
    path: string,
    options?: Omit<NonNullable<Parameters<typeof callNetwork>[3]>, 'headers'>,
  ): Promise<NetworkResponse>
}

/** The client of a connected account. */
export function clientFor(io: Io): Client {
  const client = clientOfToken(io)
  if (!ID.test(client.userId)) throw unauthorized('The id of the account is missing: connect it again')
  return client
}

/** The client of an account whose id is not known yet. */
export function clientOfToken(io: Io): Client {
  const { userId = '', username = '', clientId } = io.credentials
  const accessToken = accessTokenOf(io.credentials, 'X')
  const client: Client = {
    userId,
    username: USERNAME.test(username) ? username : undefined,
    host: HOST,
    secrets: [accessToken],
    words,
    isUnauthorized,
    isRateLimited: isOutOfCredit,
    retryAfterMs,
    limitKey: (refusal) => (clientId && isOfApp(refusal) ? limitKeyOf(clientId) : undefined),
    classify: ({ status, body }) =>
      status === 400 && MEDIA_REFUSED.test(words(body) ?? '') ? 'prepare anew' : undefined,
    call: (path, options) =>
      callNetwork(client, io, `${API}${path}`, { ...options, headers: { authorization: `Bearer ${accessToken}` } }),
  }
  return client
}

/** Names the accounts of one app, which share its credit and its limits. The id of an app is not a secret. */
export const limitKeyOf = (clientId: string) => `x:${clientId}`

export const sentOf = (id: string, { username }: Client): Sent => ({
  id,
  url: username ? `https://x.com/${username}/status/${id}` : `https://x.com/i/web/status/${id}`,
})

/** Files that are not ready, too old, or of another user. */
const MEDIA_REFUSED = /media IDs are invalid/i

/**
 * Problems and invalid requests: https://docs.x.com/x-api/fundamentals/response-codes-and-errors. The message of an
 * invalid request says more than its detail, which is the same for all. https://docs.x.com/openapi.json has `message`
 * too.
 */
const words = (body: unknown): string | undefined =>
  textAt(body, 'errors', 0, 'message') || textAt(body, 'detail') || textAt(body, 'message') || textAt(body, 'title')

/** The last part of the type: real errors show api.twitter.com as well as api.x.com in front of it. */
export const problemOf = (body: unknown) => textAt(body, 'type')?.split('/').at(-1)

/**
 * 402 without credit, 403 at the spending limit or the monthly cap: https://docs.x.com/x-api/getting-started/pricing
 */
const isOutOfCredit = ({ status, body }: Refusal) =>
  status === 402 || (status === 403 && (problemOf(body) === 'usage-capped' || textAt(body, 'title') === 'UsageCapped'))

/** Details of a 403 that concern the account, not the post. `Forbidden` alone is what a missing scope gets. */
const OF_ACCOUNT = /^Forbidden$|^Your account is|temporarily locked/i

/** X refuses content with 403 too: replies to strangers, duplicates, a second cashtag. */
function isUnauthorized({ status, body }: Refusal): boolean {
  if (status !== 403) return status === 401
  const problem = problemOf(body)
  if (problem === 'not-authorized-for-resource' || problem === 'resource-not-found') return false
  return problem !== 'about:blank' || OF_ACCOUNT.test(textAt(body, 'detail') || 'Forbidden')
}

/** https://docs.x.com/x-api/fundamentals/rate-limits; the limits of 24 hours come in headers of the same form. */
const LIMITS = ['x-rate-limit', 'x-user-limit-24hour', 'x-app-limit-24hour']

function retryAfterMs(refusal: Refusal): number | undefined {
  const { status, headers } = refusal
  if (isOutOfCredit(refusal)) return headers.has('retry-after') ? undefined : NO_CREDIT_REST_MS
  if (status !== 429) return undefined
  const usedUp = LIMITS.filter((limit) => headers.get(`${limit}-remaining`) === '0')
  const resets = (usedUp.length > 0 ? usedUp : LIMITS.slice(0, 1)).map((limit) => Number(headers.get(`${limit}-reset`)))
  const resetAt = Math.max(...resets.filter(Number.isFinite), 0) * 1000
  return resetAt > 0 ? Math.max(0, resetAt - Date.now()) : undefined
}

const isOfApp = (refusal: Refusal) =>
  isOutOfCredit(refusal) || refusal.headers.get('x-app-limit-24hour-remaining') === '0'
