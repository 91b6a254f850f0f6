import { errorResponse } from '../error.ts'
import { errorOf } from '../errors.ts'
import type { Scope } from '../scopes.ts'
import { eitherResponse } from './either-response.ts'

interface Requirements {
  scope: Scope | null
  conditionalScope?: { scope: Scope }
  takesAccountLists?: true
}

/** The 403 for an API key that does not allow an operation, together with the operation's `own` 403. */
export function forbiddenResponse({ scope, conditionalScope, takesAccountLists }: Requirements, own?: unknown) {
  const what = takesAccountLists ? '' : ', or is limited to a list of accounts'
  const errors = {
    ...(scope && { missingScope: errorOf('insufficient_scope', scope) }),
    ...(conditionalScope && { missingConditionalScope: errorOf('insufficient_scope', conditionalScope.scope) }),
    ...(!takesAccountLists && { limitedToAccounts: errorOf('account_list') }),
  }
  const headers = {
    'WWW-Authenticate': {
      type: 'string',
      description: 'Where the API key lacks a scope: `Bearer error="insufficient_scope"`, and the name as `scope`.',
    },
  }
  const response = errorResponse(`The API key lacks the scope of the operation${what}.`, errors, { headers })
  return eitherResponse(own, response)
}
