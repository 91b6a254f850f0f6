import { Command } from 'commander'
import { migrate } from '../../db/migrate.ts'
import { VERSION } from '../version.ts'
import { addAccountCommands } from './account.ts'
import { withJson, withUnmigratedDatabase } from './command.ts'
import { addKeyCommands } from './key.ts'
import { addMediaCommands } from './media.ts'
import { addOrganizationCommands } from './org.ts'
import { addPostCommands } from './post.ts'
import { addServeCommands } from './serve.ts'
import { addUserCommands } from './user.ts'

/** Builds the `postroom` command. A usage error throws a CommanderError instead of ending the process. */
export function buildProgram(): Command {
  const program = new Command('postroom')
    .description('Runs and operates Postroom. The environment configures it: see the README.')
    .version(VERSION)
    .exitOverride()

  addServeCommands(program)

  withUnmigratedDatabase(
    program.command('migrate').description('migrate the database to the version of this code'),
    async (db) => ({ applied: await migrate(db) }),
  )

  withJson(program.command('openapi').description('print the OpenAPI document; needs no database')).action(async () => {
    const { buildDocument } = await import('../app.ts')
    process.stdout.write(`${JSON.stringify(await buildDocument(), null, 2)}\n`)
  })

  addUserCommands(program)
  addOrganizationCommands(program)
  addKeyCommands(program)
  addAccountCommands(program)
  addMediaCommands(program)
  addPostCommands(program)
  return program
}
