import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { isId } from '../id.ts'
import { prepared } from '../prepared.ts'
import { isoTime } from './iso-time.ts'

export function insertUser(db: Db, user: { id: string; name: string; externalReference?: string | undefined }) {
  return db.insertInto('users').values(user).execute()
}

export function insertOrganization(db: Db, organization: { id: string; name: string }) {
  return db.insertInto('organizations').values(organization).execute()
}

/** All users, newest first, with the number of their connected accounts and of the keys that work. */
export function listUsers(db: Db, limit: number) {
  return db
    .selectFrom('users')
    .select([
      'id',
      'name',
      isoTime('createdAt').as('createdAt'),
      sql<number>`(
        select count(*)::integer from accounts
        where accounts.user_id = users.id and disconnected_at is null)`.as('accounts'),
      sql<number>`(
        select count(*)::integer from api_keys
        where api_keys.user_id = users.id and revoked_at is null and coalesce(expires_at > now(), true))`.as('keys'),
    ])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** All organisations, newest first, with the number of their members and connected accounts. */
export function listOrganizations(db: Db, limit: number) {
  return db
    .selectFrom('organizations')
    .select([
      'id',
      'name',
      isoTime('createdAt').as('createdAt'),
      sql<number>`(
        select count(*)::integer from memberships
        where memberships.organization_id = organizations.id)`.as('members'),
      sql<number>`(
        select count(*)::integer from accounts
        where accounts.organization_id = organizations.id and disconnected_at is null)`.as('accounts'),
    ])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export type Role = 'member' | 'admin'

/**
 * Adds the user to the organisation, or changes the role of a member. Throws a foreign key violation if the user or the
 * organisation does not exist.
 */
export function upsertMembership(db: Db, membership: { userId: string; organizationId: string; role: Role }) {
  return db
    .insertInto('memberships')
    .values(membership)
    .onConflict((conflict) => conflict.columns(['userId', 'organizationId']).doUpdateSet({ role: membership.role }))
    .execute()
}

/** Deletes a membership. Returns false if there was none. */
export async function deleteMembership(db: Db, membership: { userId: string; organizationId: string }) {
  const { numDeletedRows } = await db
    .deleteFrom('memberships')
    .where('userId', '=', membership.userId)
    .where('organizationId', '=', membership.organizationId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

interface FoundRole {
  role: Role
  /** Whether the member may connect accounts for the organisation. */
  mayConnect: boolean
  /** Whether `posts.organization_id` is right for all posts of the organisation. */
  arePostsMarked: boolean
}

/**
 * The role of a member; nothing for everybody else. An admin may connect accounts. If the organisation has no admin, as
 * those of version 1.0, every member may.
 */
export const findRole = prepared<{ userId: string; organizationId: string }, FoundRole>('find_role', (db, value) =>
  db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organizationId')
    .select([
      sql<Role>`role`.as('role'),
      sql<boolean>`role = 'admin' or not exists (
        select from memberships as other
        where other.organization_id = memberships.organization_id and other.role = 'admin')`.as('mayConnect'),
      sql<boolean>`posts_unmarked_since is null`.as('arePostsMarked'),
    ])
    .where('memberships.userId', '=', value('userId'))
    .where('memberships.organizationId', '=', value('organizationId')),
)

/** Prevents other transactions from adding a user until this one ends. */
export function lockUsers(db: Db) {
  return sql`lock table users in share row exclusive mode`.execute(db)
}

/** The oldest user. Undefined if the database has no users. */
export function findFirstUser(db: Db) {
  return db.selectFrom('users').select(['id', 'name']).orderBy('id').limit(1).executeTakeFirst()
}

export async function userExists(db: Db, id: string): Promise<boolean> {
  return isId(id) && (await db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}
