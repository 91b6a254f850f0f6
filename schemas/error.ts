import { type Static, Type } from '@sinclair/typebox'
import { type ErrorCode as Code, type CodedError, type ConstantErrorName, ERRORS, errorOf } from './errors.ts'
import { PAGE, Ref, StringEnum } from './shared.ts'

/** The codes of Zod 3 issues, and two for a body that cannot be parsed. */
const ISSUE_CODES = [
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

/** A component, because generators of clients make models of components, and few read the headers of responses. */
export const ErrorCode = StringEnum(Object.keys(ERRORS) as Code[], {
  $id: 'ErrorCode',
  description:
    'The values of the header `x-error-code`. Each operation lists those that it sends. Later versions may have others.',
  examples: ['invalid_request'],
})
export type ErrorCode = Code

export const Issue = Type.Object(
  {
    code: StringEnum(ISSUE_CODES, { description: 'The kind of mistake, for programs.' }),
    expected: Type.Optional(Type.String({ description: 'The expected type. With `invalid_type` only.' })),
    received: Type.Optional(
      Type.String({
        description:
          'The type of the value that was sent: `undefined` where the key is missing. With `invalid_enum_value`, the value itself.',
      }),
    ),
    path: Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] }), {
      description: 'The keys and indexes that lead to the mistake. Empty where it concerns the whole body.',
    }),
    message: Type.String({ description: 'The mistake in words, for people.' }),
    keys: Type.Optional(Type.Array(Type.String(), { description: 'The unknown keys. With `unrecognized_keys` only.' })),
    options: Type.Optional(
      Type.Array(Type.String(), { description: 'The allowed values. With `invalid_enum_value` only.' }),
    ),
    minimum: Type.Optional(Type.Number({ description: 'The minimum. With `too_small` only.' })),
    maximum: Type.Optional(Type.Number({ description: 'The maximum. With `too_big` only.' })),
    inclusive: Type.Optional(
      Type.Boolean({ description: '`true` where the bound itself is allowed. With `too_small` and `too_big` only.' }),
    ),
    type: Type.Optional(
      Type.String({
        description: 'The type of the bounded value, such as `array` or `string`. With `too_small` and `too_big` only.',
      }),
    ),
    validation: Type.Optional(
      Type.String({ description: 'The format that the string does not have. With `invalid_string` only.' }),
    ),
  },
  {
    $id: 'Issue',
    description: 'One mistake in the shape of a request, in the form of a Zod 3 issue.',
    examples: [MISSING_ACCOUNT_IDS],
  },
)
export type Issue = Static<typeof Issue>

export const ErrorBody = Type.Object(
  {
    error: Type.String({
      description: 'The error in words, for people. Programs use the status and the header `x-error-code`.',
    }),
    details: Type.Optional(
      Type.Array(Ref(Issue), {
        maxItems: 20,
        description:
          'Up to 20 mistakes in the shape of the request, or warnings of a request with `strict=true`. Other errors have no details.',
      }),
    ),
  },
  // Not named `Error`: in a generated client that would shadow the language's own.
  { $id: 'ErrorBody', description: 'The body of every error response.', examples: [{ error: 'Post not found' }] },
)
export type ErrorBody = Static<typeof ErrorBody>

/** An error of an operation, as an example: what its body has beside the message is added to it. */
type ErrorExample = CodedError & Partial<Pick<ErrorBody, 'details'>> & { rejected?: object[] }

/** An error whose message needs no arguments is named. */
type ListedError = ConstantErrorName | ErrorExample

interface ErrorOptions {
  headers?: Record<string, { type: string; description: string }>
  /** The codes of errors that have no example. */
  codes?: readonly ErrorCode[]
}

interface ErrorResponse {
  $ref?: string
  description?: string
  'x-examples'?: object
  headers: Record<string, object> & ReturnType<typeof codeHeader>
}

/** Error responses by their status. */
export type ErrorResponses = Record<number, ErrorResponse>

/**
 * The response for `errors` of one status. Its header `x-error-code` lists their codes, which name the examples. Tests
 * reject a response with a code that its operation does not list for its status.
 */
export const errorResponse = (
  description: string,
  errors: readonly ListedError[],
  options: ErrorOptions = {},
): ErrorResponses => {
  const examples = errors.map((error) => (typeof error === 'string' ? errorOf(error) : error))
  return { [examples[0]!.statusCode]: createResponse(description, nameExamples(examples), options) }
}

const createResponse = (
  description: string,
  examples: Record<string, ErrorExample>,
  { headers = {}, codes = [] }: ErrorOptions,
): ErrorResponse => ({
  ...Ref(ErrorBody, { description, 'x-examples': mapValues(examples, toExample) }),
  headers: { ...headers, ...codeHeader([...Object.values(examples).map(({ code }) => code), ...codes]) },
})

const toExample = ({ statusCode, code, message, ...body }: ErrorExample) => ({
  summary: code,
  value: { error: message, ...body },
})

