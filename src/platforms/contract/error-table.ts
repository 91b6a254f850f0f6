import type { PublishError } from './publish-error.ts'

const HOUR_MS = 3_600_000

export interface Meaning extends Pick<PublishError, 'code'> {
  /** The same call may succeed later. */
  retryable?: true
  maybeSent?: true
  needsAttention?: true
  discardsPrepared?: true
  /** The pause where neither the network nor the row names one. */
  pauseMs?: number
  /** The consequences, for the table of src/platforms/README.md. */
  outcome: string
}

/** The meanings of refusals, with the errors that they lead to. */
export const MEANINGS = {
  'credentials refused': {
    code: 'unauthorized',
    needsAttention: true,
    outcome:
      'A token that can be refreshed is refreshed once. Otherwise the post fails, and the account has to be connected again.',
  },
  'account restricted': {
    code: 'account_restricted',
    needsAttention: true,
    retryable: true,
    pauseMs: HOUR_MS,
    outcome:
      'The account rests, and the post is tried again. `attention` says that its owner has to act on the network.',
  },
  'app restricted': {
    code: 'app_restricted',
    retryable: true,
    pauseMs: HOUR_MS,
    outcome: 'All accounts of the app rest, and no post fails. Their `attention` says that the operator has to act.',
  },
  'rate limited': {
    code: 'rate_limited',
    retryable: true,
    outcome: 'The account, or all accounts that share the limit, rest. Then the post is tried again.',
  },
  'content refused': { code: 'content_refused', outcome: 'The post fails.' },
  duplicate: {
    code: 'content_refused',
    outcome: 'Where an earlier attempt may have sent the post, it is looked for. Otherwise the post fails.',
  },
  'app not approved': {
    code: 'app_not_approved',
    needsAttention: true,
    outcome: 'The post fails. `attention` says that the operator has to get an approval.',
  },
  'post not approved': {
    code: 'app_restricted',
    outcome: 'The post fails until the operator has got an approval. Other posts of the account are published.',
  },
  'inbox full': {
    code: 'inbox_full',
    retryable: true,
    outcome: 'The post is tried again. Other posts of the account are published.',
  },
  moved: {
    code: 'server_error',
    retryable: true,
    pauseMs: 1_000,
    outcome: 'Nothing was sent. The account keeps its new id, and the post is sent there.',
  },
  'tried later': { code: 'server_error', retryable: true, outcome: 'Nothing was sent. The post is tried again.' },
  'prepared again': {
    code: 'server_error',
    retryable: true,
    discardsPrepared: true,
    outcome: 'Nothing was sent. The files are uploaded again, and the post is tried again.',
  },
  'maybe sent': {
    code: 'server_error',
    retryable: true,
    maybeSent: true,
    outcome: 'The network is queried before anything is sent again.',
  },
} as const satisfies Record<string, Meaning>

/** One of these texts, or a text of this form. */
type Pattern = string | readonly string[] | RegExp

/** The parts of a refusal that tell a row. */
export interface ErrorKeys {
  /** The network's own code. */
  code?: string | undefined
  subcode?: string | undefined
  /** The network's own words, or a header that tells more. */
  text?: string | undefined
}

/** One kind of refusal. It is a refusal that has all that the row names. */
export interface ErrorRow {
  status?: number | readonly number[]
  code?: Pattern
  subcode?: Pattern
  text?: RegExp
  means: keyof typeof MEANINGS
  /** The reason, for the table of the documentation. */
  note: string
  /** The page or the report that names it. */
  source: string
  pauseMs?: number
  /** Whether all accounts of the network's `limitKey` have to pause. */
  isShared?: true
}

/** The first row that fits a refusal; undefined if the content is refused for a reason that no row names. */
export const findRow = (
  rows: readonly ErrorRow[],
  httpStatus: number,
  { code, subcode, text }: ErrorKeys,
): ErrorRow | undefined =>
  rows.find(
    (row) =>
      (row.status === undefined || [row.status].flat().includes(httpStatus)) &&
      fits(row.code, code) &&
      fits(row.subcode, subcode) &&
      fits(row.text, text),
  )

function fits(pattern: Pattern | undefined, value: string | undefined): boolean {
  if (pattern === undefined) return true
  if (value === undefined) return false
  return pattern instanceof RegExp ? pattern.test(value) : [pattern].flat().includes(value)
}
