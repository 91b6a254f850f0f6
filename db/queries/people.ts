import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { isId } from '../id.ts'

export function insertUser(db: Db, user: { id: string; name: string }) {
  return db.insertInto('users').values(user).execute()
}

export function insertOrganization(db: Db, organization: { id: string; name: string }) {
  return db.insertInto('organizations').values(organization).execute()
}

export type Role = 'member' | 'admin'

/**
 * Makes the user a member, or changes the role of one who is. Throws a foreign key violation (23503) where the user or
 * the organisation does not exist.
 */
export function upsertMembership(db: Db, membership: { userId: string; organizationId: string; role: Role }) {
  return db
    .insertInto('memberships')
    .values(membership)
    .onConflict((conflict) => conflict.columns(['userId', 'organizationId']).doUpdateSet({ role: membership.role }))
    .execute()
}

/** Ends a membership. Gives false where there is none. */
export async function deleteMembership(db: Db, membership: { userId: string; organizationId: string }) {
  const { numDeletedRows } = await db
    .deleteFrom('memberships')
    .where('userId', '=', membership.userId)
    .where('organizationId', '=', membership.organizationId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function isMember(db: Db, { userId, organizationId }: { userId: string; organizationId: string }) {
  if (!isId(organizationId)) return false
  const found = await db
    .selectFrom('memberships')
    .select('userId')
    .where('userId', '=', userId)
    .where('organizationId', '=', organizationId)
    .executeTakeFirst()
  return found !== undefined
}

/** Lets no other transaction add a user until this one ends. */
export function lockUsers(db: Db) {
  return sql`lock table users in share row exclusive mode`.execute(db)
}

/** The user who has been here longest, if there is any. */
export function findFirstUser(db: Db) {
  return db.selectFrom('users').select(['id', 'name']).orderBy('id').limit(1).executeTakeFirst()
}

export async function userExists(db: Db, id: string): Promise<boolean> {
  return isId(id) && (await db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}