/** Names each example by its code, and the second one of a code by a number as well. */
function nameExamples(examples: readonly ErrorExample[]): Record<string, ErrorExample> {
  const named: Record<string, ErrorExample> = {}
  for (const example of examples) {
    const others = examples.slice(0, examples.indexOf(example)).filter(({ code }) => code === example.code).length
    named[others === 0 ? example.code : `${example.code}_${others + 1}`] = example
  }
  return named
}

/** The header that lists the codes of an error response. */
export const codeHeader = (codes: readonly ErrorCode[]) => {
  const listed = [...new Set(codes)]
  const names = listed.map((code) => `\`${code}\``).join(', ')
  // No `Ref`, because @fastify/swagger resolves references in bodies alone.
  const schema = { allOf: [{ $ref: `#/components/schemas/${ErrorCode.$id}` }], enum: listed }
  return { 'x-error-code': { type: 'string', ...schema, description: `The code of the error: ${names}.` } }
}

/** A 400 that lists mistakes in the shape of the request, such as `issues`, or is one of `errors`. */
export const invalidRequestResponse = (
  description: string,
  issues: Record<string, Issue>,
  errors: readonly ListedError[] = [],
  options: ErrorOptions = {},
) => {
  const toError = (issue: Issue): ErrorExample => ({ ...errorOf('invalid_request'), details: [issue] })
  const others = nameExamples(errors.map((error) => (typeof error === 'string' ? errorOf(error) : error)))
  return { 400: createResponse(description, { ...mapValues(issues, toError), ...others }, options) }
}

const mapValues = <T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

/** The responses of both, by status: where both have a status, it has two reasons. */
export const eitherResponse = (own: ErrorResponses, added: ErrorResponses): ErrorResponses => ({
  ...own,
  ...Object.fromEntries(
    Object.entries(added).map(([status, response]) => {
      const one = own[Number(status)]
      return [status, one ? join(one, response) : response]
    }),
  ),
})

const join = (one: ErrorResponse, other: ErrorResponse): ErrorResponse => ({
  ...one,
  description: `${one.description} Or: ${other.description}`,
  'x-examples': { ...one['x-examples'], ...other['x-examples'] },
  headers: {
    ...one.headers,
    ...other.headers,
    ...codeHeader([one, other].flatMap(({ headers }) => headers['x-error-code'].enum)),
  },
})

const RETRY =
  'The database cannot be reached, has no space left, or its schema is not migrated to the version of the service. Retry with increasing delays.'

const RETRY_AFTER = {
  'Retry-After': { type: 'integer', description: 'After so many seconds, a request is possible again.' },
}

/**
 * The response while the database is unavailable. `advice` says what else the status can mean for the operation, and
 * `errors` are other reasons for a 503.
 */
export const unavailableResponse = (advice = '', errors: readonly ListedError[] = []) =>
  errorResponse(
    `${RETRY}${advice}`,
    [...(['database_unavailable', 'database_full', 'auth_not_initialized', 'schema_outdated'] as const), ...errors],
    { headers: RETRY_AFTER },
  )

/** The error response of every operation that takes a JSON body. */
export const bodyTooLargeResponse = errorResponse('The body is larger than 1 MiB.', [
  errorOf('body_too_large', 2 ** 20),
])

/** The error response of every operation with a body, while the bodies of others take all the room for them. */
export const busyResponse = errorResponse('The process reads too many large requests at a time.', ['service_busy'])

/** The error responses of every operation that takes an API key. */
export const commonErrors: ErrorResponses = {
  ...errorResponse(
    'The API key is missing, unknown, mistyped, revoked or expired. Send it as `Authorization: Bearer pr_…`.',
    ['missing_api_key', 'invalid_api_key', 'expired_api_key'],
    {
      headers: {
        'WWW-Authenticate': {
          type: 'string',
          description:
            'The authentication scheme: `Bearer`. Where the key was sent with another scheme, in another header or in the address, `error_description` says what to send.',
        },
      },
    },
  ),
  ...rateLimitResponse(
    'Too many requests, or too many invalid API keys from one address, where the operator limits them.',
  ),
  ...errorResponse('An unexpected failure. The log of the service has the cause.', ['internal_error']),
  ...unavailableResponse(),
}

/** The 429 of an operation. `errors` are its own limits. */
export function rateLimitResponse(description: string, errors: readonly ListedError[] = []): ErrorResponses {
  return errorResponse(description, [...errors, errorOf('rate_limited', 60), errorOf('too_many_failed_keys', 3)], {
    headers: RETRY_AFTER,
  })
}

export const CURSOR_AND_OFFSET = {
  code: 'custom' as const,
  path: ['offset'],
  message: 'Must be 0 or absent together with a cursor',
}

export const LIMIT_TOO_BIG = {
  code: 'too_big' as const,
  type: 'number',
  maximum: PAGE.limitMax,
  inclusive: true,
  path: ['limit'],
  message: `Number must be less than or equal to ${PAGE.limitMax}`,
}

/** The response of a list to invalid paging. */
export const invalidPageResponse = invalidRequestResponse(
  '`limit` or `offset` is not an integer or is outside its range, `cursor` is malformed, or `cursor` and `offset` are combined.',
  {
    limitTooBig: LIMIT_TOO_BIG,
    cursorAndOffset: CURSOR_AND_OFFSET,
  },
)
