import { sql } from 'kysely'
import type { ListUsersQuery, Member, Organization, Role, UpdateUser, User } from '../../schemas/people.ts'
import type { Db } from '../client.ts'
import { inTransaction } from '../transaction.ts'
import { isoTime } from './iso-time.ts'
import type { Page } from './page.ts'

// Users, organisations and members, as administrators see them.

type PageOfAll = Omit<Page, 'userId'>

const users = (db: Db) =>
  db.selectFrom('users').select(['id', 'name', isoTime('createdAt').as('createdAt'), 'externalReference'])

const organizations = (db: Db) =>
  db.selectFrom('organizations').select(['id', 'name', isoTime('createdAt').as('createdAt')])

/** A user as the API shows it, without a reference that is null. */
const toUser = ({
  externalReference,
  ...user
}: Omit<User, 'externalReference'> & { externalReference: string | null }): User =>
  externalReference === null ? user : { ...user, externalReference }

/** Undefined does not restrict. */
type UserFilters = Pick<ListUsersQuery, 'name' | 'externalReference'>

export async function listUserPage(
  db: Db,
  { cursor, limit, offset, name, externalReference }: PageOfAll & UserFilters,
): Promise<User[]> {
  const page = await users(db)
    .where('id', '<', cursor)
    .$if(name !== undefined, (query) => query.where('name', '=', name!))
    .$if(externalReference !== undefined, (query) => query.where('externalReference', '=', externalReference!))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return page.map(toUser)
}

export const listOrganizationPage = (db: Db, { cursor, limit, offset }: PageOfAll): Promise<Organization[]> =>
  organizations(db).where('id', '<', cursor).orderBy('id', 'desc').limit(limit).offset(offset).execute()

export async function findUser(db: Db, id: string): Promise<User | undefined> {
  const user = await users(db).where('id', '=', id).executeTakeFirst()
  return user && toUser(user)
}

/** Returns false if there is no such user. */
export async function updateUser(db: Db, id: string, changes: UpdateUser): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable('users').set(changes).where('id', '=', id).executeTakeFirst()
  return numUpdatedRows > 0n
}

export const findOrganization = (db: Db, id: string): Promise<Organization | undefined> =>
  organizations(db).where('id', '=', id).executeTakeFirst()

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
