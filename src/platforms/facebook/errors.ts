import type { ErrorKeys, ErrorRow } from '../contract/error-table.ts'
import { BLOCKED_ROWS, CREDENTIAL_ROWS, keysOf as graphKeysOf } from '../families/meta/errors.ts'
import { at, textAt } from '../wire/json.ts'

export const GRAPH_ERRORS = 'https://developers.facebook.com/docs/graph-api/guides/error-handling'
const RATES = 'https://developers.facebook.com/docs/graph-api/overview/rate-limiting'
const VIDEOS = 'https://developers.facebook.com/documentation/video-api/reference/error-codes'
const REELS = 'https://developers.facebook.com/docs/video-api/guides/reels-publishing'

/** "Does not exist, or is not permitted": the two cannot be told apart. */
export const ABSENT = { code: '100', subcode: '33' } as const

/** The Graph API reports errors by code and subcode; the HTTP status says little. */
export const ERRORS: readonly ErrorRow[] = [
  {
    code: ['4', '341'],
    means: 'rate limited',
    isShared: true,
    note: 'The limit of the app is reached. Nothing was published.',
    source: RATES,
  },
  {
    // Codes from 80000 on are limits of business use cases; those of Pages have 80001.
    code: /^(?:17|32|613|800\d\d)$/,
    means: 'rate limited',
    note: 'The limit of a user, a Page or a use case is reached. Nothing was published.',
    source: RATES,
  },
  ...CREDENTIAL_ROWS,
  {
    code: '104',
    means: 'credentials refused',
    note: 'The signature of the token is wrong.',
    source: GRAPH_ERRORS,
  },
  ...BLOCKED_ROWS,
  {
    subcode: '1404078',
    means: 'account restricted',
    note: 'The Page has to be authorised for publishing.',
    source: 'https://github.com/gitroomhq/postiz-app/pull/2068',
  },
  { code: '506', means: 'duplicate', note: 'The content was posted a moment ago.', source: GRAPH_ERRORS },
  {
    subcode: 'retriable',
    means: 'tried later',
    note: 'The host of uploads asks for another attempt.',
    source: REELS,
  },
  {
    code: ['389', '6001'],
    means: 'tried later',
    note: 'The upload may succeed later.',
    source: VIDEOS,
  },
  {
    subcode: ['1363019', '1363030', '1363033'],
    means: 'tried later',
    note: 'The upload may succeed later.',
    source: VIDEOS,
  },
  {
    code: ['1', '2'],
    means: 'maybe sent',
    note: 'An unknown error, or the service is down. Posts were live after both.',
    source: 'https://github.com/arsduo/koala/issues/699',
  },
  {
    ...ABSENT,
    means: 'tried later',
    note: 'An object is not shown. It may be new.',
    source: 'https://github.com/gitroomhq/postiz-app/issues/1562',
  },
  {
    status: 401,
    means: 'credentials refused',
    note: 'The token is refused without a code.',
    source: GRAPH_ERRORS,
  },
]

/** The page names the types without their place: it may be the envelope of the Graph API. */
const UPLOAD_AGAIN_TYPES = ['OffsetInvalidError', 'PartialRequestError']

const isUploadAgain = (body: unknown) =>
  at(body, 'debug_info', 'retriable') === true ||
  [textAt(body, 'debug_info', 'type'), textAt(body, 'error', 'type')].some((type = '') =>
    UPLOAD_AGAIN_TYPES.includes(type),
  )

/** The host for reels and stories has errors of its own. */
export const keysOf = ({ body }: { body: unknown }): ErrorKeys =>
  isUploadAgain(body) ? { subcode: 'retriable' } : graphKeysOf({ body })
