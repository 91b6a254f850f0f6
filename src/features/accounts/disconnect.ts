import { isId } from '../../../db/id.ts'
import { findReachableAccount } from '../../../db/queries/accounts.ts'
import { disconnectAccount } from '../../../db/queries/disconnect.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import type { Deleted } from '../../../schemas/shared.ts'
import { fail } from '../../base/errors.ts'
import { isListed } from '../../base/http/rights.ts'
import type { Log } from '../../base/log.ts'
import { revokeTokens } from '../../engine/credentials/revoke.ts'
import type { NetworkContext } from './store.ts'

/**
 * Disconnects an account of the user, or of an organisation that the user administers, and deletes its credentials.
 * Does not wait until the network has revoked its tokens. Throws 404 if the user, or the key, cannot use an account
 * with this id, and 403 if the user may only post to it.
 */
export async function disconnectOwnAccount(
  context: NetworkContext,
  { userId, rights, log }: { userId: string; rights: KeyRights; log: Log },
  id: string,
): Promise<Deleted> {
  const { db } = context
  const account = isId(id) && isListed(rights, id) ? await findReachableAccount(db, { userId, id }) : undefined
  if (!account) throw fail('account_not_found')
  if (account.userId !== userId && !account.isAdministered) throw fail('not_account_owner')
  const disconnected = await disconnectAccount(db, id)
  if (disconnected) void revokeTokens(context, disconnected, log)
  return { success: true }
}
