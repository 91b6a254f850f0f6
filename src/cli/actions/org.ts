import { isId, newId } from '../../../db/id.ts'
import {
  deleteMembership,
  insertOrganization,
  listOrganizations,
  type Role,
  upsertMembership,
} from '../../../db/queries/people.ts'
import { deleteOrganization } from '../../../db/queries/tenants.ts'
import { ERRORS } from '../../../schemas/errors.ts'
import { OperatorError } from '../../base/errors.ts'
import type { Action } from '../action.ts'
import { formatList, type Listed, readLimited } from '../table.ts'
import { requireFound } from './on-database.ts'

export const create: Action<{ name: string }> = {
  async run({ db }, { name }) {
    const id = newId()
    await insertOrganization(db, { id, name })
    return { id, name }
  },
}

type Row = Awaited<ReturnType<typeof listOrganizations>>[number]

export const list: Action<{ limit: number }, Listed<Row>> = {
  run: ({ db }, { limit }) => readLimited(limit, (limit) => listOrganizations(db, limit)),
  toText: (list) =>
    formatList(list, {
      id: ({ id }) => id,
      name: ({ name }) => name,
      created: ({ createdAt }) => createdAt,
      members: ({ members }) => members,
      accounts: ({ accounts }) => accounts,
    }),
}

export const remove: Action = {
  async run({ db }, _options, id = '') {
    const outcome = isId(id) ? await deleteOrganization(db, id) : 'missing'
    requireFound(outcome !== 'missing', 'organisation')
    if (outcome === 'in use') throw new OperatorError(ERRORS.organization_in_use.message)
    return { id, deleted: true }
  },
}

export const addMember: Action<{ org: string; user: string; role: Role }> = {
  async run({ db }, { org, user, role }) {
    requireFound(isId(org), 'organisation')
    requireFound(isId(user), 'user')
    await upsertMembership(db, { userId: user, organizationId: org, role })
    return { organizationId: org, userId: user, role }
  },
}

export const removeMember: Action<{ org: string; user: string }> = {
  async run({ db }, { org, user }) {
    const membership = { userId: user, organizationId: org }
    requireFound(isId(org) && isId(user) && (await deleteMembership(db, membership)), 'membership')
    return { organizationId: org, userId: user, removed: true }
  },
}
