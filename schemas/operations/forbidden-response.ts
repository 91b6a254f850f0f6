import { type CodedError, errorResponse } from '../error.ts'
import { LIMITED_TO_ACCOUNTS, lacksScope } from '../messages.ts'
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
  const lacking = (missing: Scope): CodedError => ['insufficient_scope', lacksScope(missing)]
  const limited: CodedError = ['account_list', LIMITED_TO_ACCOUNTS]
  const errors = {
    ...(scope && { missingScope: lacking(scope) }),
    ...(conditionalScope && { missingConditionalScope: lacking(conditionalScope.scope) }),
    ...(!takesAccountLists && { limitedToAccounts: limited }),
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
