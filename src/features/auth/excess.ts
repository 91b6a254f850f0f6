import type { KeyRights } from '../../../db/queries/keys.ts'
import { ALL_ACCOUNTS, ALL_SCOPES, accountName, LATER_EXPIRY, scopeName } from '../../../schemas/messages.ts'
import { hasScope, SCOPE_NAMES } from '../../../schemas/scopes.ts'
import { ALL_RIGHTS, isListed } from '../../base/http/rights.ts'

/** The rights of a key, and the time of their end. */
export interface Allowance extends KeyRights {
  expiresAt: Date | null
}

/** Names something that `wanted` allows and `own` does not; undefined if there is nothing. */
export function findExcess(own: Allowance, wanted: Allowance): string | undefined {
  if (wanted.scopes === null && SCOPE_NAMES.some((scope) => hasScope(ALL_RIGHTS, scope) && !hasScope(own, scope))) {
    return ALL_SCOPES
  }
  const scope = wanted.scopes?.find((scope) => !hasScope(own, scope))
  if (scope) return scopeName(scope)
  if (own.accountIds && !wanted.accountIds) return ALL_ACCOUNTS
  const account = wanted.accountIds?.find((id) => !isListed(own, id))
  if (account !== undefined) return accountName(account)
  if (own.expiresAt && (!wanted.expiresAt || wanted.expiresAt > own.expiresAt)) return LATER_EXPIRY
  return undefined
}
