import { Command } from 'commander'
import { migrate } from '../../db/migrate.ts'
import manifest from '../../package.json' with { type: 'json' }
import { readConfig } from '../config.ts'
import { onRawDatabase, withJson } from './command.ts'
import { addAccountCommands, addPostCommands } from './content.ts'
import { addMediaCommands } from './media.ts'
import { addKeyCommands, addOrganizationCommands, addUserCommands } from './people.ts'

/** Loaded by the commands that serve alone: for the others, the web server is half of their time. */
const web = () => import('../runtime/serve.ts')

/** The `postroom` command. Reading a wrong call throws a CommanderError instead of ending the process. */
export function buildProgram(): Command {
  const program = new Command('postroom')
    .description('Runs and operates Postroom. Configuration comes from the environment: see the README.')
    .version(manifest.version)
    .exitOverride()

  withJson(
    program
      .command('start')
      .description('set up what is missing, fill an empty database with a demo, serve the API, publish what is due'),
  ).action(async (options) => (await web()).start(readConfig(process.env), options))

  withJson(program.command('serve').description('serve the API on a database that is set up')).action(async (options) =>
    (await web()).serve(readConfig(process.env), options),
  )

  withJson(program.command('worker').description('publish what is due, beside any number of other workers')).action(
    async (options) => (await import('../runtime/worker.ts')).runWorker(readConfig(process.env), options),
  )

  const migrating = program.command('migrate').description('bring the database to the version of this code')
  onRawDatabase(migrating, async (db) => ({ applied: await migrate(db) }))

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
