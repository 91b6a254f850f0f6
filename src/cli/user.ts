import type { Command } from 'commander'
import type { Io } from './action.ts'
import { withDatabase } from './command.ts'
import { LIMIT_DEFAULT, parseLimit, parseText } from './options.ts'

export function addUserCommands(program: Command, io: Io): void {
  const user = program.command('user').description('people and programs that own posts')
  const actions = () => import('./actions/user.ts')

  withDatabase(
    user.command('create').description('create a user').requiredOption('--name <name>', 'the name', parseText),
    io,
    async () => (await actions()).create,
  )

  withDatabase(
    user
      .command('list')
      .description('list all users, newest first')
      .option('--limit <n>', 'the number of users, at most', parseLimit, LIMIT_DEFAULT),
    io,
    async () => (await actions()).list,
  )

  withDatabase(
    user
      .command('delete')
      .description(
        'delete a user with all posts, files, accounts and keys, for good, and revoke tokens as account disconnect does; the networks keep what was published. An account that the user shares with an organisation passes to another member. Repeat the command if it was interrupted',
      )
      .argument('<id>', 'the id of the user')
      .option('--yes', 'delete; without it, the command only says what it would delete'),
    io,
    async () => (await actions()).remove,
  )
}
