import { Command } from 'commander'
import { migrate, readSchema } from '../../db/migrate.ts'
import { VERSION } from '../version.ts'
import { addAccountCommands } from './account.ts'
import { withJson, withUnmigratedDatabase } from './command.ts'
import { addDeliveryCommands } from './delivery.ts'
import { addDoctorCommand } from './doctor.ts'
import { addKeyCommands } from './key.ts'
import { addMcpCommand } from './mcp.ts'
import { addMediaCommands } from './media.ts'
import { addOrganizationCommands } from './org.ts'
import { addPostCommands } from './post.ts'
import { addRestoreCommands } from './restore.ts'
import { addServeCommands } from './serve.ts'
import { addUserCommands } from './user.ts'
import { addWebhookCommands } from './webhook.ts'

/** Builds the `postroom` command. A usage error throws a CommanderError instead of ending the process. */
export function buildProgram(): Command {
  const program = new Command('postroom')
    .description('Runs and operates Postroom. The environment configures it: see the README.')
    .version(VERSION)
    .exitOverride()

  addServeCommands(program)
  addDoctorCommand(program)

  withUnmigratedDatabase<{ status?: boolean }>(
    program
      .command('migrate')
      .description('migrate the database to the version of this code, while processes of the previous version run')
      .option(
        '--status',
        'change nothing; print which migrations are applied, and whether this code can use the database',
      ),
    async (db, { status }) => (status ? { ...(await readSchema(db)) } : { applied: await migrate(db, printProgress) }),
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
  addDeliveryCommands(program)
  addWebhookCommands(program)
  addRestoreCommands(program)
  addMcpCommand(program)
  return program
}

const printProgress = (line: string) => process.stderr.write(`${line}\n`)
