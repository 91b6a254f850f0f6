import { type Command, Option } from 'commander'
import type { Io } from './action.ts'
import { withDatabase } from './command.ts'
import { LIMIT_DEFAULT, parseLimit, parseText } from './options.ts'

export function addOrganizationCommands(program: Command, io: Io): void {
  const org = program.command('org').description('organisations, whose members share accounts')
  const actions = () => import('./actions/org.ts')

  withDatabase(
    org.command('create').description('create an organisation').requiredOption('--name <name>', 'the name', parseText),
    io,
    async () => (await actions()).create,
  )

  withDatabase(
    org
      .command('list')
      .description('list all organisations, newest first')
      .option('--limit <n>', 'the number of organisations, at most', parseLimit, LIMIT_DEFAULT),
    io,
    async () => (await actions()).list,
  )

  withDatabase(
    org
      .command('delete')
      .description('delete an organisation, its memberships and its apps; its accounts have to be disconnected before')
      .argument('<id>', 'the id of the organisation'),
    io,
    async () => (await actions()).remove,
  )

  withDatabase(
    org
      .command('add-member')
      .description('add a user to an organisation, or change the role of a member')
      .requiredOption('--org <id>', 'the id of the organisation')
      .requiredOption('--user <id>', 'the id of the user')
      .addOption(new Option('--role <role>', 'the role of the user').choices(['member', 'admin']).default('member')),
    io,
    async () => (await actions()).addMember,
  )

  withDatabase(
    org
      .command('remove-member')
      .description('remove a user from an organisation')
      .requiredOption('--org <id>', 'the id of the organisation')
      .requiredOption('--user <id>', 'the id of the user'),
    io,
    async () => (await actions()).removeMember,
  )
}
