import { createHash } from 'node:crypto'
import type { KeyRights } from '../../../db/queries/keys.ts'
import { hasScope, SCOPE_NAMES, type Scope } from '../../../schemas/scopes.ts'
import { MissingScope } from '../errors.ts'

/** The rights of a user without a key, such as in a command. */
export const ALL_RIGHTS: KeyRights = { scopes: null, accountIds: null }

/** A list and a request may have tens of thousands of accounts each. */
const lists = new WeakMap<readonly string[], ReadonlySet<string>>()

/** Whether a key may use an account, as far as its list goes. */
export function isListed({ accountIds }: Pick<KeyRights, 'accountIds'>, accountId: string): boolean {
  if (accountIds === null) return true
  const list = lists.get(accountIds) ?? new Set(accountIds)
  lists.set(accountIds, list)
  return list.has(accountId)
}

/**
 * The rights of a key as a short text, equal for keys with equal rights; empty for a key with all rights of its user.
 */
export function digestRights(rights: KeyRights): string {
  const digest = digests.get(rights) ?? computeDigest(rights)
  digests.set(rights, digest)
  return digest
}

/** The rights of a key are one object for as long as it is cached. */
const digests = new WeakMap<KeyRights, string>()

function computeDigest(rights: KeyRights): string {
  const scopes = SCOPE_NAMES.filter((scope) => hasScope(rights, scope))
  const all = SCOPE_NAMES.filter((scope) => hasScope(ALL_RIGHTS, scope))
  if (rights.accountIds === null && scopes.join() === all.join()) return ''
  const text = JSON.stringify([scopes, rights.accountIds && [...rights.accountIds].sort()])
  return createHash('sha256').update(text).digest('base64url')
}

/** Throws 403 if a key lacks `scope`. */
export function requireScope(rights: KeyRights, scope: Scope): void {
  if (!hasScope(rights, scope)) throw new MissingScope(scope)
}
