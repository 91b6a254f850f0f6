import { Command } from 'commander'
import { VERSION } from '../base/version.ts'
import { escapeControls } from '../run/runtime/terminal.ts'
import { addAccountCommands } from './account.ts'
import type { Io } from './action.ts'
import { withDatabase, withJson } from './command.ts'
import { addConnectedAppCommands } from './connected-app.ts'
import { addDeliveryCommands } from './delivery.ts'
import { addDoctorCommand } from './doctor.ts'
import { addImportCommands } from './import.ts'
import { addKeyCommands } from './key.ts'
import { addListenCommands } from './listen.ts'
import { addMcpCommand } from './mcp.ts'
import { addMediaCommands } from './media.ts'
import { addMetricsCommand } from './metrics.ts'
import { addOrganizationCommands } from './org.ts'
import { addPostCommands } from './post.ts'
import { addRestoreCommands } from './restore.ts'
import { addServeCommands } from './serve.ts'
import { addUserCommands } from './user.ts'
import { addWebhookCommands } from './webhook.ts'

/** Builds the `postroom` command. Help and usage errors throw a CommanderError instead of ending the process. */
export function buildProgram(io: Io): Command {
  const program = new Command('postroom')
    .description('Runs and operates Postroom. The environment configures it: see the README.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(escapeControls(text)),
    })

  addServeCommands(program, io)
  addDoctorCommand(program, io)

  withDatabase(
    program
      .command('migrate')
      .description('migrate the database to the version of this code, while processes of the previous version run')
      .option(
        '--status',
        'change nothing; print which migrations are applied, and whether this code can use the database',
      ),
    io,
    async () => (await import('./actions/migrate.ts')).migrateSchema,
  )

  withJson(program.command('openapi').description('print the OpenAPI document; needs no database')).action(async () => {
    const { buildDocument } = await import('../run/app.ts')
    io.stdout.write(`${JSON.stringify(await buildDocument(), null, 2)}\n`)
  })

  addUserCommands(program, io)
  addOrganizationCommands(program, io)
  addKeyCommands(program, io)
  addConnectedAppCommands(program, io)
  addAccountCommands(program, io)
  addMediaCommands(program, io)
  addPostCommands(program, io)
  addImportCommands(program, io)
  addDeliveryCommands(program, io)
  addMetricsCommand(program, io)
  addWebhookCommands(program, io)
  addRestoreCommands(program, io)
  addListenCommands(program, io)
  addMcpCommand(program, io)
  return program
}
