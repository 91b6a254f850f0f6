import { sql } from 'kysely'
import type { Member, Organization, Role, User } from '../../schemas/people.ts'
import type { Db } from '../client.ts'
import { inTransaction } from '../transaction.ts'
import { isoTime } from './iso-time.ts'
import type { Page } from './page.ts'

// Users, organisations and members, as administrators see them.

type PageOfAll = Omit<Page, 'userId'>

const named = (db: Db, table: 'users' | 'organizations') =>
  db.selectFrom(table).select(['id', 'name', isoTime('createdAt').as('createdAt')])

const pageOf = (db: Db, table: 'users' | 'organizations', { cursor, limit, offset }: PageOfAll) =>
  named(db, table).where('id', '<', cursor).orderBy('id', 'desc').limit(limit).offset(offset).execute()

export const listUserPage = (db: Db, page: PageOfAll): Promise<User[]> => pageOf(db, 'users', page)

export const listOrganizationPage = (db: Db, page: PageOfAll): Promise<Organization[]> =>
  pageOf(db, 'organizations', page)

export const findUser = (db: Db, id: string): Promise<User | undefined> =>
  named(db, 'users').where('id', '=', id).executeTakeFirst()

export const findOrganization = (db: Db, id: string): Promise<Organization | undefined> =>
  named(db, 'organizations').where('id', '=', id).executeTakeFirst()

const membersOf = (db: Db, organizationId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.userId')
    .select([
      'memberships.userId',
      'users.name',
      sql<Role>`memberships.role`.as('role'),
      isoTime('memberships.createdAt').as('createdAt'),
    ])
    .where('memberships.organizationId', '=', organizationId)

/** A page of the members, by the ids of the users, newest first. */
export const listMemberPage = (
  db: Db,
  organizationId: string,
  { cursor, limit, offset }: PageOfAll,
): Promise<Member[]> =>
  membersOf(db, organizationId)
    .where('memberships.userId', '<', cursor)
    .orderBy('memberships.userId', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()

export const findMember = (
  db: Db,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<Member | undefined> =>
  membersOf(db, organizationId).where('memberships.userId', '=', userId).executeTakeFirst()

/** Deletes an organisation, unless connected accounts belong to it. */
export function deleteOrganization(db: Db, id: string): Promise<'deleted' | 'in use' | 'missing'> {
  return inTransaction(db, async (db) => {
    // The lock keeps other requests from adding an account to it.
    const found = await db.selectFrom('organizations').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
    if (!found) return 'missing'
    const account = await db
      .selectFrom('accounts')
      .select('id')
      .where('organizationId', '=', id)
      .where('disconnectedAt', 'is', null)
      .limit(1)
      .executeTakeFirst()
    if (account) return 'in use'
    await db.deleteFrom('organizations').where('id', '=', id).execute()
    return 'deleted'
  })
}
