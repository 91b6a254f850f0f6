import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import {
  bodyTooLargeResponse,
  busyResponse,
  commonErrors,
  type ErrorResponses,
  eitherResponse,
  errorResponse,
  type Issue,
  invalidPageResponse,
  invalidRequestResponse,
} from '../error.ts'
import { errorOf } from '../errors.ts'
import { IdempotencyHeaders, keyReusedResponse } from '../idempotency.ts'
import { preconditionFailedResponse } from '../precondition.ts'
import type { Scope } from '../scopes.ts'
import { Closed, PageQuery } from '../shared.ts'

/** https://modelcontextprotocol.io/specification/2026-07-28/server/tools */
export interface ToolHints {
  readOnlyHint: boolean
  /** Whether it may do more than add something. */
  destructiveHint: boolean
  /** Whether the same call again has no further effect. */
  idempotentHint: boolean
  /** Whether it reaches beyond this service: to a network, or to a server that the agent names. */
  openWorldHint: boolean
}

/** How agents see an operation. */
export interface ToolFacts {
  /** Absent if it is that of the operation, as `get_post` is of `getPost`. */
  name?: string
  title: string
  description: string
  /** The texts for a key without `posts:publish`, where those of others speak of publishing. */
  forDrafts?: { title: string; description: string }
  /** The hints that do not follow from the method and the scope. */
  hints?: Partial<ToolHints>
  /** For an operation that may require `posts:publish` and makes nothing public. */
  takesNoConfirm?: true
  /** The effect that a call has to confirm, as the end of a sentence that begins with the call. */
  confirms?: string
}

/** Everything about an operation but its handler. */
interface Definition {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** The scope that the API key needs; null if any key will do, or if the operation takes no key. */
  scope: Scope | null
  /** A scope that only some requests require. The handler checks it with `requireScope`. */
  conditionalScope?: { scope: Scope; when: string }
  /**
   * Whether keys that are limited to some accounts may call it: it then treats other accounts as those of other users.
   * Otherwise such keys get 403.
   */
  takesAccountLists?: true
  /**
   * Ignores query parameters that it does not know. Only the four operations of the first version of the contract do.
   */
  ignoresUnknownQuery?: true
  hasOptionalBody?: true
  /** Whether it makes renditions of files, as `mediaFit` asks for. */
  makesRenditions?: true
  /** The message of an unexpected failure, in place of the general one. */
  failure?: string
  /** A probe for operators. The document leaves it out. */
  isProbe?: true
  operationId?: string
  tag?: string
  summary?: string
  description?: string
  consumes?: readonly string[]
  params?: TSchema
  query?: TObject
  headers?: TSchema
  body?: TSchema
  /** The responses below 400, by status. */
  success?: Record<number, unknown>
  /** The error responses that only some operations have. The others follow from the scope, the headers and the body. */
  errors?: readonly ErrorResponses[]
  /** The method of the SDK, such as `posts.create`. */
  sdk?: string
  /** Absent if agents cannot call it. */
  tool?: ToolFacts
}

type Parts<T> = Pick<T, Extract<keyof T, 'operationId' | 'description' | 'consumes' | 'params' | 'headers' | 'body'>> &
  (T extends { query: infer Query } ? { querystring: Query } : object) &
  (T extends { success: infer Success } ? { response: Success } : object)

/** The options of a Fastify route, and what tools and tests need of an operation. */
type Operation<T extends Definition> = Pick<
  T,
  Extract<keyof T, 'method' | 'scope' | 'conditionalScope' | 'takesAccountLists' | 'sdk' | 'tool'>
> & { url: T['path']; config: object; schema: Parts<T> & { hide?: boolean } }

/** The name of the security scheme in the OpenAPI document. */
export const BEARER = 'apiKey'

/** A misspelt filter or option must not be dropped in silence. */
const UNKNOWN_PARAMETER: Issue = {
  code: 'unrecognized_keys',
  keys: ['verbose'],
  path: [],
  message: "Unrecognized key(s) in object: 'verbose'",
}

const unknownParameterResponse = invalidRequestResponse('The operation does not have a query parameter of this name.', {
  unknownParameter: UNKNOWN_PARAMETER,
})

/**
 * Makes the options of a route of an operation, with the literal types that the handler's types are inferred from. Adds
 * what its scope, headers, body and query mean for the route and for the document.
 */
