import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import { at, textAt } from '../wire/json.ts'

// https://cloud.google.com/apis/design/errors, with details as https://developers.google.com/my-business has them.
const CODES = 'https://cloud.google.com/apis/design/errors'
const LIMITS = 'https://developers.google.com/my-business/content/limits'

/** The subcodes: who has to act, or what failed. */
const OPERATOR = 'operator'
const PHOTO = 'photo'
const PROJECT = 'project'

export const ERRORS: readonly ErrorRow[] = [
  {
    subcode: OPERATOR,
    means: 'app restricted',
    note: 'The API is not enabled, or Google has not approved the app: its quota is 0.',
    source: `${LIMITS}; https://github.com/gitroomhq/postiz-app/issues/1692`,
  },
  { status: 401, means: 'credentials refused', note: 'The token has expired or was revoked.', source: CODES },
  {
    status: 403,
    means: 'credentials refused',
    note: 'The person who connected the location may not manage it any more, or a scope is missing.',
    source: CODES,
  },
  {
    status: 404,
    code: 'NOT_FOUND',
    means: 'credentials refused',
    note: 'The location is not in its account any more.',
    source: 'https://github.com/spotonlive/php-google-my-business/issues/25',
  },
  { status: 409, means: 'maybe sent', note: 'ABORTED, because of another edit.', source: CODES },
  {
    subcode: PHOTO,
    means: 'tried later',
    note: 'Google could not fetch the photo.',
    source: 'https://github.com/spotonlive/php-google-my-business/issues/26',
  },
  {
    status: 429,
    subcode: PROJECT,
    means: 'rate limited',
    isShared: true,
    // Quotas are per minute. No header says when they end.
    pauseMs: 60_000,
    note: 'The quota of the app is used up, for all its accounts.',
    source: LIMITS,
  },
  { status: 429, means: 'rate limited', pauseMs: 60_000, note: 'The quota of the profile is used up.', source: LIMITS },
]

/** Google's words. If they do not say who has to act, the message says it first. */
export function wordsOf(body: unknown): string | undefined {
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

const isOfProject = (body: unknown) =>
  detailsOf(body).some((detail) => /PerProject/i.test(textAt(detail, 'metadata', 'quota_limit') ?? ''))

export const statusOf = (body: unknown) => textAt(body, 'error', 'status')

function detailsOf(body: unknown): unknown[] {
  const details = at(body, 'error', 'details')
  return Array.isArray(details) ? details : []
}

/** `subcode` tells who has to act, or what failed. */
export function keysOf({ body }: { body: unknown }): ErrorKeys {
  const code = statusOf(body)
  if (operatorHasTo(body) !== undefined) return { code, subcode: OPERATOR }
  if (isPhotoUnreachable(body)) return { code, subcode: PHOTO }
  return { code, ...(isOfProject(body) && { subcode: PROJECT }) }
}
