import type { Command } from 'commander'
import type { Io } from './action.ts'
import { withDatabase } from './command.ts'
import { parsePositiveInteger } from './options.ts'

export function addConnectedAppCommands(program: Command, io: Io): void {
  const connectedApp = program.command('connected-app').description('apps that were connected by OAuth')
  const actions = () => import('./actions/connected-app.ts')

  withDatabase(
    connectedApp
      .command('list')
      .description('list the connected apps of a user, newest first')
      .requiredOption('--user <id>', 'the id of the user')
      .option('--limit <n>', 'how many to list', parsePositiveInteger, 100),
    io,
    async () => (await actions()).list,
  )

  withDatabase(
    connectedApp
      .command('disconnect')
      .description('end the access of an app; its tokens stop working within a second')
      .argument('<id>', 'the id of the connected app'),
    io,
    async () => (await actions()).disconnect,
  )
}
