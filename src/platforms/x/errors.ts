import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import type { Refusal } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'

const PAGE = 'https://docs.x.com/x-api/fundamentals/response-codes-and-errors'
const PRICING = 'https://docs.x.com/x-api/getting-started/pricing'
const NOT_ENROLLED = 'https://github.com/twitter-together/action/issues/255'

/** X refuses the app, the account and content with status 403: only the problem and its words tell them apart. */
export const ERRORS: readonly ErrorRow[] = [
  { status: 401, means: 'credentials refused', note: 'The token has expired or was revoked.', source: PAGE },
  { status: 402, means: 'app restricted', note: 'The app has no credit.', source: PRICING },
  {
    status: [403, 429],
    code: 'usage-capped',
    means: 'app restricted',
    note: 'The spending limit or the monthly cap of the app is reached.',
    source: PRICING,
  },
  {
    status: 403,
    code: 'client-forbidden',
    subcode: 'user-not-enrolled',
    means: 'account restricted',
    note: 'X charges the user, who has no developer account with credit.',
    source: 'https://github.com/cursor/plugins/issues/270',
  },
  {
    status: 403,
    code: ['client-forbidden', 'client-not-enrolled'],
    means: 'app restricted',
    note: 'The app is not in a package with access.',
    source: NOT_ENROLLED,
  },
  {
    status: 403,
    code: 'unsupported-authentication',
    means: 'credentials refused',
    note: 'The token is not that of a user.',
    source: PAGE,
  },
  { status: 403, code: 'user-suspended', means: 'account restricted', note: 'The account is suspended.', source: PAGE },
  {
    status: 403,
    code: 'about:blank',
    text: /^Your account is|temporarily locked/i,
    means: 'account restricted',
    note: 'The account is suspended or locked. Its owner unlocks it at x.com.',
    source: 'https://help.x.com/en/managing-your-account/locked-and-limited-accounts',
  },
  {
    status: 403,
    code: 'about:blank',
    text: /^Forbidden$/,
    means: 'credentials refused',
    note: 'A scope is missing, such as media.write.',
    source: PAGE,
  },
  {
    status: 403,
    text: /duplicate content/i,
    means: 'duplicate',
    note: 'The account posted this text recently.',
    source: 'https://github.com/akrherz/iembot/issues/163',
  },
  {
    status: 429,
    subcode: 'of the app',
    means: 'rate limited',
    isShared: true,
    note: 'The app has made its calls of 24 hours.',
    source: 'https://docs.x.com/x-api/fundamentals/rate-limits',
  },
  {
    status: 400,
    text: /media IDs are invalid/i,
    means: 'prepared again',
    note: 'A file is not ready, too old, or of another user.',
    source: 'https://github.com/abraham/twitteroauth/issues/1222',
  },
]

/** The last part of the type: real errors show api.twitter.com as well as api.x.com in front of it. */
export const problemOf = (body: unknown) => textAt(body, 'type')?.split('/').at(-1)

/**
 * Problems and invalid requests. The message of an invalid request says more than its detail, which is the same for
 * all. https://docs.x.com/openapi.json has `message` too.
 */
export const wordsOf = (body: unknown): string | undefined =>
  textAt(body, 'errors', 0, 'message') || textAt(body, 'detail') || textAt(body, 'message') || textAt(body, 'title')

export const keysOf = ({ status, headers, body }: Refusal): ErrorKeys => ({
  code: textAt(body, 'title') === 'UsageCapped' ? 'usage-capped' : problemOf(body),
  subcode:
    status === 429 && headers.get('x-app-limit-24hour-remaining') === '0' ? 'of the app' : textAt(body, 'reason'),
  // A missing scope has no other detail.
  text: wordsOf(body) || (status === 403 ? 'Forbidden' : undefined),
})
