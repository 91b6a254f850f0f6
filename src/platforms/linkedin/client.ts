import type { Credentials, Io } from '../contract/io.ts'
import { unauthorized } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import {
  callNetwork,
  type NetworkResponse,
  type NetworkRules,
  type Refusal,
  retryAfterMs,
} from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { findAccountKind } from './limits.ts'
import { VERSION } from './version.ts'

export const HOST = 'api.linkedin.com'

/**
 * For some seconds after it was issued, a token may be refused as revoked:
 * https://github.com/jclusso/omniauth-linkedin-openid/issues/6
 */
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
    isUnauthorized: ({ status }) => status === 403 || (status === 401 && !isFresh),
    classify,
    retryAfterMs: quotaEndsInMs,
    limitKey: () => limitKeyOf(member),
  }
}

/** The quota of a member counts for the member's own account and for the organizations that were connected with it. */
export const limitKeyOf = (member: string) => `linkedin:${member}`

/** The codes of an error: the outer one, and those of its fields. */
export function codesOf({ body }: Refusal): unknown[] {
  const errors = at(body, 'errorDetails', 'inputErrors')
  return [at(body, 'code'), ...(Array.isArray(errors) ? errors.map((error) => at(error, 'code')) : [])]
}

/**
 * Temporary refusals: a token that is valid in a few seconds (the only remaining 401), a conflict with another write,
 * and files whose upload is not known yet. A version that has ended also counts: an update of Postroom cures it.
 */
const isTemporary = (refusal: Refusal) =>
  [401, 409, 426].includes(refusal.status) || codesOf(refusal).includes('MEDIA_ASSET_WAITING_UPLOAD')

function classify(refusal: Refusal) {
  if (isTemporary(refusal)) return 'try later'
  // The file of the post: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api
  const isFileUnknown = codesOf(refusal).some((code) => code === 'INVALID_IMAGE_ID' || code === 'INVALID_VIDEO_ID')
  return isFileUnknown ? 'prepare anew' : undefined
}

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
  { headers, ...options }: Parameters<typeof callNetwork>[3] = {},
): Promise<NetworkResponse> =>
  callNetwork(client, io, `https://${HOST}${path}`, { ...options, headers: { ...client.headers, ...headers } })
