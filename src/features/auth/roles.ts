import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { findRole } from '../../../db/queries/people.ts'
import type { ErrorName } from '../../../schemas/errors.ts'
import { fail } from '../../base/errors.ts'
import { truncate } from '../../base/http/json.ts'

type NotAdmin = Extract<ErrorName, `not_organization_admin${string}`>

/**
 * Throws 403 if the user is not an admin of an organisation that a request names. `error` says what only admins can do.
 */
export async function requireAdmin(db: Db, userId: string, organizationId: string, error: NotAdmin) {
  const found = await requireMember(db, userId, organizationId)
  if (found.role !== 'admin') throw fail(error)
  return found
}

/** Throws 403 if a request names an organisation that the user may not connect accounts for. */
export async function requireMayConnect(db: Db, userId: string, organizationId: string | undefined): Promise<void> {
  if (organizationId === undefined) return
  const { mayConnect } = await requireMember(db, userId, organizationId)
  if (!mayConnect) throw fail('not_organization_admin')
}

/** Throws 403 if the user does not belong to an organisation that a request names, which may not exist. */
export async function requireMember(db: Db, userId: string, organizationId: string) {
  const [found] = isId(organizationId) ? await findRole(db, { userId, organizationId }) : []
  if (found) return found
  throw fail('no_access', 'organizationId', truncate(organizationId))
}
