import type { Io } from '../contract/io.ts'
import type { Answer } from '../wire/answer.ts'
import { callNetwork, type NetworkRules, Refused } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { type Content, fileBody } from '../wire/request-body.ts'
import { callWithProof, withNonce } from './dpop.ts'
import { ERRORS, keysOf } from './errors.ts'

export interface XrpcRequest {
  token?: string
  /** The key that the token is bound to; absent for a bearer token. */
  dpopKey?: string | undefined
  /** A list is sent as a parameter that repeats. */
  params?: Record<string, string | readonly string[]>
  json?: object
  /** Sent as the whole body. */
  file?: Content
  /** Whether readers see what this call does, so that a lost response leaves its outcome open. */
  visible?: boolean
  /** Error statuses that this call takes for a success. */
  accept?: readonly number[]
  answer: Answer
}

/** The name of the error (https://atproto.com/specs/xrpc#error-responses) with which a server refused a call. */
export const reasonOf = (error: unknown) => (error instanceof Refused ? textAt(error.refusal.body, 'error') : undefined)

/** A record has at most 1 MB. */
const RESPONSE_BYTES_MAX = 2_000_000

/**
 * Makes one call (https://atproto.com/specs/xrpc) and returns the JSON of its response. The AtpAgent of
 * @atproto/api would take 65 MB and half a second to load, and then 1 MB and 8 ms for every account.
 */
export async function xrpc(
  io: Pick<Io, 'fetch' | 'signal'>,
  server: string,
  method: string,
  { token, dpopKey, params, json, file, visible = false, accept, answer }: XrpcRequest,
): Promise<unknown> {
  const url = new URL(`/xrpc/${method}`, server)
  for (const [name, values] of Object.entries(params ?? {})) {
    for (const value of [values].flat()) url.searchParams.append(name, value)
  }
  const secrets = [token, textAt(json, 'password')].filter((secret) => secret !== undefined)
  const rules = rulesOf(url.host, secrets)
  const call = () => {
    const body = json ?? (file && fileBody(file))
    const options = {
      method: body ? 'POST' : 'GET',
      ...(body && { body }),
      visible,
      answer,
      ...(accept && { accept }),
    } as const
    if (dpopKey) return callWithProof(rules, io, url, { dpopKey, token }, options)
    return callNetwork(rules, io, url, { ...options, ...(token && { headers: { authorization: `Bearer ${token}` } }) })
  }
  return (await withNonce(call)).body
}

const rulesOf = (host: string, secrets: readonly string[]): NetworkRules => ({
  host,
  secrets,
  responseBytesMax: RESPONSE_BYTES_MAX,
  // Every error of XRPC has a name. A body without one comes from a proxy.
  words: (body) => (textAt(body, 'error') ? textAt(body, 'message') || textAt(body, 'error') : undefined),
  errors: ERRORS,
  keysOf,
  // RateLimit-Reset is in seconds since 1970 (https://docs.bsky.app/docs/advanced-guides/rate-limits).
  retryAfterMs: ({ status, headers }) => {
    const resetAt = Number(headers.get('ratelimit-reset')) * 1000
    const isNeeded = status === 429 && !headers.has('retry-after') && resetAt > 0
    return isNeeded ? Math.max(0, resetAt - Date.now()) : undefined
  },
})
