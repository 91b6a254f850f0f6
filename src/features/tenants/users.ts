import { withDatabaseBudget } from '../../../db/budget.ts'
import type { Db } from '../../../db/client.ts'
import { isId, newId } from '../../../db/id.ts'
import { insertUser } from '../../../db/queries/people.ts'
import { stopUser } from '../../../db/queries/retention/user-data.ts'
import { findUser, updateUser } from '../../../db/queries/tenants.ts'
import type { CreateUser, UpdateUser, User } from '../../../schemas/people.ts'
import { fail } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { type RevokeDeps, revokeAllTokens } from '../../engine/credentials/revoke.ts'
import type { Library } from '../media/library.ts'
import { deleteUser } from '../retention/delete-user.ts'

export async function createUser(db: Db, user: CreateUser): Promise<User> {
  const id = newId()
  await insertUser(db, { id, ...user })
  return getUser(db, id)
}

/** Throws 404 if there is no user with this id. */
export async function getUser(db: Db, id: string): Promise<User> {
  const user = isId(id) ? await findUser(db, id) : undefined
  if (!user) throw fail('user_not_found')
  return user
}

/** Throws 404 if there is no user with this id. */
export async function changeUser(db: Db, id: string, changes: UpdateUser): Promise<User> {
  if (isId(id) && Object.keys(changes).length > 0) await updateUser(db, id, changes)
  return getUser(db, id)
}

/**
 * Ends all access of a user, and begins to delete the user's data, which may take minutes: `finished` settles then. The
 * deletion can be repeated if it is interrupted, and does not wait until networks have revoked tokens. Throws 409 for
 * the user who sends the request, who could not see the end.
 */
export async function beginDeletion(
  context: Library & RevokeDeps,
  { ownUserId, log }: { ownUserId: string; log: Log },
  id: string,
): Promise<{ user: User; finished: Promise<unknown> }> {
  const { db } = context
  const user = await getUser(db, id)
  if (id === ownUserId) throw fail('own_user')
  const { disconnected } = await stopUser(db, id)
  void revokeAllTokens(context, disconnected, log)
  return { user, finished: withDatabaseBudget(undefined, () => deleteUser(context, id)) }
}
