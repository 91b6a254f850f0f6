import type { Db } from '../../db/client.ts'
import { isId } from '../../db/id.ts'
import { findRole } from '../../db/queries/people.ts'
import { NOT_AN_ADMIN_TO_CONNECT } from '../../schemas/messages.ts'
import { AppError } from '../errors.ts'
import { truncate } from './json.ts'

/** Throws 403 if the user is not an admin of an organisation that a request names. `message` says what only admins can do. */
export async function requireAdmin(db: Db, userId: string, organizationId: string, message: string) {
  const found = await requireMember(db, userId, organizationId)
  if (found.role !== 'admin') throw new AppError(403, 'not_organization_admin', message)
  return found
}

/** Throws 403 if a request names an organisation that the user may not connect accounts for. */
export async function requireMayConnect(db: Db, userId: string, organizationId: string | undefined): Promise<void> {
  if (organizationId === undefined) return
  const { mayConnect } = await requireMember(db, userId, organizationId)
  if (!mayConnect) throw new AppError(403, 'not_organization_admin', NOT_AN_ADMIN_TO_CONNECT)
}

/** To users who do not belong to it, an organisation does not exist. */
async function requireMember(db: Db, userId: string, organizationId: string) {
  const [found] = isId(organizationId) ? await findRole(db, { userId, organizationId }) : []
  if (found) return found
  throw new AppError(403, 'no_access', `You have no access to this organizationId: ${truncate(organizationId)}`)
}
