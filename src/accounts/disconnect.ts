import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import { disconnectAccount, findAccountOwner } from '../../db/queries/accounts.ts'
import { ACCOUNT_NOT_FOUND, NOT_THE_OWNER } from '../../schemas/messages.ts'
import type { Deleted } from '../../schemas/shared.ts'
import { AppError } from '../errors.ts'

/**
 * Disconnects an account of the user and deletes its credentials. Throws 404 if the user cannot post to an account with
 * this id, and 403 if the account belongs to another user.
 */
export async function disconnectOwnAccount(db: Db, userId: string, id: string): Promise<Deleted> {
  const owner = isId(id) ? await findAccountOwner(db, { userId, id }) : undefined
  if (owner === undefined) throw new AppError(404, 'account_not_found', ACCOUNT_NOT_FOUND)
  if (owner !== userId) throw new AppError(403, 'not_account_owner', NOT_THE_OWNER)
  await disconnectAccount(db, id)
  return { success: true }
}
