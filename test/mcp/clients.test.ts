import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import t from 'tap'
import { CHAPTERS } from '../../schemas/document.ts'
import { createWorld } from '../helpers/app.ts'
import { connectClient, overHttp } from '../helpers/mcp.ts'

interface Server {
  url?: string
  headers?: Record<string, string>
  command?: string
  args?: string[]
  env?: Record<string, string>
}

t.test('an agent connects with each configuration of the documentation', async (t) => {
  const { app, user } = await createWorld(t)
  const { key } = await user()
  const origin = new URL(await app.listen({ host: '127.0.0.1', port: 0 })).origin
  /** Fills in what a reader fills in, and the client. */
  const fill = (text: string) =>
    text
      .replaceAll(/\$\{[\w:-]+\}|pr_…/g, key)
      .replaceAll('https://postroom.example.com', origin)
      .replaceAll('/path/to/postroom', process.cwd())
  const blocks = [...CHAPTERS.agents.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => JSON.parse(fill(json!)))
  t.equal(blocks.length, 4)
  for (const { mcpServers, servers = mcpServers } of blocks) {
    const { url, headers = {}, command, args = [], env = {} }: Server = servers.postroom

    t.equal(headers.Authorization ?? `Bearer ${env.POSTROOM_KEY}`, `Bearer ${key}`)
    const stdio = () =>
      new StdioClientTransport({
        command: command!,
        args,
        env: { ...env, PATH: process.env.PATH ?? '' },
        stderr: 'inherit',
      })
    const client = await connectClient(t, url ? overHttp(url, key) : stdio(), '2025-11-25')
    const { tools } = await client.listTools()
    t.ok(tools.some(({ name }) => name === 'create_post'))
  }
})
