import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import type { Refusal } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'

const ERROR_PAGE = 'https://developers.tiktok.com/doc/tiktok-api-v2-error-handling'
const POSTS = 'https://developers.tiktok.com/doc/content-posting-api-reference-direct-post'
const DRAFTS = 'https://developers.tiktok.com/doc/content-posting-api-reference-upload-video'

/** TikTok does not say when a cap of 24 hours ends, so the account tries again six times a day. */
const CAP_REST_MS = 4 * 3_600_000

export const ERRORS: readonly ErrorRow[] = [
  {
    code: 'access_token_invalid',
    means: 'credentials refused',
    note: 'The token has expired or was revoked.',
    source: ERROR_PAGE,
  },
  {
    // A draft needs a scope of its own, without which other posts of the account still work.
    code: ['scope_not_authorized', 'scope_permission_missed'],
    subcode: 'draft',
    means: 'content refused',
    note: 'The scope of drafts is missing. Other posts are published.',
    source: ERROR_PAGE,
  },
  {
    code: ['scope_not_authorized', 'scope_permission_missed'],
    means: 'credentials refused',
    note: 'A scope is missing.',
    source: ERROR_PAGE,
  },
  {
    code: 'spam_risk_user_banned_from_posting',
    means: 'account restricted',
    note: 'TikTok has banned the account from posting.',
    source: POSTS,
  },
  {
    code: ['spam_risk_too_many_posts', 'reached_active_user_cap'],
    means: 'rate limited',
    pauseMs: CAP_REST_MS,
    note: 'The account has reached its posts, or the app its creators, of 24 hours.',
    source: POSTS,
  },
  {
    code: 'spam_risk_too_many_pending_share',
    means: 'inbox full',
    pauseMs: CAP_REST_MS,
    note: 'Five drafts of the last 24 hours wait in the inbox.',
    source: DRAFTS,
  },
  {
    code: ['unaudited_client_can_only_post_to_private_accounts', 'url_ownership_unverified'],
    means: 'post not approved',
    note: 'The app is not audited, or the address of photos is not verified.',
    source: POSTS,
  },
  {
    code: 'rate_limit_exceeded',
    means: 'rate limited',
    // A sliding minute. No header says when it is over.
    pauseMs: 60_000,
    note: 'Too many calls in a minute.',
    source: 'https://developers.tiktok.com/doc/tiktok-api-v2-rate-limit',
  },
  {
    status: 429,
    means: 'rate limited',
    pauseMs: 60_000,
    note: 'Too many calls in a minute.',
    source: 'https://developers.tiktok.com/doc/tiktok-api-v2-rate-limit',
  },
  { code: 'internal_error', means: 'maybe sent', note: 'TikTok may have carried out the call.', source: ERROR_PAGE },
  { status: 401, means: 'credentials refused', note: 'The token is refused without a code.', source: ERROR_PAGE },
]

/** `isDraft`: the call is about a draft. */
export const keysOf = ({ body }: Pick<Refusal, 'body'>, isDraft: boolean): ErrorKeys => ({
  code: codeOf(body),
  ...(isDraft && { subcode: 'draft' }),
})

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
  spam_risk_too_many_pending_share:
    'five drafts of the last 24 hours wait in the inbox of the account: finish or delete them in the app',
  spam_risk_user_banned_from_posting: 'TikTok has banned the account from posting',
  scope_not_authorized: SCOPE_HINT,
  scope_permission_missed: SCOPE_HINT,
  app_version_check_failed:
    'the TikTok app of the user is too old for drafts: the user has to update it to version 31.8 or later',
}

/** The code of an error; `ok` in a success. https://developers.tiktok.com/doc/tiktok-api-v2-error-handling */
export const codeOf = (body: unknown) => textAt(body, 'error', 'code')

export function wordsOf(body: unknown): string | undefined {
  const code = codeOf(body) ?? ''
  if (Object.hasOwn(HINTS, code)) return HINTS[code]
  return (
    textAt(body, 'error', 'message') ||
    code ||
    (textAt(body, 'message') ?? textAt(body, 'error_description') ?? textAt(body, 'error'))
  )
}
