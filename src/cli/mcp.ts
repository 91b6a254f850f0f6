import type { Command } from 'commander'
import type { Io } from './action.ts'

export function addMcpCommand(program: Command, { env, stdin, stdout }: Io): void {
  program
    .command('mcp')
    .description(
      'serve the Model Context Protocol on stdin and stdout, for an agent on this machine. POSTROOM_URL is the address of the service, POSTROOM_KEY an API key. Needs no database',
    )
    .action(async () => {
      const { readClientConfig } = await import('../config/config.ts')
      const { proxy } = await import('../mcp/stdio.ts')
      await proxy({ ...readClientConfig(env), input: stdin, output: stdout })
    })
}