export function defineOperation<const T extends Definition>(definition: T): Operation<T> {
  const { method, path: url, scope, conditionalScope, takesAccountLists = false, sdk, tool } = definition
  const { failure, hasOptionalBody, isProbe, ignoresUnknownQuery, success = {} } = definition
  const config = {
    scope,
    takesAccountLists,
    ...(failure && { failure }),
    ...(hasOptionalBody && { hasOptionalBody }),
    ...(isProbe && { isProbe }),
  }
  const route = {
    method,
    url,
    scope,
    conditionalScope,
    takesAccountLists: definition.takesAccountLists,
    sdk,
    tool,
    config,
  }
  if (isProbe) return { ...route, schema: { hide: true, response: success } } as unknown as Operation<T>
  const { operationId, tag, summary, consumes, params, query, headers, body, description } = definition
  const schema = {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(consumes && { consumes }),
    ...(params && { params }),
    ...(headers && { headers }),
    ...(body && { body }),
    ...(ignoresUnknownQuery ? query && { querystring: query } : { querystring: Closed(query ?? Type.Object({})) }),
    ...(scope && {
      'x-required-scope': scope,
      ...(conditionalScope && { 'x-conditional-scope': conditionalScope }),
      'x-takes-account-lists': takesAccountLists,
      // The scope is in `x-required-scope` instead: if role names were here, Swagger UI 5 would block the browser for
      // 20 seconds when a person clicks Authorize.
      security: [{ [BEARER]: [] }],
      description: `${description}\n\n${describe(definition)}`,
    }),
    response: { ...success, ...listErrors(definition) },
  }
  return { ...route, schema } as unknown as Operation<T>
}

const describe = ({ scope, conditionalScope, takesAccountLists }: Definition) =>
  [
    `Requires the scope \`${scope}\``,
    conditionalScope && `; ${conditionalScope.when}, \`${conditionalScope.scope}\``,
    !takesAccountLists && ', and a key without a list of accounts',
    '.',
  ]
    .filter(Boolean)
    .join('')

/** All error responses of an operation, by status. */
function listErrors(definition: Definition): ErrorResponses {
  const { errors = [], makesRenditions, ignoresUnknownQuery, query, headers, body, scope } = definition
  const own: ErrorResponses = Object.assign(
    { ...commonErrors },
    query === PageQuery && invalidPageResponse,
    headers === IdempotencyHeaders && keyReusedResponse,
    preconditionFailedResponse(headers),
    body && bodyTooLargeResponse,
    ...errors,
  )
  const made = makesRenditions ? renditionFailures.reduce(eitherResponse, own) : own
  // A form with a file is streamed.
  const isParsed = body && !definition.consumes?.includes('multipart/form-data')
  const read = isParsed ? eitherResponse(made, busyResponse) : made
  const strict = ignoresUnknownQuery ? read : eitherResponse(read, unknownParameterResponse)
  return scope ? eitherResponse(strict, forbiddenResponse(definition, scope)) : strict
}

const renditionFailures = [
  errorResponse('The files that `mediaFit` would make exceed the quota of your files.', [
    errorOf('media_quota', { newBytes: 4_200_000, usedBytes: 9_997_000_000, quotaBytes: 10_000_000_000 }),
  ]),
  errorResponse('The files that `mediaFit` asks for cannot be stored now, or take long. Send the request again.', [
    'storage_unavailable',
    'storage_full',
    'renditions_unfinished',
  ]),
]

/** The 403 for an API key that does not allow the operation. */
function forbiddenResponse({ conditionalScope, takesAccountLists }: Definition, scope: Scope): ErrorResponses {
  const what = takesAccountLists ? '' : ', or is limited to a list of accounts'
  return errorResponse(
    `The API key lacks the scope of the operation${what}.`,
    [
      errorOf('insufficient_scope', scope),
      ...(conditionalScope ? [errorOf('insufficient_scope', conditionalScope.scope)] : []),
      ...(takesAccountLists ? [] : (['account_list'] as const)),
    ],
    {
      headers: {
        'WWW-Authenticate': {
          type: 'string',
          description: 'Where the API key lacks a scope: `Bearer error="insufficient_scope"`, and the name as `scope`.',
        },
      },
    },
  )
}
