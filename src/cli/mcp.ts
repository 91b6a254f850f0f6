import type { Command } from 'commander'
import type { Io } from './action.ts'
import { withJson } from './command.ts'

export function addMcpCommand(program: Command, io: Io): void {
  const { env, stdin, stdout } = io
  const mcp = program
    .command('mcp')
    .description(
      'serve the Model Context Protocol on stdin and stdout, for an agent on this machine. POSTROOM_URL is the address of the service, POSTROOM_KEY an API key. Needs no database',
    )
    .action(async () => {
      const { readClientConfig } = await import('../run/config/config.ts')
      const { proxy } = await import('../features/mcp/stdio.ts')
      await proxy({ ...readClientConfig(env), input: stdin, output: stdout })
    })

  withJson(
    mcp
      .command('approve')
      .description(
        'print a code that stands for POSTROOM_KEY once, for ten minutes, on the page that connects an app. Needs no database',
      ),
  ).action(async (options: { json?: boolean }) => {
    const { readClientConfig } = await import('../run/config/config.ts')
    const { Postroom } = await import('../clients/sdk/client.ts')
    const { print } = await import('./output.ts')
    const { url, key } = readClientConfig(env)
    print(io, await new Postroom({ baseUrl: url, key }).connectedApps.createCode(), options)
  })
}
