import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import type { Refusal } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'

// Errors have a `code` and a `message`. The codes are those of examples in API, unless another page is named.
const API = 'https://github.com/pinterest/api-description'
const QUICKSTART = 'https://github.com/pinterest/api-quickstart/blob/main/python/src/api_common.py'
const SPAM = 'https://github.com/gitroomhq/postiz-app/pull/1962'
const LIMITS = 'https://developers.pinterest.com/docs/reference/rate-limits/'

/** "Most limits are removed automatically within 24 hours": https://help.pinterest.com/en/article/rate-limit-blocks */
const SPAM_BLOCK_REST_MS = 4 * 3_600_000

/** No right to a board, a section or a pin. In `GET /pins/analytics`, 7 has status 401. */
const NO_RIGHT = ['7', '29']

const UNREACHABLE = /unable to reach|could not fetch/i
const TRIAL = /trial access/i
const BLOCKED_LINK = /blocked this link/i

export const ERRORS: readonly ErrorRow[] = [
  {
    text: TRIAL,
    status: [400, 401, 403],
    means: 'app not approved',
    note: 'Pinterest lets no app with Trial access create pins.',
    source: 'https://github.com/gitroomhq/postiz-app/issues/1084',
  },
  {
    text: BLOCKED_LINK,
    means: 'content refused',
    note: 'The link looks like spam. A pause does not help.',
    source: SPAM,
  },
  {
    code: '9',
    means: 'rate limited',
    pauseMs: SPAM_BLOCK_REST_MS,
    note: 'The account is blocked as spam, mostly for less than a day.',
    source: SPAM,
  },
  {
    status: 429,
    text: /spam/i,
    means: 'rate limited',
    pauseMs: SPAM_BLOCK_REST_MS,
    note: 'The account is blocked as spam, mostly for less than a day.',
    source: QUICKSTART,
  },
  {
    status: 429,
    means: 'rate limited',
    // Limits are per minute with Standard access.
    pauseMs: 60_000,
    note: 'Too many calls in a minute.',
    source: LIMITS,
  },
  {
    code: NO_RIGHT,
    means: 'content refused',
    note: 'The account has no right to the board, the section or the pin.',
    source: API,
  },
  {
    status: 401,
    means: 'credentials refused',
    note: 'The token is refused, or a scope is missing. A 403 is about rights, not about the token.',
    source: API,
  },
  {
    code: '2787',
    means: 'maybe sent',
    note: '"Something went wrong on our end", with status 400. Only users have reported it, for created pins too.',
    source: 'https://github.com/gitroomhq/postiz-app',
  },
  {
    status: 400,
    text: UNREACHABLE,
    means: 'tried later',
    note: 'Pinterest could not fetch the cover from its address.',
    source: 'https://github.com/gitroomhq/postiz-app',
  },
]

const messageOf = (body: unknown) => textAt(body, 'message') ?? ''

export const keysOf = ({ body }: Pick<Refusal, 'body'>): ErrorKeys => ({
  code: textAt(body, 'code'),
  text: `${messageOf(body)} ${textAt(body, 'message_detail') ?? ''}`,
})

/** The words of Pinterest, and what to do if they do not say it. */
export function wordsOf(body: unknown): string | undefined {
  const words = textAt(body, 'message')
  if (words === undefined) return undefined
  if (TRIAL.test(words)) {
    return `${withoutStop(words)}: the operator of this service has to get Standard access for its app, then retry`
  }
  if (BLOCKED_LINK.test(words)) return `${withoutStop(words)}: change fields.link`
  if (UNREACHABLE.test(words)) return `${withoutStop(words)}: Pinterest has to be able to fetch fields.coverUrl`
  if (NO_RIGHT.includes(textAt(body, 'code') ?? '')) {
    return `${withoutStop(words)}: choose a board that the account may add pins to`
  }
  return words
}

const withoutStop = (words: string) => words.replace(/[.!]$/, '')

/** The header is not documented, nor whether it has seconds from now or since 1970. */
export function untilReset({ status, headers }: Refusal): number | undefined {
  const seconds = Number(headers.get('x-ratelimit-reset') ?? 0) || 0
  const ms = (seconds > 1e9 ? seconds - Date.now() / 1000 : seconds) * 1000
  return status === 429 && !headers.has('retry-after') && ms > 60_000 ? ms : undefined
}
