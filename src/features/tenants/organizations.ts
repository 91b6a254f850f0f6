import type { Db } from '../../../db/client.ts'
import { isId, newId } from '../../../db/id.ts'
import { deleteMembership, insertOrganization, upsertMembership } from '../../../db/queries/people.ts'
import { deleteOrganization, findMember, findOrganization } from '../../../db/queries/tenants.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { CreateOrganization, Member, Organization, Role } from '../../../schemas/people.ts'
import type { Deleted } from '../../../schemas/shared.ts'
import { fail } from '../../base/errors.ts'
import { getUser } from './users.ts'

const notFound = () => fail('organization_not_found')

export async function createOrganization(db: Db, { name }: CreateOrganization): Promise<Organization> {
  const id = newId()
  await insertOrganization(db, { id, name })
  return getOrganization(db, id)
}

/** Throws 404 if there is no organisation with this id. */
export async function getOrganization(db: Db, id: string): Promise<Organization> {
  const organization = isId(id) ? await findOrganization(db, id) : undefined
  if (!organization) throw notFound()
  return organization
}

/** Throws 404 if there is no organisation with this id, and 409 if connected accounts belong to it. */
export async function removeOrganization(db: Db, id: string): Promise<Deleted> {
  const outcome = isId(id) ? await deleteOrganization(db, id) : 'missing'
  if (outcome === 'missing') throw notFound()
  if (outcome === 'in use') throw fail('organization_in_use')
  return { success: true }
}

interface Membership {
  organizationId: string
  userId: string
}

/** Adds a member, or changes the role. Throws 404 if there is no such organisation or user. */
export function putMember(db: Db, { role, ...membership }: Membership & { role: Role }): Promise<Member> {
  return inTransaction(db, async (db) => {
    await getOrganization(db, membership.organizationId)
    await getUser(db, membership.userId)
    await upsertMembership(db, { ...membership, role })
    return (await findMember(db, membership))!
  })
}

/** Throws 404 if the user is no member of the organisation. */
export async function removeMember(db: Db, membership: Membership): Promise<Deleted> {
  const areIds = isId(membership.organizationId) && isId(membership.userId)
  if (!areIds || !(await deleteMembership(db, membership))) {
    throw fail('member_not_found')
  }
  return { success: true }
}
