import type { KeyRights } from '../../../db/queries/keys.ts'
import type { WebhookRights } from '../../../db/queries/webhooks/webhooks.ts'
import { EVENT_SCOPES } from '../../../schemas/event-scopes.ts'
import { hasScope, SCOPE_NAMES } from '../../../schemas/scopes.ts'
import { fail } from '../../base/errors.ts'
import { isListed } from '../../base/http/rights.ts'

/** Throws 403 if a webhook gets events that a key may not read. The key could have them sent to itself. */
export function requireReadable(rights: KeyRights, hook: WebhookRights): void {
  const excess = findExcess(rights, hook)
  if (excess !== undefined) throw fail('webhook_too_wide', excess)
}

function findExcess(rights: KeyRights, { types, scopes, accountIds, allUsers }: WebhookRights): string | undefined {
  if (allUsers && !hasScope(rights, 'admin')) return 'events of all users'
  if (rights.accountIds) {
    if (!accountIds) return 'events of all accounts'
    const account = accountIds.find((id) => !isListed(rights, id))
    if (account !== undefined) return `events of the account ${account}`
  }
  if (rights.scopes === null) return undefined
  if (scopes === null && types === null) return 'events of all types'
  const reads = Object.entries(EVENT_SCOPES).filter(
    ([type, scope]) => (types === null || includesType(types, type)) && (scopes === null || scopes.includes(scope)),
  )
  return reads.find(([, scope]) => !hasScope(rights, scope))?.[0]
}

const includesType = (types: readonly string[], type: string) =>
  types.includes(type) || types.includes(`${type.split('.')[0]}.*`)

/** The types among `types`, or families, that no scope of a key allows. */
export const findUnreadableType = (rights: KeyRights, types: readonly string[]): string | undefined =>
  Object.entries(EVENT_SCOPES).find(([type, scope]) => includesType(types, type) && !hasScope(rights, scope))?.[0]

/** The scopes that a webhook gets from the key that creates it. */
export const scopesOf = ({ scopes }: KeyRights) => scopes && SCOPE_NAMES.filter((scope) => scopes.includes(scope))
