import { type Command, Option } from 'commander'
import { isId, newId } from '../../db/id.ts'
import {
  deleteMembership,
  insertOrganization,
  listOrganizations,
  type Role,
  upsertMembership,
} from '../../db/queries/people.ts'
import { deleteOrganization } from '../../db/queries/tenants.ts'
import { ORGANIZATION_IN_USE } from '../../schemas/messages.ts'
import { OperatorError } from '../errors.ts'
import { requireFound, withDatabase } from './command.ts'
import { parseText } from './options.ts'
import { formatList, LIMIT_DEFAULT, type Listed, parseLimit, readLimited } from './table.ts'

type Row = Awaited<ReturnType<typeof listOrganizations>>[number]

export function addOrganizationCommands(program: Command): void {
  const org = program.command('org').description('organisations, whose members share accounts')

  withDatabase<{ name: string }>(
    org.command('create').description('create an organisation').requiredOption('--name <name>', 'the name', parseText),
    async (db, { name }) => {
      const id = newId()
      await insertOrganization(db, { id, name })
      return { id, name }
    },
  )

  withDatabase<{ limit: number }, Listed<Row>>(
    org
      .command('list')
      .description('list all organisations, newest first')
      .option('--limit <n>', 'the number of organisations, at most', parseLimit, LIMIT_DEFAULT),
    (db, { limit }) => readLimited(limit, (limit) => listOrganizations(db, limit)),
    (list) =>
      formatList(list, {
        id: ({ id }) => id,
        name: ({ name }) => name,
        created: ({ createdAt }) => createdAt,
        members: ({ members }) => members,
        accounts: ({ accounts }) => accounts,
      }),
  )

  withDatabase(
    org
      .command('delete')
      .description('delete an organisation, its memberships and its apps; its accounts have to be disconnected before')
      .argument('<id>', 'the id of the organisation'),
    async (db, _options, id = '') => {
      const outcome = isId(id) ? await deleteOrganization(db, id) : 'missing'
      requireFound(outcome !== 'missing', 'organisation')
      if (outcome === 'in use') throw new OperatorError(ORGANIZATION_IN_USE)
      return { id, deleted: true }
    },
  )

  withDatabase<{ org: string; user: string; role: Role }>(
    org
      .command('add-member')
      .description('add a user to an organisation, or change the role of a member')
      .requiredOption('--org <id>', 'the id of the organisation')
      .requiredOption('--user <id>', 'the id of the user')
      .addOption(new Option('--role <role>', 'the role of the user').choices(['member', 'admin']).default('member')),
    async (db, { org, user, role }) => {
      requireFound(isId(org), 'organisation')
      requireFound(isId(user), 'user')
      await upsertMembership(db, { userId: user, organizationId: org, role })
      return { organizationId: org, userId: user, role }
    },
  )

  withDatabase<{ org: string; user: string }>(
    org
      .command('remove-member')
      .description('remove a user from an organisation')
      .requiredOption('--org <id>', 'the id of the organisation')
      .requiredOption('--user <id>', 'the id of the user'),
    async (db, { org, user }) => {
      const membership = { userId: user, organizationId: org }
      requireFound(isId(org) && isId(user) && (await deleteMembership(db, membership)), 'membership')
      return { organizationId: org, userId: user, removed: true }
    },
  )
}
