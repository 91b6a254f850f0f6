import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import type { Refusal } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'

const CODES = 'https://github.com/reddit-archive/reddit/blob/master/r2/r2/lib/errors.py'
const HELP = 'https://support.reddithelp.com/hc/en-us/articles/16160319875092'
const PRAWCORE = 'https://github.com/praw-dev/prawcore/blob/main/prawcore/sessions.py'

export const ERRORS: readonly ErrorRow[] = [
  { status: 401, means: 'credentials refused', note: 'The token has expired or was revoked.', source: PRAWCORE },
  {
    status: 403,
    text: /insufficient_scope|invalid_token/,
    means: 'credentials refused',
    note: 'A scope is missing. The header `WWW-Authenticate` says it; without it, the subreddit refuses the post.',
    source: PRAWCORE,
  },
  { code: 'USER_REQUIRED', means: 'credentials refused', note: 'The token is not that of a user.', source: CODES },
  {
    code: 'IN_TIMEOUT',
    means: 'account restricted',
    note: 'Reddit has suspended the account for a time.',
    source: CODES,
  },
  {
    code: ['RATELIMIT', 'QUOTA_FILLED'],
    means: 'rate limited',
    note: 'The account posts too often. New accounts may post about once in ten minutes.',
    source: CODES,
  },
  {
    status: 429,
    means: 'rate limited',
    isShared: true,
    note: 'The app has used up its requests, which are counted for all accounts.',
    source: HELP,
  },
  { status: 409, means: 'tried later', note: 'Another change is under way.', source: PRAWCORE },
]

/** `text`: the header that names a missing scope. */
export const keysOf = ({ headers, body }: Refusal): ErrorKeys => ({
  code: codeOf(body),
  text: headers.get('www-authenticate') ?? undefined,
})

const HOUR_MS = 3_600_000
const UNITS_MS = { millisecond: 1, second: 1_000, minute: 60_000, hour: HOUR_MS } as const

/**
 * The pause of an account if Reddit does not say how long it has to be. A new account may post about once in ten
 * minutes.
 */
const POST_AGAIN_MS = 600_000

/** `[code, message, field]` of each error in a response with status 200. */
function errorsOf(body: unknown): unknown[] {
  const errors = at(body, 'json', 'errors')
  return Array.isArray(errors) ? errors : []
}

/**
 * Whether a response with status 200 reports an error. `success`: the form of responses to requests without `api_type`,
 * https://github.com/reddit-archive/reddit/blob/master/r2/r2/lib/jsonresponse.py
 */
export const hasErrors = (body: unknown) => errorsOf(body).length > 0 || at(body, 'success') === false

/** The code of the first error: https://github.com/reddit-archive/reddit/blob/master/r2/r2/lib/errors.py */
export const codeOf = (body: unknown): string => textAt(errorsOf(body), 0, 0) ?? ''

/** For errors without words. */
const REFUSED = 'the request was refused'

/** Reddit's words. `explanation` is the message of a subreddit's rules about the post. */
export function wordsOf(body: unknown): string | undefined {
  const errors = errorsOf(body).map((error) => {
    const code = textAt(error, 0)
    const message = textAt(error, 1)
    return [message || code, message && code && `(${code})`].filter(Boolean).join(' ')
  })
  if (errors.length > 0) return errors.filter(Boolean).join('; ') || REFUSED
  const explanation = textAt(body, 'explanation')
  if (explanation) return explanation
  const message = textAt(body, 'message')
  const reason = textAt(body, 'reason')
  if (message && reason) return `${message} (${reason})`
  if (message || reason) return message || reason
  if (at(body, 'success') === false) return REFUSED
  // Some errors have only their status.
  const status = textAt(body, 'error')
  return status && `${REFUSED} (${status})`
}

/** How long the account may not post; undefined if the error says nothing about it. */
export function pauseOf(body: unknown): number | undefined {
  const code = codeOf(body)
  if (code === 'QUOTA_FILLED') return HOUR_MS
  if (code !== 'RATELIMIT') return undefined
  const seconds = at(body, 'json', 'ratelimit')
  if (typeof seconds === 'number' && seconds > 0) return Math.ceil(seconds * 1000)
  // Such as "Take a break for 14 minutes before trying again.", see https://github.com/praw-dev/praw/issues/1954. The
  // text may be in another language.
  const [, amount, unit] = /(\d+) (millisecond|second|minute|hour)/.exec(textAt(errorsOf(body), 0, 1) ?? '') ?? []
  // One more: Reddit rounds down.
  return amount ? (Number(amount) + 1) * UNITS_MS[unit as keyof typeof UNITS_MS] : POST_AGAIN_MS
}
