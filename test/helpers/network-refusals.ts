import type { PlatformId } from '../../schemas/platform.ts'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import type { PublishError } from '../../src/platforms/contract/publish-error.ts'
import type { Reply } from '../networks/fakes/network.ts'

type Outcome = Pick<PublishError, 'code' | 'maybeSent' | 'retryable' | 'needsAttention'>

const outcome = (code: string, more: Partial<Outcome> = {}): Outcome => ({
  code,
  maybeSent: false,
  retryable: false,
  needsAttention: false,
  ...more,
})

const OWNER = outcome('unauthorized', { needsAttention: true })
const RESTRICTED = outcome('account_restricted', { retryable: true, needsAttention: true })
const APP = outcome('app_restricted', { retryable: true })
const POST = outcome('app_restricted')
const CONTENT = outcome('content_refused')
const LIMIT = outcome('rate_limited', { retryable: true })
const LATER = outcome('server_error', { retryable: true })
const OPEN = outcome('server_error', { retryable: true, maybeSent: true })

type Row = [status: number, body: unknown, error: Outcome, headers?: Record<string, string>]

const graph = (code: number, subcode?: number, message = 'No') => ({
  error: { message, type: 'OAuthException', code, error_subcode: subcode, fbtrace_id: 'A1' },
})
/** Errors that Facebook, Instagram and Threads share. */
const META: Row[] = [
  [401, { error: 'No' }, OWNER],
  ...[102, 190, 3, 10, 200, 299].map((code): Row => [400, graph(code), OWNER]),
  ...[459, 464].map((subcode): Row => [400, graph(190, subcode), RESTRICTED]),
  ...[4, 17, 32, 613].map((code): Row => [400, graph(code), LIMIT]),
  [400, graph(368, 1390008), LIMIT],
  [400, graph(368), LIMIT],
  ...[1346003, 1404102].map((subcode): Row => [400, graph(368, subcode), CONTENT]),
  ...[4854002, 1404006, 1404112].map((subcode): Row => [400, graph(368, subcode), RESTRICTED]),
  [400, graph(368, 1404082), CONTENT],
  [400, graph(1, 99), OPEN],
  [400, graph(2), OPEN],
  [400, graph(100), CONTENT],
]
const CONTAINERS: Row[] = [
  ...META,
  [400, graph(9), LIMIT],
  [400, graph(80_002), LIMIT],
  [400, graph(9, 2207042), LIMIT],
  [400, graph(4, 2207051), OPEN],
  [400, graph(-1), OPEN],
  [400, graph(10, undefined, '(#10) Not enough viewers for the media to show insights'), CONTENT],
  ...[2207050, 4279013].map((subcode): Row => [400, graph(25, subcode), RESTRICTED]),
  ...[2207003, 2207020, 2207052, 2207027].map((subcode): Row => [400, graph(-2, subcode), LATER]),
  [400, graph(100, undefined, 'The media could not be fetched from this URI: https://a.example/b'), LATER],
]

const problem = (name: string, more: object = {}) => ({
  title: 'Forbidden',
  type: name === 'about:blank' ? name : `https://api.twitter.com/2/problems/${name}`,
  status: 403,
  ...more,
})

const google = (code: number, status: string, details: object[] = []) => ({
  error: { code, message: 'No', status, details },
})
const youtube = (reason: string, message = 'No') => ({ error: { code: 403, message, errors: [{ reason, message }] } })
const telegram = (description: string, more: object = {}) => ({ ok: false, error_code: 400, description, ...more })
const reddit = (code: string) => ({ json: { errors: [[code, 'No', 'sr']] } })
const tiktok = (code: string) => ({ data: {}, error: { code, message: 'No', log_id: '1' } })
const discord = (code: number) => ({ message: 'No', code })
const linkedin = (code: string, message = 'No') => ({ message, code, status: 403, serviceErrorCode: 100 })
const pinterest = (code: number, message = 'No') => ({ code, message })
const xrpc = (error: string) => ({ error, message: 'No' })

