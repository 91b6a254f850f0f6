import { type Static, Type } from '@sinclair/typebox'
import { Answer, PAGE, Ref, StringEnum } from './shared.ts'

/** The vocabulary of Zod 3 issues, and two codes for a body that could not be read at all. */
export const ISSUE_CODES = [
  'invalid_type',
  'too_small',
  'too_big',
  'invalid_string',
  'invalid_enum_value',
  'unrecognized_keys',
  'custom',
  'invalid_json',
  'invalid_content_type',
] as const

export const MISSING_ACCOUNT_IDS = {
  code: 'invalid_type' as const,
  expected: 'array',
  received: 'undefined',
  path: ['accountIds'],
  message: 'Required',
}

export const Issue = Type.Object(
  {
    code: StringEnum(ISSUE_CODES, { description: 'What kind of mistake this is, for programs.' }),
    expected: Type.Optional(Type.String({ description: 'The type that belongs here. With `invalid_type` only.' })),
    received: Type.Optional(
      Type.String({
        description:
          'The type that was sent (`undefined` where nothing was); with `invalid_enum_value` the value that was sent.',
      }),
    ),
    path: Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] }), {
      description: 'The keys and indexes that lead to the mistake; empty when it is the whole body.',
    }),
    message: Type.String({ description: 'The mistake in words, for people.' }),
    keys: Type.Optional(Type.Array(Type.String(), { description: 'The unknown keys. With `unrecognized_keys` only.' })),
    options: Type.Optional(
      Type.Array(Type.String(), { description: 'The values that are known. With `invalid_enum_value` only.' }),
    ),
    minimum: Type.Optional(Type.Number({ description: 'The least that is allowed. With `too_small` only.' })),
    maximum: Type.Optional(Type.Number({ description: 'The most that is allowed. With `too_big` only.' })),
    inclusive: Type.Optional(
      Type.Boolean({ description: 'True: the bound itself is allowed. With `too_small` and `too_big` only.' }),
    ),
    type: Type.Optional(Type.String({ description: 'What is bounded. With `too_small` and `too_big` only.' })),
    validation: Type.Optional(Type.String({ description: 'The format that was missed. With `invalid_string` only.' })),
  },
  {
    $id: 'Issue',
    description: 'One mistake in the shape of a request, in the terms of a Zod 3 issue.',
    examples: [MISSING_ACCOUNT_IDS],
  },
)
export type Issue = Static<typeof Issue>

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'What went wrong, in words for people. Programs go by the status.' }),
    details: Type.Optional(
      Type.Array(Ref(Issue), {
        maxItems: 20,
        description: 'The mistakes in the shape of the request, the first 20 at most. No other error has them.',
      }),
    ),
  },
  // Not named `Error`: in a generated client that would hide the language's own.
  { $id: 'ErrorBody', description: 'Every answer that is not a success.', examples: [{ error: 'Post not found' }] },
)
export type ErrorBody = Static<typeof ErrorBody>

export const MISSING_KEY = 'Missing API key'
export const INVALID_KEY = 'Invalid API key'
export const EXPIRED_KEY = 'API key expired'
export const NO_DATABASE = 'Database not available'
export const NO_KEY_STORE = 'Auth not initialized'
export const NO_CREDENTIALS_KEY = 'Credentials key not set'
export const INVALID_REQUEST = 'Invalid request'
export const TOO_LARGE = 'Request body is larger than 1 MiB'
export const INTERNAL = 'Internal server error'

/** An answer that is one of `messages`, each under the name of its example. */
export const failure = (description: string, messages: Record<string, string>) =>
  Answer(
    ErrorBody,
    description,
    mapValues(messages, (error) => ({ error })),
  )

/** An answer that lists mistakes in the shape of the request, such as `issues`, or is one of `messages`. */
export const shapeFailure = (
  description: string,
  issues: Record<string, Issue>,
  messages: Record<string, string> = {},
) =>
  Answer(ErrorBody, description, {
    ...mapValues(issues, (issue) => ({ error: INVALID_REQUEST, details: [issue] })),
    ...mapValues(messages, (error) => ({ error })),
  })

const mapValues = <T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

const RETRY = 'The database cannot be reached, or is not set up yet. Try again, with growing pauses.'

/**
 * The answer while there is no database; `advice` is for operations that may have done their work all the same, or that
 * need something else: then `messages` say that it is missing.
 */
export const unavailable = (advice = '', messages: Record<string, string> = {}) =>
  failure(`${RETRY}${advice}`, { noDatabase: NO_DATABASE, noKeyStore: NO_KEY_STORE, ...messages })

/** The answers that every operation behind the API key can give. */
export const commonErrors = {
  401: {
    ...failure('There is no key, or it is unknown, revoked or past its expiry.', {
      missingKey: MISSING_KEY,
      invalidKey: INVALID_KEY,
      expiredKey: EXPIRED_KEY,
    }),
    headers: { 'WWW-Authenticate': { type: 'string', description: 'The scheme to use: `Bearer`.' } },
  },
  500: failure('Something failed that should not have. The cause is in the service’s log.', { failed: INTERNAL }),
  503: unavailable(),
} as const

export const CURSOR_AND_OFFSET = {
  code: 'custom' as const,
  path: ['offset'],
  message: 'Must be 0, or left out, with a cursor',
}

/** The answer of a list to paging that is none. */
export const invalidPage = shapeFailure(
  '`limit` or `offset` is not a whole number, or is outside its range; or `cursor` is none, or comes with an `offset`.',
  {
    limitTooBig: {
      code: 'too_big',
      type: 'number',
      maximum: PAGE.limitMax,
      inclusive: true,
      path: ['limit'],
      message: `Number must be less than or equal to ${PAGE.limitMax}`,
    },
    cursorAndOffset: CURSOR_AND_OFFSET,
  },
)
