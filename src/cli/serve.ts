import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { type Json, withJson } from './command.ts'
import { print } from './output.ts'

/** Imported on demand: for every other command, the web server would be half of the run time. */
const importServer = () => import('../runtime/serve.ts')

export function addServeCommands(program: Command): void {
  withJson(
    program
      .command('start')
      .description('set up the database, create demo data if it is empty, serve the API and publish due posts'),
  ).action(async (options: Json) => (await importServer()).start(readConfig(process.env), announceTo(options)))

  withJson(program.command('serve').description('serve the API on a database that is set up')).action(
    async (options: Json) => (await importServer()).serve(readConfig(process.env), announceTo(options)),
  )

  withJson(
    program.command('worker').description('publish due posts; any number of workers can run on one database'),
  ).action(async ({ json }: Json) => {
    const { runWorker } = await import('../runtime/worker.ts')
    await runWorker(readConfig(process.env), (facts) => {
      if (json) print({ worker: 'up', ...facts }, { json })
      else process.stdout.write('The Postroom worker is running. Press Ctrl-C to stop it.\n')
    })
  })
}

const announceTo =
  ({ json }: Json) =>
  (facts: Record<string, string>) => {
    if (json) print(facts, { json })
    else process.stdout.write(banner(facts))
  }

const LABELS: Record<string, string> = {
  api: 'API',
  docs: 'Swagger UI',
  metrics: 'Metrics',
  userId: 'Demo user',
  key: 'API key (shown once)',
  newKey: 'To create a key',
}

function banner(facts: Record<string, string>): string {
  const lines = Object.entries(facts).map(([name, value]) => `  ${(LABELS[name] ?? name).padEnd(22)}${value}`)
  return `\nPostroom is running. Press Ctrl-C to stop it.\n\n${lines.join('\n')}\n\n`
}
