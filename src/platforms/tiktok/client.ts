import type { Io } from '../contract/io.ts'
import { PublishError, unexpected } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import { callNetwork, type NetworkRules, type Refusal, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'

export const HOST = 'open.tiktokapis.com'
export const API = `https://${HOST}`

const RATE_LIMITED = 'rate_limit_exceeded'

/**
 * Limits of a sliding minute; no header says when it is over:
 * https://developers.tiktok.com/doc/tiktok-api-v2-rate-limit
 */
const MINUTE_MS = 60_000

/** TikTok does not say when a cap of 24 hours ends, so the account tries again six times a day. */
const CAP_REST_MS = 4 * 3_600_000

const CAPS = ['spam_risk_too_many_posts', 'reached_active_user_cap']

/** It concerns drafts alone: https://developers.tiktok.com/doc/content-posting-api-reference-upload-video */
const DRAFTS_CAP = 'spam_risk_too_many_pending_share'

/**
 * Codes that concern the token or the account:
 * https://developers.tiktok.com/doc/content-posting-api-reference-direct-post and …-reference-upload-video
 */
const UNAUTHORIZED = ['access_token_invalid', 'spam_risk_user_banned_from_posting']

/** https://developers.tiktok.com/doc/tiktok-api-v2-error-handling: of a scope that the user did not grant. */
const SCOPE_CODES = ['scope_not_authorized', 'scope_permission_missed']

/** Codes about what only the operator can change. */
const APP_RESTRICTED = ['unaudited_client_can_only_post_to_private_accounts', 'url_ownership_unverified']

const SCOPE_HINT =
  'the account did not grant a permission that the post needs (video.publish, for drafts video.upload): connect it again, and allow all'

/** Replaces TikTok's own message if it does not say who has to act. */
const HINTS: Readonly<Record<string, string>> = {
  unaudited_client_can_only_post_to_private_accounts:
    'TikTok has not audited the app of this service: until its operator passes the audit, it posts only with privacyLevel SELF_ONLY, to an account that is private at that moment. A draft (postMode MEDIA_UPLOAD) needs no audit',
  url_ownership_unverified:
    'TikTok fetches photos only from addresses that were verified for the app: the operator of this service has to verify its public address at TikTok, then retry',
  reached_active_user_cap:
    'the app of this service has posted for as many creators as TikTok allows in 24 hours. The post is tried again every 4 hours; the operator can ask TikTok for a higher limit',
  spam_risk_too_many_posts:
    'the account has reached the number of posts that TikTok accepts in 24 hours, counted over all apps',
  [DRAFTS_CAP]: 'five drafts of the last 24 hours wait in the inbox of the account: finish or delete them in the app',
  spam_risk_user_banned_from_posting: 'TikTok has banned the account from posting',
  ...Object.fromEntries(SCOPE_CODES.map((code) => [code, SCOPE_HINT])),
  app_version_check_failed:
    'the TikTok app of the user is too old for drafts: the user has to update it to version 31.8 or later',
}

export interface Client extends NetworkRules {
  headers: Record<string, string>
}

/** `isDraft`: a draft needs a scope of its own, without which other posts of the account still work. */
export function clientFor({ credentials }: Pick<Io, 'credentials'>, isDraft = false): Client {
  const accessToken = accessTokenOf(credentials, 'TikTok')
  return {
    host: HOST,
    secrets: [accessToken],
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json; charset=UTF-8' },
    words,
    // Some refusals have status 200: https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info
    reportsError: (body) => codeOf(body) !== undefined && codeOf(body) !== 'ok',
    isUnauthorized({ status, body }) {
      const code = codeOf(body)
      if (code === undefined) return status === 401 || status === 403
      return UNAUTHORIZED.includes(code) || (!isDraft && SCOPE_CODES.includes(code))
    },
    isRateLimited: ({ body }) => [...CAPS, RATE_LIMITED].includes(codeOf(body) ?? ''),
    // TikTok may have carried out the call.
    classify: ({ body }) => (codeOf(body) === 'internal_error' ? 'maybe sent' : undefined),
    retryAfterMs,
  }
}

/** The code of an error; `ok` in a success. https://developers.tiktok.com/doc/tiktok-api-v2-error-handling */
export const codeOf = (body: unknown) => textAt(body, 'error', 'code')

function words(body: unknown): string | undefined {
  const code = codeOf(body) ?? ''
  if (Object.hasOwn(HINTS, code)) return HINTS[code]
  return (
    textAt(body, 'error', 'message') ||
    code ||
    (textAt(body, 'message') ?? textAt(body, 'error_description') ?? textAt(body, 'error'))
  )
}

function retryAfterMs({ status, body, headers }: Refusal): number | undefined {
  const code = codeOf(body) ?? ''
  if (CAPS.includes(code)) return CAP_REST_MS
  return (status === 429 || code === RATE_LIMITED) && !headers.has('retry-after') ? MINUTE_MS : undefined
}

interface Options {
  method?: 'GET' | 'POST'
  body?: object
  visible?: boolean
}

/** Calls the API. Returns `data` of its response. */
export async function call(
  client: Client,
  io: Pick<Io, 'fetch' | 'signal'>,
  path: string,
  { method = 'POST', body, visible = false }: Options = {},
): Promise<unknown> {
  const { headers } = client
  try {
    const response = await callNetwork(client, io, `${API}${path}`, { method, headers, ...(body && { body }), visible })
    if (codeOf(response.body) !== 'ok') throw unexpected(HOST, visible)
    return at(response.body, 'data')
  } catch (error) {
    throw error instanceof Refused ? errorOf(error) : error
  }
}

/** The error of a refusal, which may concern the app or the account instead of the content. */
function errorOf(refused: Refused): PublishError {
  const { message, refusal } = refused
  const code = codeOf(refusal.body) ?? ''
  if (APP_RESTRICTED.includes(code)) {
    return new PublishError(message, { code: 'app_restricted', maybeSent: false, retryable: false })
  }
  // Not a rate limit, during which the account rests: its other posts still work.
  if (code === DRAFTS_CAP) {
    const options = { maybeSent: false, retryable: true, retryAfterMs: CAP_REST_MS }
    return new PublishError(message, { code: 'inbox_full', ...options })
  }
  return refused
}
