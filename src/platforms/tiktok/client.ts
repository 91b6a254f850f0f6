import { accessTokenOf } from '../access-token.ts'
import type { Io } from '../adapter.ts'
import { callNetwork, type NetworkRules, type Refusal, Refused } from '../call-network.ts'
import { at, textAt } from '../json.ts'
import { PublishError, unexpected } from '../publish-error.ts'

export const HOST = 'open.tiktokapis.com'
export const API = `https://${HOST}`

/** Limits of a sliding minute; no header says when it is over: https://developers.tiktok.com/doc/tiktok-api-v2-rate-limit */
const MINUTE_MS = 60_000

/** Caps of 24 hours. Nothing says when they were reached, so that an account tries again six times a day. */
const CAP_REST_MS = 4 * 3_600_000

const CAPS = ['spam_risk_too_many_posts', 'spam_risk_too_many_pending_share', 'reached_active_user_cap']

/**
 * Codes that concern the token or the account:
 * https://developers.tiktok.com/doc/content-posting-api-reference-direct-post and …-reference-upload-video
 */
const UNAUTHORIZED = [
  'access_token_invalid',
  'scope_not_authorized',
  'scope_permission_missed',
  'spam_risk_user_banned_from_posting',
]

/** Codes that only the operator can do something about. */
const APP_RESTRICTED = ['unaudited_client_can_only_post_to_private_accounts', 'url_ownership_unverified']

/** What a code means for the reader, where TikTok's own words do not say who has to act. */
const HINTS: Readonly<Record<string, string>> = {
  unaudited_client_can_only_post_to_private_accounts:
    'TikTok has not audited the app of this service: until its operator passes the audit, it posts only with privacyLevel SELF_ONLY, to an account that is private at that moment. A draft (postMode MEDIA_UPLOAD) needs no audit',
  url_ownership_unverified:
    'TikTok fetches photos only from addresses that it knows as the property of the app: the operator of this service has to verify its public address there, then retry',
  reached_active_user_cap:
    'the app of this service has posted for as many creators as TikTok allows it in 24 hours: its operator has to ask TikTok for more, or the post waits',
  spam_risk_too_many_posts:
    'the account has reached the number of posts that TikTok accepts in 24 hours, counted over all apps',
  spam_risk_too_many_pending_share: 'five drafts of the last 24 hours wait in the inbox: finish or delete them',
  spam_risk_user_banned_from_posting: 'TikTok has banned the account from posting',
  scope_not_authorized:
    'the account did not grant a permission that the post needs (video.publish, for drafts video.upload): connect it again, and allow all',
  app_version_check_failed: 'the TikTok app of the account is too old for drafts: update it',
}

export interface Client extends NetworkRules {
  headers: Record<string, string>
}

/** `isDraft`: what a draft may not do, other posts may. */
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
      return UNAUTHORIZED.includes(code) && !(isDraft && code === 'scope_not_authorized')
    },
    isRateLimited: ({ body }) => CAPS.includes(codeOf(body) ?? ''),
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
  if (CAPS.includes(codeOf(body) ?? '')) return CAP_REST_MS
  return status === 429 && !headers.has('retry-after') ? MINUTE_MS : undefined
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
    if (!(error instanceof Refused) || !APP_RESTRICTED.includes(codeOf(error.refusal.body) ?? '')) throw error
    throw new PublishError(error.message, { code: 'app_restricted', maybeSent: false, retryable: false })
  }
}
