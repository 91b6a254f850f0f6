import { type Command, Option } from 'commander'
import { isId, newId } from '../../db/id.ts'
import { listKeys, revokeKey } from '../../db/queries/keys.ts'
import {
  deleteMembership,
  insertOrganization,
  insertUser,
  type Role,
  upsertMembership,
  userExists,
} from '../../db/queries/people.ts'
import { createKey } from '../auth/create-key.ts'
import { nonEmpty, onDatabase, orMissing, time } from './command.ts'

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people and programs who own posts')

  onDatabase<{ name: string }>(
    user.command('create').description('create a user').requiredOption('--name <name>', 'what to call them', nonEmpty),
    async (db, { name }) => {
      const id = newId()
      await insertUser(db, { id, name })
      return { id, name }
    },
  )
}

export function addOrganizationCommands(program: Command): void {
  const org = program.command('org').description('organisations, through which users share accounts')

  onDatabase<{ name: string }>(
    org
      .command('create')
      .description('create an organisation')
      .requiredOption('--name <name>', 'what to call it', nonEmpty),
    async (db, { name }) => {
      const id = newId()
      await insertOrganization(db, { id, name })
      return { id, name }
    },
  )

  onDatabase<{ org: string; user: string; role: Role }>(
    org
      .command('add-member')
      .description('let a user reach the accounts of an organisation, or change their role')
      .requiredOption('--org <id>', 'the organisation')
      .requiredOption('--user <id>', 'the user')
      .addOption(new Option('--role <role>', 'their role').choices(['member', 'admin']).default('member')),
    async (db, { org, user, role }) => {
      orMissing(isId(org), 'organisation', null)
      orMissing(isId(user), 'user', null)
      await upsertMembership(db, { userId: user, organizationId: org, role })
      return { organizationId: org, userId: user, role }
    },
  )

  onDatabase<{ org: string; user: string }>(
    org
      .command('remove-member')
      .description('end a membership')
      .requiredOption('--org <id>', 'the organisation')
      .requiredOption('--user <id>', 'the user'),
    async (db, { org, user }) => {
      const ended = isId(org) && isId(user) && (await deleteMembership(db, { userId: user, organizationId: org }))
      return orMissing(ended, 'membership', { organizationId: org, userId: user, removed: true })
    },
  )
}

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys')

  onDatabase<{ user: string; name?: string; expiresAt?: Date }>(
    key
      .command('create')
      .description('create an API key; it is shown this once')
      .requiredOption('--user <id>', 'whom the key acts for')
      .option('--name <name>', 'what the key is for')
      .option('--expires-at <time>', 'when it stops working, such as 2027-01-31T09:30:00Z', time),
    async (db, { user, name = null, expiresAt = null }) => {
      orMissing(isId(user), 'user', null)
      return { ...(await createKey(db, { userId: user, name, expiresAt })) }
    },
  )

  onDatabase<{ user: string }>(
    key.command('list').description('list the keys of a user').requiredOption('--user <id>', 'the user'),
    async (db, { user }) => {
      orMissing(await userExists(db, user), 'user', null)
      return { data: await listKeys(db, user) }
    },
  )

  onDatabase(
    key.command('revoke').description('revoke a key: it stops working within seconds').argument('<id>', 'the key’s id'),
    async (db, _options, id = '') => orMissing(isId(id) && (await revokeKey(db, id)), 'key', { id, revoked: true }),
  )
}
