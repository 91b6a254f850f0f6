import type { ErrorKeys, ErrorRow } from '../../contract/error-table.ts'
import { textAt } from '../../wire/json.ts'

const GRAPH = 'https://developers.facebook.com/docs/graph-api/guides/error-handling'
const RATES = 'https://developers.facebook.com/docs/graph-api/overview/rate-limiting'
const INSTAGRAM =
  'https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes (2026-06-02)'
const POSTIZ = 'https://github.com/gitroomhq/postiz-app/pull/2068'

const HOUR_MS = 3_600_000

const UNKNOWN_OUTCOME: ErrorRow = {
  code: ['-1', '1', '2'],
  means: 'maybe sent',
  note: 'An unknown error, or the service is down.',
  source: GRAPH,
}

const LIMITED: ErrorRow = {
  code: /^(?:4|9|17|32|613|80002)$/,
  means: 'rate limited',
  note: 'The limit of an app, a user or a use case is reached; 9 is that of publishing.',
  source: RATES,
}

/** Refused codes and apps have code 100 too: nothing but the code, the token and the app can be wrong here. */
export const TOKEN_ERRORS: readonly ErrorRow[] = [
  LIMITED,
  UNKNOWN_OUTCOME,
  { means: 'credentials refused', note: 'The code, the token or the app is refused.', source: GRAPH },
]

/** Tokens and permissions, on each network of Meta. */
export const CREDENTIAL_ROWS: readonly ErrorRow[] = [
  {
    code: '190',
    subcode: ['459', '464'],
    means: 'account restricted',
    note: 'The user has to log in at Facebook to pass a check or to confirm the account. The token stays.',
    source: GRAPH,
  },
  { code: ['102', '190'], means: 'credentials refused', note: 'The token has expired or was revoked.', source: GRAPH },
  {
    code: /^(?:3|10|2\d\d)$/,
    means: 'credentials refused',
    note: 'A permission is missing or was removed.',
    source: GRAPH,
  },
]

/** "Temporarily blocked for policies violations": the subcode says what was blocked. */
export const BLOCKED_ROWS: readonly ErrorRow[] = [
  {
    code: '368',
    subcode: '1404082',
    means: 'duplicate',
    note: 'The content was posted already.',
    source: 'https://github.com/arsduo/koala/issues/422',
  },
  {
    code: '368',
    subcode: ['1346003', '1404102'],
    means: 'content refused',
    note: 'The content was reported, or is against the standards of the community.',
    source: POSTIZ,
  },
  {
    code: '368',
    subcode: ['4854002', '1404006', '1404112'],
    means: 'account restricted',
    note: 'The owner has to confirm an identity or pass a security check.',
    source: POSTIZ,
  },
  {
    code: '368',
    means: 'rate limited',
    pauseMs: HOUR_MS,
    note: 'The account posts too fast (subcode 1390008), or is blocked for a time. Meta: wait, and try again.',
    source: `${GRAPH}; ${POSTIZ}`,
  },
]

/** The errors of Instagram and Threads. Threads has no table of its own. */
export const ERRORS: readonly ErrorRow[] = [
  {
    subcode: '2207042',
    means: 'rate limited',
    // Nothing tells when a slot frees.
    pauseMs: 3 * HOUR_MS,
    note: 'The daily limit of published posts is reached.',
    source: INSTAGRAM,
  },
  {
    subcode: '2207051',
    means: 'maybe sent',
    note: '"Activity restricted". Posts were live all the same.',
    source: 'https://github.com/gitroomhq/postiz-app/pull/1681',
  },
  LIMITED,
  {
    code: '10',
    text: /not enough viewers/i,
    means: 'content refused',
    note: 'Too few people have seen the story for insights.',
    source: 'https://developers.facebook.com/docs/instagram-platform/reference/instagram-media/insights',
  },
  ...CREDENTIAL_ROWS,
  ...BLOCKED_ROWS,
  {
    subcode: ['2207050', '4279013'],
    means: 'account restricted',
    note: 'The account is inactive or restricted. Its owner has to open the app.',
    source: INSTAGRAM,
  },
  {
    subcode: ['2207003', '2207020', '2207052', '2207027'],
    means: 'tried later',
    note: 'The file was not fetched, has expired, or the container is not ready.',
    source: INSTAGRAM,
  },
  {
    text: /could not be fetched from this URI/i,
    means: 'tried later',
    note: 'Threads could not fetch the file, and names no code.',
    source: 'https://developers.facebook.com/docs/threads/troubleshooting',
  },
  UNKNOWN_OUTCOME,
  {
    status: 401,
    means: 'credentials refused',
    note: 'The token is refused without a code.',
    source: GRAPH,
  },
]

export const keysOf = ({ body }: { body: unknown }): ErrorKeys => ({
  code: textAt(body, 'error', 'code'),
  subcode: textAt(body, 'error', 'error_subcode'),
  text: textAt(body, 'error', 'message'),
})
