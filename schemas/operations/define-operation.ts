import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { type Issue, invalidRequestResponse } from '../error.ts'
import type { Scope } from '../scopes.ts'
import { Closed } from '../shared.ts'
import { eitherResponse } from './either-response.ts'
import { forbiddenResponse } from './forbidden-response.ts'

/** Everything about an endpoint but its handler: the options of a Fastify route. */
interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** The scope that the API key needs; null if any key will do, or if the operation takes no key. */
  scope: Scope | null
  /** A scope that only some requests require. The handler checks it with `requireScope`. */
  conditionalScope?: { scope: Scope; when: string }
  /**
   * Whether keys that are limited to some accounts may call it: it then treats other accounts as those of other users.
   * Otherwise such keys get 403.
   */
  takesAccountLists?: true
  /** Ignores query parameters that it does not know. Only the four operations of the first version of the contract do. */
  ignoresUnknownQuery?: true
  config?: { failure: string } | { isProbe: true } | { hasOptionalBody: true }
  schema: {
    hide?: boolean
    operationId?: string
    tags?: readonly string[]
    summary?: string
    description?: string
    consumes?: readonly string[]
    params?: TSchema
    querystring?: TObject
    headers?: TSchema
    body?: TSchema
    response?: Record<number, unknown>
  }
}

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
 * Checks the shape of an operation and keeps its literal types, which the handler's types are inferred from. Adds what its
 * scope means for the route and for the document, and rejects unknown query parameters. Probes stay as they are.
 */
export function defineOperation<const T extends Operation>(definition: T): T {
  const { scope, conditionalScope, takesAccountLists = false, ignoresUnknownQuery = false, config, schema } = definition
  const withScope = { ...definition, config: { ...config, scope, takesAccountLists } }
  if (schema.hide) return withScope
  const { querystring, response = {}, description } = schema
  return {
    ...withScope,
    schema: {
      ...schema,
      ...(!ignoresUnknownQuery && { querystring: Closed(querystring ?? Type.Object({})) }),
      ...(scope && {
        'x-required-scope': scope,
        ...(conditionalScope && { 'x-conditional-scope': conditionalScope }),
        'x-takes-account-lists': takesAccountLists,
        // The scope is in `x-required-scope` instead: if role names were here, Swagger UI 5 would block the browser for
        // 20 seconds when a person clicks Authorize.
        security: [{ [BEARER]: [] }],
        description: `${description}\n\n${describe(definition)}`,
      }),
      response: {
        ...response,
        ...(!ignoresUnknownQuery && { 400: eitherResponse(response[400], unknownParameterResponse) }),
        ...(scope && { 403: forbiddenResponse(definition, response[403]) }),
      },
    },
  }
}

const describe = ({ scope, conditionalScope, takesAccountLists }: Operation) =>
  [
    `Requires the scope \`${scope}\``,
    conditionalScope && `; ${conditionalScope.when}, \`${conditionalScope.scope}\``,
    !takesAccountLists && ', and a key without a list of accounts',
    '.',
  ]
    .filter(Boolean)
    .join('')
