import type { Credentials, Io } from '../contract/io.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { accessTokenOf } from '../wire/access-token.ts'
import {
  type CallOptions,
  callNetwork,
  type NetworkResponse,
  type NetworkRules,
  type Refusal,
  retryAfterMs,
} from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'

/** Local posts are in version 4 alone, accounts and locations in APIs of their own. */
export const POSTS = 'https://mybusiness.googleapis.com/v4'
export const LOCATIONS = 'https://mybusinessbusinessinformation.googleapis.com/v1'
export const ACCOUNTS = 'https://mybusinessaccountmanagement.googleapis.com/v1'

/** Quotas are per minute: https://developers.google.com/my-business/content/limits. No header says when they end. */
const QUOTA_REST_MS = 60_000

/** How long an app rests that Google has not approved, or whose API is disabled: its operator has to act. */
const OPERATOR_REST_MS = 3_600_000

/** A hundred posts with long texts. */
const LIST_BYTES_MAX = 8_388_608

/** A hundred posts a page: more than a location has. */
const PAGES_MAX = 30

/** The path of the account's location in version 4. */
export function locationOf({ location = '' }: Credentials): string {
  if (/^accounts\/\d{1,32}\/locations\/\d{1,32}$/.test(location)) return location
  throw unauthorized('The account has no location of Google Business Profile: connect it again')
}

/** The posts of the account's location. */
export const postsOf = (credentials: Credentials) => `${POSTS}/${locationOf(credentials)}/localPosts`

/**
 * The id of a post, from its name. The rest of the name is not stable: it begins with an account of the person who
 * connected the location, and another manager of the location has other accounts.
 */
export const idOf = (name: string) => name.slice(name.lastIndexOf('/') + 1)

/** Makes one call with the access token of the account. */
export function call(
  { credentials, ...io }: Io,
  url: string,
  options: Parameters<typeof callNetwork>[3] = {},
  rules: Partial<NetworkRules> = {},
): Promise<NetworkResponse> {
  const accessToken = accessTokenOf(credentials, 'Google')
  const network = { ...rulesFor(new URL(url).host, accessToken, credentials.clientId), ...rules }
  return callNetwork(network, io, url, { ...options, headers: { authorization: `Bearer ${accessToken}` } })
}

/** Calls a post; undefined if it is not there. The same error stands for a location that the account has lost. */
export async function callPost(id: string, io: Io, options: CallOptions, query = '') {
  const posts = postsOf(io.credentials)
  const response = await call(io, `${posts}/${encodeURIComponent(idOf(id))}${query}`, { ...options, accept: [404] })
  if (response.status !== 404) return response
  const { host } = new URL(posts)
  if (statusOf(response.body) !== 'NOT_FOUND') throw unexpected(host, options.visible ?? false)
  const { body } = await call(io, `${posts}?pageSize=1`)
  if (body === undefined) throw unexpected(host, false)
  return undefined
}

/** Everything in a list that comes in pages, as far as it is read. */
export async function list(
  io: Io,
  url: string,
  key: string,
  query: Record<string, string>,
): Promise<{ items: unknown[]; isComplete: boolean }> {
  const items: unknown[] = []
  let pageToken: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const parameters = new URLSearchParams({ ...query, ...(pageToken && { pageToken }) })
    const { body } = await call(io, `${url}?${parameters}`, {}, { responseBytesMax: LIST_BYTES_MAX })
    // An empty list is absent.
    const page = at(body, key) ?? []
    if (!Array.isArray(page) || !isObject(body)) throw unexpected(new URL(url).host, false)
    items.push(...page)
    pageToken = textAt(body, 'nextPageToken')
    if (!pageToken) return { items, isComplete: true }
  }
  return { items, isComplete: false }
}

const isObject = (body: unknown) => typeof body === 'object' && body !== null && !Array.isArray(body)

/**
 * Names the accounts that share a quota: that of the project to which the app belongs. The id of an app is not a
 * secret.
 */
export const limitKeyOf = (clientId: string | undefined) => (clientId ? `google_business:${clientId}` : undefined)

