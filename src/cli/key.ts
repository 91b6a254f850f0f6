import type { Command } from 'commander'
import { SCOPE_NAMES } from '../../schemas/scopes.ts'
import type { Io } from './action.ts'
import { withDatabase } from './command.ts'
import { parseIds, parseInstant, parseScopes } from './options.ts'

export function addKeyCommands(program: Command, io: Io): void {
  const key = program.command('key').description('API keys')
  const actions = () => import('./actions/key.ts')

  withDatabase(
    key
      .command('create')
      .description('create an API key; it is shown only once')
      .requiredOption('--user <id>', 'the id of the user that the key acts for')
      .option('--name <name>', 'a name for the purpose of the key')
      .option('--expires-at <time>', 'the time when the key expires, such as 2027-01-31T09:30:00Z', parseInstant)
      .option(
        '--accounts <ids>',
        'the only accounts that the key can use, separated by commas; needs --scopes',
        parseIds,
      )
      .option(
        '--scopes <scopes>',
        `what the key allows, by default everything but admin: ${SCOPE_NAMES.join()}`,
        parseScopes,
      ),
    io,
    async () => (await actions()).create,
  )

  withDatabase(
    key.command('list').description('list the keys of a user').requiredOption('--user <id>', 'the id of the user'),
    io,
    async () => (await actions()).list,
  )

  withDatabase(
    key
      .command('revoke')
      .description('revoke a key; it stops working within a second')
      .argument('<id>', 'the id of the key'),
    io,
    async () => (await actions()).revoke,
  )
}
