import type { Credentials, Io } from '../contract/io.ts'
import { unauthorized } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import {
  type CallOptions,
  callNetwork,
  type NetworkResponse,
  type NetworkRules,
  type Refusal,
  retryAfterMs,
} from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { ERRORS, keysOf } from './errors.ts'
import { findAccountKind } from './limits.ts'
import { VERSION } from './version.ts'

export const HOST = 'api.linkedin.com'

/** The time after its issue in which a token may be refused as revoked. */
const TOKEN_FRESH_MS = 60_000

export interface Client extends NetworkRules {
  /** The URN of the member or organization that posts. */
  author: string
  isOrganization: boolean
  /** The scopes that the member granted. */
  scopes: readonly string[]
  headers: Record<string, string>
}

export const isOrganization = ({ author = '' }: Credentials) => findAccountKind(author) === 'organizations'

export function clientFor({ credentials }: Pick<Io, 'credentials'>): Client {
  const { author = '', member = '', scopes = '', issuedAt } = credentials
  if (!/^urn:li:(?:person|organization):[\w-]{1,64}$/.test(author)) {
    throw unauthorized('The account has no LinkedIn author: connect it again')
  }
  const accessToken = accessTokenOf(credentials, 'LinkedIn')
  const isFresh = Math.abs(Date.now() - Number(issuedAt)) < TOKEN_FRESH_MS
  return {
    host: HOST,
    secrets: [accessToken],
    author,
    isOrganization: isOrganization(credentials),
    scopes: scopes.split(' '),
    headers: {
      authorization: `Bearer ${accessToken}`,
      'linkedin-version': VERSION,
      'x-restli-protocol-version': '2.0.0',
    },
    // https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/error-handling
    words: (body) => textAt(body, 'message') ?? textAt(body, 'error_description') ?? textAt(body, 'error'),
    errors: ERRORS,
    keysOf: (refusal) => keysOf(refusal, isFresh),
    retryAfterMs: quotaEndsInMs,
    limitKey: limitKeyOf(member),
  }
}

/** The quota of a member counts for the member's own account and for the organizations that were connected with it. */
export const limitKeyOf = (member: string) => `linkedin:${member}`

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Quotas are per day in UTC, and no header says so:
 * https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/rate-limits. If the message does not name a day,
 * the network may only protect itself.
 */
function quotaEndsInMs({ status, headers, body }: Refusal): number | undefined {
  if (status !== 429) return undefined
  const untilMidnight = DAY_MS - (Date.now() % DAY_MS)
  const isDaily = / DAY limit /.test(textAt(body, 'message') ?? '')
  return retryAfterMs(headers) ?? (isDaily ? untilMidnight : Math.min(HOUR_MS, untilMidnight))
}

/** A call to a path under /rest or /v2. */
export const call = (
  client: Client,
  io: Pick<Io, 'fetch' | 'signal'>,
  path: string,
  { headers, ...options }: CallOptions,
): Promise<NetworkResponse> =>
  callNetwork(client, io, `https://${HOST}${path}`, { ...options, headers: { ...client.headers, ...headers } })