/** https://cloud.google.com/apis/design/errors, with details as https://developers.google.com/my-business has them. */
const rulesFor = (host: string, accessToken: string, clientId: string | undefined): NetworkRules => ({
  host,
  secrets: [accessToken],
  words,
  isUnauthorized: ({ status, body }) =>
    [401, 403].includes(status) || (status === 404 && statusOf(body) === 'NOT_FOUND'),
  classify({ status, body }) {
    // ABORTED, because of another edit.
    if (status === 409) return 'maybe sent'
    return isPhotoUnreachable(body) ? 'try later' : undefined
  },
  isRateLimited: (refusal) => operatorHasTo(refusal.body) !== undefined,
  retryAfterMs(refusal) {
    if (operatorHasTo(refusal.body)) return OPERATOR_REST_MS
    return retryAfterMs(refusal.headers) ?? (refusal.status === 429 ? QUOTA_REST_MS : undefined)
  },
  limitKey: (refusal) => (isOfProject(refusal) ? limitKeyOf(clientId) : undefined),
})

/** Google's words. If they do not say who has to act, the message says it first. */
function words(body: unknown): string | undefined {
  const problems = problemsOf(body)
  const message = textAt(body, 'error', 'message') ?? textAt(body, 'message') ?? textAt(body, 'error')
  const said = problems.length > 0 ? problems.join(' ') : message
  const advice = adviceFor(body)
  return advice && said ? `${advice}: ${said}` : (advice ?? said)
}

/** The words of https://github.com/spotonlive/php-google-my-business/issues/26. */
const problemsOf = (body: unknown): string[] =>
  detailsOf(body)
    .flatMap((detail) => at(detail, 'errorDetails') ?? [])
    .map((problem) => textAt(problem, 'message'))
    .filter((message) => message !== undefined)

/** No page has these words. Google sends them for a photo that it does not get. */
const isPhotoUnreachable = (body: unknown) =>
  problemsOf(body).some((problem) => /^fetching image failed/i.test(problem))

const SCOPE_MISSING = 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'

function adviceFor(body: unknown): string | undefined {
  const task = operatorHasTo(body)
  if (task) return `the operator of Postroom has to ${task}`
  if (isPhotoUnreachable(body)) {
    return 'Google cannot fetch the photo from this service, whose operator has to make its public address reachable'
  }
  if (hasReason(body, SCOPE_MISSING)) return 'connect the account again, and allow all that the page of Google asks for'
  return ADVICE[statusOf(body) ?? '']
}

const ADVICE: Readonly<Record<string, string>> = {
  FAILED_PRECONDITION:
    'Google takes no posts for this location now, and shows its managers the reason at business.google.com',
  NOT_FOUND: 'the location is not in its account any more, and one of its managers has to connect it again',
  PERMISSION_DENIED:
    'the person who connected the location may not manage it any more, and one of its managers has to connect it again',
}

/**
 * The steps that an app or its project lacks, by the reason:
 * https://github.com/googleapis/googleapis/blob/master/google/api/error_reason.proto
 */
const TASKS: Readonly<Record<string, string>> = {
  SERVICE_DISABLED: 'enable this API of Google',
  BILLING_DISABLED: 'enable billing for the Google Cloud project',
  CONSUMER_SUSPENDED: 'ask Google why it has suspended the Google Cloud project',
  CONSUMER_INVALID: 'check that the Google Cloud project of the app exists',
}

/** The task of the operator; undefined if the error is about the account or the post. */
function operatorHasTo(body: unknown): string | undefined {
  const reason = Object.keys(TASKS).find((reason) => hasReason(body, reason))
  if (reason) return TASKS[reason]
  // https://developers.google.com/my-business/content/limits
  const isUnapproved = detailsOf(body).some((detail) => textAt(detail, 'metadata', 'quota_limit_value') === '0')
  return isUnapproved ? 'apply to Google for access to this API' : undefined
}

const hasReason = (body: unknown, reason: string) =>
  detailsOf(body).some((detail) => textAt(detail, 'reason') === reason)

const isOfProject = ({ body }: Refusal) =>
  operatorHasTo(body) !== undefined ||
  detailsOf(body).some((detail) => /PerProject/i.test(textAt(detail, 'metadata', 'quota_limit') ?? ''))

export const statusOf = (body: unknown) => textAt(body, 'error', 'status')

function detailsOf(body: unknown): unknown[] {
  const details = at(body, 'error', 'details')
  return Array.isArray(details) ? details : []
}
