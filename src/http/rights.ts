import type { KeyRights } from '../../db/queries/keys.ts'
import type { Scope } from '../../schemas/scopes.ts'
import { MissingScope } from '../errors.ts'

/** What a user may do without a key, such as in a command. */
export const ALL_RIGHTS: KeyRights = { scopes: null, accountIds: null }

/** Whether a key allows what `scope` names. A key without a list of scopes allows everything that its user may do. */
export const hasScope = ({ scopes }: KeyRights, scope: Scope): boolean =>
  scopes === null
    ? scope !== 'admin'
    : scopes.includes(scope) || (scope === 'posts:write' && scopes.includes('posts:publish'))

/** Whether a key may use an account, as far as its list goes. */
export const isListed = ({ accountIds }: Pick<KeyRights, 'accountIds'>, accountId: string): boolean =>
  accountIds === null || accountIds.includes(accountId)

/** Throws 403 if a key lacks `scope`. */
export function requireScope(rights: KeyRights, scope: Scope): void {
  if (!hasScope(rights, scope)) throw new MissingScope(scope)
}
