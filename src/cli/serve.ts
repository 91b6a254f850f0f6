import type { Command } from 'commander'
import type { Config } from '../run/config/config.ts'
import type { Io, Json } from './action.ts'
import { withJson } from './command.ts'
import { print } from './output.ts'

const importServer = () => import('../run/runtime/serve.ts')

export function addServeCommands(program: Command, io: Io): void {
  withJson(
    program
      .command('start')
      .description('set up the database, create demo data if it is empty, serve the API and publish due posts'),
  ).action((options: Json) =>
    runTraced(io, async (config) => (await importServer()).start(config, announceTo(io, options))),
  )

  withJson(program.command('serve').description('serve the API on a database that is set up')).action((options: Json) =>
    runTraced(io, async (config) => (await importServer()).serve(config, announceTo(io, options))),
  )

  withJson(
    program.command('worker').description('publish due posts; any number of workers can run on one database'),
  ).action(({ json }: Json) =>
    runTraced(io, async (config) => {
      const { runWorker } = await import('../run/runtime/worker.ts')
      await runWorker(config, (facts) => {
        if (json) print(io, { worker: 'up', ...facts }, { json })
        else io.stdout.write('The Postroom worker is running. Press Ctrl-C to stop it.\n')
      })
    }),
  )
}

/** Runs a process, and traces it if it is configured so. */
async function runTraced({ env }: Io, run: (config: Config) => Promise<void>): Promise<void> {
  const { readConfig } = await import('../run/config/config.ts')
  const config = readConfig(env)
  // Before `run`, which imports pg.
  const tracing = config.hasTraces ? await (await import('../run/runtime/tracing.ts')).startTracing() : undefined
  try {
    await run(config)
  } finally {
    await tracing?.stop()
  }
}

const announceTo =
  (io: Io, { json }: Json) =>
  (facts: Record<string, string>) => {
    if (json) print(io, facts, { json })
    else io.stdout.write(banner(facts))
  }

const LABELS: Record<string, string> = {
  console: 'Console',
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
