import type { Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { unauthorized } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import { object, TEXT } from '../wire/answer.ts'
import {
  type CallOptions,
  callNetwork,
  type NetworkResponse,
  type NetworkRules,
  type Refusal,
} from '../wire/call-network.ts'
import { ERRORS, keysOf, wordsOf } from './errors.ts'

const HOST = 'api.x.com'
const API = `https://${HOST}`

/** Ids of posts, users and files: https://docs.x.com/openapi.json. They exceed 2^53, so they stay texts. */
export const ID = /^\d{1,19}$/

/** The response to a call that makes something. */
export const MADE = object({ data: object({ id: TEXT }) })

/** https://help.x.com/en/managing-your-account/x-username-rules */
const USERNAME = /^\w{1,15}$/

/** One account, and the calls to it. */
export interface Client extends NetworkRules {
  userId: string
  /** The name has no leading @; undefined if it is not known. */
  username: string | undefined
  call(path: string, options: Omit<CallOptions, 'headers'>): Promise<NetworkResponse>
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
    words: wordsOf,
    errors: ERRORS,
    keysOf,
    retryAfterMs,
    limitKey: clientId ? limitKeyOf(clientId) : undefined,
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

/** https://docs.x.com/x-api/fundamentals/rate-limits; the limits of 24 hours come in headers of the same form. */
const LIMITS = ['x-rate-limit', 'x-user-limit-24hour', 'x-app-limit-24hour']

function retryAfterMs({ status, headers }: Refusal): number | undefined {
  if (status !== 429) return undefined
  const usedUp = LIMITS.filter((limit) => headers.get(`${limit}-remaining`) === '0')
  const resets = (usedUp.length > 0 ? usedUp : LIMITS.slice(0, 1)).map((limit) => Number(headers.get(`${limit}-reset`)))
  const resetAt = Math.max(...resets.filter(Number.isFinite), 0) * 1000
  return resetAt > 0 ? Math.max(0, resetAt - Date.now()) : undefined
}
