import type { TSchema } from '@sinclair/typebox'
import type { Scope } from '../scopes.ts'
import { forbiddenResponse } from './forbidden-response.ts'

/** Everything about an endpoint but its handler: the options of a Fastify route. */
interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** What the API key has to allow; null if any key will do, or if the operation takes none. */
  scope: Scope | null
  /** A scope that only some requests require. The handler checks it with `requireScope`. */
  conditionalScope?: { scope: Scope; when: string }
  /**
   * Whether keys that are limited to some accounts may call it: it then treats other accounts as those of other users.
   * Otherwise such keys get 403.
   */
  takesAccountLists?: true
  config?: { failure: string } | { isProbe: true } | { hasOptionalBody: true }
  schema: {
    hide?: boolean
    operationId?: string
    tags?: readonly string[]
    summary?: string
    description?: string
    consumes?: readonly string[]
    params?: TSchema
    querystring?: TSchema
    headers?: TSchema
    body?: TSchema
    response?: Record<number, unknown>
  }
}

/** The name of the security scheme in the OpenAPI document. */
export const BEARER = 'apiKey'

/**
 * Checks the shape of an operation and keeps its literal types, which the handler's types are inferred from. Adds what its
 * scope means for the route and for the document.
 */
export function defineOperation<const T extends Operation>(definition: T): T {
  const { scope, conditionalScope, takesAccountLists = false, config, schema } = definition
  const withScope = { ...definition, config: { ...config, scope, takesAccountLists } }
  if (scope === null) return withScope
  return {
    ...withScope,
    schema: {
      ...schema,
      'x-required-scope': scope,
      ...(conditionalScope && { 'x-conditional-scope': conditionalScope }),
      'x-takes-account-lists': takesAccountLists,
      // Without the scope, which `x-required-scope` names: with role names, Swagger UI 5 blocks the browser for 20 seconds when
      // a person clicks Authorize.
      security: [{ [BEARER]: [] }],
      description: `${schema.description}\n\n${describe(definition)}`,
      response: { ...schema.response, 403: forbiddenResponse(definition, schema.response?.[403]) },
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
