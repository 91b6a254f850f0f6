import type { Command } from 'commander'
import { newId } from '../../db/id.ts'
import { insertUser } from '../../db/queries/people.ts'
import { withDatabase } from './command.ts'
import { parseText } from './options.ts'

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people and programs that own posts')

  withDatabase<{ name: string }>(
    user.command('create').description('create a user').requiredOption('--name <name>', 'the name', parseText),
    async (db, { name }) => {
      const id = newId()
      await insertUser(db, { id, name })
      return { id, name }
    },
  )
}