/** The refusals of each network, code by code, with the errors that they lead to. */
const REFUSALS: Partial<Record<PlatformId, Row[]>> = {
  facebook: [
    ...META,
    [400, graph(341), LIMIT],
    [400, graph(80_001), LIMIT],
    [400, graph(104), OWNER],
    [400, graph(100, 1404078), RESTRICTED],
    [400, graph(506), CONTENT],
    [400, { debug_info: { retriable: true, type: 'ProcessingFailedError', message: 'No' } }, LATER],
    ...[389, 6001].map((code): Row => [400, graph(code), LATER]),
    ...[1363019, 1363030, 1363033].map((subcode): Row => [400, graph(6000, subcode), LATER]),
    [400, graph(100, 33), LATER],
  ],
  instagram: CONTAINERS,
  threads: CONTAINERS,
  x: [
    [401, { title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' }, OWNER],
    [402, problem('credits', { title: 'CreditsDepleted', detail: 'No credits' }), APP],
    [402, undefined, APP],
    [403, problem('usage-capped', { detail: 'No' }), APP],
    [429, { title: 'UsageCapped', detail: 'Usage cap exceeded: Monthly product cap' }, APP],
    [403, problem('client-forbidden', { detail: 'No', reason: 'client-not-enrolled' }), APP],
    [403, problem('client-forbidden', { detail: 'No', reason: 'official-client-forbidden' }), APP],
    [403, problem('client-forbidden', { detail: 'No', reason: 'user-not-enrolled' }), RESTRICTED],
    [403, problem('unsupported-authentication', { detail: 'No' }), OWNER],
    [403, problem('user-suspended', { detail: 'No' }), RESTRICTED],
    [
      403,
      problem('about:blank', { detail: 'Your account is suspended and is not permitted to access it.' }),
      RESTRICTED,
    ],
    [403, problem('about:blank', { detail: 'Your account is temporarily locked. Log in to unlock it.' }), RESTRICTED],
    [403, problem('about:blank', { detail: 'Forbidden' }), OWNER],
    [403, problem('about:blank'), OWNER],
    [403, problem('about:blank', { detail: 'Posts are limited to a maximum of one cashtag' }), CONTENT],
    [
      403,
      problem('about:blank', { detail: 'This user is not allowed to post a video longer than 20 minutes.' }),
      CONTENT,
    ],
    [403, problem('not-authorized-for-resource', { detail: 'No' }), CONTENT],
    [403, problem('unheard-of', { detail: 'No' }), CONTENT],
    [403, problem('about:blank', { detail: 'You are not allowed to create a Tweet with duplicate content.' }), CONTENT],
    [429, { title: 'Too Many Requests', status: 429 }, LIMIT, { 'x-app-limit-24hour-remaining': '0' }],
    [400, { errors: [{ message: 'Your media IDs are invalid.' }], title: 'Invalid Request' }, LATER],
  ],
  linkedin: [
    [401, linkedin('REVOKED_ACCESS_TOKEN'), OWNER],
    [403, linkedin('ACCESS_DENIED', 'Not enough permissions to access: partnerApiPostsExternal.CREATE'), OWNER],
    [403, { message: 'Not enough permissions to access: GET /me', status: 403, serviceErrorCode: 100 }, OWNER],
    [403, linkedin('ACCESS_DENIED', 'Unpermitted fields present in REQUEST_BODY: [/content]'), CONTENT],
    [422, linkedin('DUPLICATE_POST'), CONTENT],
    [400, linkedin('MEDIA_ASSET_WAITING_UPLOAD'), LATER],
    [400, linkedin('INVALID_IMAGE_ID'), LATER],
    [400, { code: 'INVALID', message: 'No', errorDetails: { inputErrors: [{ code: 'INVALID_VIDEO_ID' }] } }, LATER],
    [400, linkedin('EXPIRED_UPLOAD_URL'), CONTENT],
    [409, linkedin('CONFLICT'), LATER],
    [426, linkedin('NONEXISTENT_VERSION'), LATER],
    [429, linkedin('TOO_MANY_REQUESTS'), LIMIT],
  ],
  tiktok: [
    [401, { error: 'No' }, OWNER],
    [401, tiktok('access_token_invalid'), OWNER],
    [401, tiktok('scope_not_authorized'), OWNER],
    [400, tiktok('scope_permission_missed'), OWNER],
    [403, tiktok('spam_risk_user_banned_from_posting'), RESTRICTED],
    [403, tiktok('spam_risk_too_many_posts'), LIMIT],
    [200, tiktok('reached_active_user_cap'), LIMIT],
    [403, tiktok('spam_risk_too_many_pending_share'), outcome('inbox_full', { retryable: true })],
    [403, tiktok('unaudited_client_can_only_post_to_private_accounts'), POST],
    [403, tiktok('url_ownership_unverified'), POST],
    [403, tiktok('rate_limit_exceeded'), LIMIT],
    [429, { error: 'No' }, LIMIT],
    [400, tiktok('internal_error'), OPEN],
    [400, tiktok('invalid_param'), CONTENT],
  ],
  youtube: [
    [401, youtube('authError'), OWNER],
    ...['authenticatedUserAccountSuspended', 'authenticatedUserAccountClosed'].map(
      (reason): Row => [403, youtube(reason), RESTRICTED],
    ),
    ...['insufficientPermissions', 'authenticatedUserNotChannel', 'youtubeSignupRequired'].map(
      (reason): Row => [403, youtube(reason), OWNER],
    ),
    ...['quotaExceeded', 'dailyLimitExceeded', 'uploadLimitExceeded', 'userRateLimitExceeded'].map(
      (reason): Row => [403, youtube(reason), LIMIT],
    ),
    [429, youtube('rateLimitExceeded', 'Quota exceeded for quota metric: Video uploads per day'), LIMIT],
    ...['accessNotConfigured', 'SERVICE_DISABLED'].map((reason): Row => [403, youtube(reason), APP]),
    [403, youtube('commentsDisabled'), CONTENT],
    [409, youtube('alreadyExists'), LATER],
  ],
  pinterest: [
    [401, pinterest(2, 'Authentication failed.'), OWNER],
    [401, pinterest(3), OWNER],
    [
      403,
      pinterest(29, 'Apps with Trial access may not create Pins'),
      outcome('app_not_approved', { needsAttention: true }),
    ],
    [429, pinterest(9, 'Pinterest has blocked this link.'), CONTENT],
    [403, pinterest(9, "You've hit a block"), LIMIT],
    [429, pinterest(8, 'Our spam filter says no'), LIMIT],
    [429, pinterest(8), LIMIT],
    [403, pinterest(7), CONTENT],
    [401, pinterest(7), CONTENT],
    [403, pinterest(2625, 'Sorry, your account has been disapproved.'), CONTENT],
    [400, pinterest(2787), OPEN],
    [400, pinterest(1, 'Unable to reach the URL'), LATER],
  ],
  bluesky: [
    [400, xrpc('unconfirmed_email'), CONTENT],
    [401, xrpc('unconfirmed_email'), CONTENT],
    [401, xrpc('profile_not_found'), CONTENT],
    [403, xrpc('uploads_forbidden'), CONTENT],
    [403, xrpc('uploads_disabled'), LATER],
    ...['AccountTakedown', 'AccountDeactivated'].map((name): Row => [401, xrpc(name), RESTRICTED]),
    [400, xrpc('ExpiredToken'), OWNER],
    [401, xrpc('AuthMissing'), OWNER],
    [403, xrpc('ScopeMissingError'), OWNER],
    [400, xrpc('InvalidRequest'), CONTENT],
  ],
  telegram: [
    [401, telegram('Unauthorized'), OWNER],
    [403, telegram('Forbidden: bot was kicked from the supergroup chat'), OWNER],
    [404, telegram('Not Found'), OWNER],
    [400, telegram('Bad Request: chat not found'), OWNER],
    [400, telegram('Bad Request: not enough rights to send text messages to the chat'), OWNER],
    [400, telegram('Bad Request: not enough rights to send photos to the chat'), CONTENT],
    [400, telegram('Bad Request: CHAT_SEND_VIDEOS_FORBIDDEN'), CONTENT],
    [400, telegram('Bad Request: CHAT_SEND_PLAIN_FORBIDDEN'), OWNER],
    [400, telegram('Bad Request: group send failed'), LATER],
    [400, telegram('Bad Request: PHOTO_INVALID_DIMENSIONS'), CONTENT],
    [400, telegram('Bad Request: failed to send message #2 with the error message "Timeout"'), OPEN],
    [
      400,
      telegram('Bad Request: group chat was upgraded to a supergroup chat', {
        parameters: { migrate_to_chat_id: -1001234567891 },
      }),
      LATER,
    ],
    [429, telegram('Too Many Requests: retry after 8', { parameters: { retry_after: 8 } }), LIMIT],
  ],
  reddit: [
    [401, { message: 'Unauthorized', error: 401 }, OWNER],
    [403, { error: 403 }, OWNER, { 'www-authenticate': 'Bearer realm="reddit", error="insufficient_scope"' }],
    [403, { message: 'Forbidden', error: 403, reason: 'private' }, CONTENT],
    [200, reddit('USER_REQUIRED'), OWNER],
    [200, reddit('IN_TIMEOUT'), RESTRICTED],
    [200, reddit('RATELIMIT'), LIMIT],
    [200, reddit('QUOTA_FILLED'), LIMIT],
    [200, reddit('NO_LINKS'), CONTENT],
    [429, { message: 'Too Many Requests', error: 429 }, LIMIT],
    [409, { message: 'Conflict', error: 409 }, LATER],
  ],
  google_business: [
    [401, google(401, 'UNAUTHENTICATED'), OWNER],
    [403, google(403, 'PERMISSION_DENIED'), OWNER],
    [404, google(404, 'NOT_FOUND'), OWNER],
    ...['SERVICE_DISABLED', 'BILLING_DISABLED', 'CONSUMER_SUSPENDED', 'CONSUMER_INVALID'].map(
      (reason): Row => [403, google(403, 'PERMISSION_DENIED', [{ reason }]), APP],
    ),
    [429, google(429, 'RESOURCE_EXHAUSTED', [{ metadata: { quota_limit_value: '0' } }]), APP],
    [429, google(429, 'RESOURCE_EXHAUSTED', [{ metadata: { quota_limit: 'RequestsPerMinutePerProject' } }]), LIMIT],
    [429, google(429, 'RESOURCE_EXHAUSTED'), LIMIT],
    [409, google(409, 'ABORTED'), OPEN],
    [400, google(400, 'INVALID_ARGUMENT', [{ errorDetails: [{ message: 'Fetching image failed.' }] }]), LATER],
    [400, google(400, 'FAILED_PRECONDITION'), CONTENT],
  ],
  mastodon: [
    [401, { error: 'The access token is invalid' }, OWNER],
    [
      403,
      { error: 'Verboten' },
      OWNER,
      { 'www-authenticate': 'Bearer realm="Doorkeeper", error="insufficient_scope"' },
    ],
    [403, { error: 'This action is outside the authorized scopes' }, OWNER],
    [403, { error: 'Insufficient permissions: write:statuses.' }, OWNER],
    [403, { error: '' }, OWNER],
    [403, { error: 'Your login is currently disabled' }, RESTRICTED],
    [403, { error: 'Empty statuses are not allowed' }, CONTENT],
    [403, { error: 'Account size limit reached.' }, CONTENT],
    [422, { error: 'This method requires an authenticated user' }, OWNER],
    [422, { error: "Validation failed: Text can't be blank" }, CONTENT],
    [422, { message: 'The status may not be greater than 500 characters.', errors: { status: ['Too long'] } }, CONTENT],
    [400, { errors: { detail: 'Bad request' } }, CONTENT],
    [500, { error: 'Unauthenticated.' }, OWNER],
    [500, { message: 'The status field is required.', errors: { status: ['Required'] } }, CONTENT],
    [500, { error: 'Server Error' }, OPEN],
  ],
  discord: [
    [401, discord(0), OWNER],
    [404, discord(10015), OWNER],
    [401, discord(50027), OWNER],
    [403, discord(50001), OWNER],
    [403, discord(50013), OWNER],
    ...[20009, 200000, 200001, 240000].map((code): Row => [403, discord(code), CONTENT]),
    ...[20016, 20022, 20028, 20029, 30046, 40062].map((code): Row => [403, discord(code), LIMIT]),
    ...[40004, 40006, 130000].map((code): Row => [403, discord(code), LATER]),
    [429, { message: 'You are being rate limited.', retry_after: 8, global: false }, LIMIT],
    [429, { message: 'You are being rate limited.', retry_after: 8, global: true }, LIMIT],
  ],
}

/** The refusals of a network of a kind of act. On LinkedIn, comments need rights of their own. */
export const refusalsOf = (id: PlatformId, kind?: Act['kind']): { reply: Reply; error: Outcome }[] =>
  (REFUSALS[id] ?? []).map(([status, body, error, headers]) => ({
    reply: { status, body, ...(headers && { headers }) },
    error: id === 'linkedin' && kind === 'comment' && status === 403 ? CONTENT : error,
  }))
