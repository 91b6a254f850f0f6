import type { Command } from 'commander'
import { readClientConfig } from '../config.ts'

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description(
      'serve the Model Context Protocol on stdin and stdout, for an agent on this machine. POSTROOM_URL is the address of the service, POSTROOM_KEY an API key. Needs no database',
    )
    .action(async () => {
      const { proxy } = await import('../mcp/stdio.ts')
      await proxy({ ...readClientConfig(process.env), input: process.stdin, output: process.stdout })
    })
}
