/**
 * An agent without a language model. It calls Postroom's tools: it checks a post, writes a draft, and schedules it only
 * if its second argument says that a person has agreed. Copy it into a project of your own.
 *
 *   npm install @modelcontextprotocol/client
 *   POSTROOM_KEY=pr_… node agent.ts "Hello from an agent" confirm
 *
 * Node 22.18 or newer runs it as it is, in a package whose `type` is `module`.
 *
 * It calls `POST /mcp` of the service at POSTROOM_URL. With MCP_COMMAND, such as `npm run -s postroom -- mcp`, it
 * starts that program instead, and talks to it on stdin and stdout.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const { POSTROOM_URL: url = 'http://localhost:3000', POSTROOM_KEY: key, MCP_COMMAND: command } = process.env
const [caption = 'Hello from an agent', answer] = process.argv.slice(2)
if (!key) throw new Error('Set POSTROOM_KEY to an API key')

const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
await client.connect(command ? startProgram(command, key) : connectTo(url, key))

const connectedTo = (platform: string) => (account: Account) => account.platform === platform && !account.attention
const { data: accounts } = await call<{ data: Account[] }>('list_accounts')
const account = accounts.find(connectedTo('sandbox'))
if (!account) throw new Error('Connect a sandbox account first')

const draft = await call<Draft>('create_post', { accountIds: [account.id], caption })
if (draft.replayed) throw new Error('This program has run with this text today')
if (!draft.validation?.publishable) throw new Error('The draft breaks a limit: correct it with update_post')

if (answer === 'confirm') {
  const post = { id: draft.id, scheduledAt: new Date().toISOString(), confirm: true }
  await call('update_post', post)
  while ((await call<Post>('get_post', { id: draft.id })).status !== 'published') await sleep(500)
}
await client.close()

interface Account {
  id: string
  platform: string
  attention?: object
}

interface Draft {
  id: string
  /** An earlier call with the same arguments has created it. */
  replayed: boolean
  validation?: { publishable: boolean }
}

interface Post {
  status: string
}

/** Calls a tool, prints its line of text, and returns its structured content. */
async function call<T>(name: string, args: Record<string, unknown> = {}): Promise<T> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: args })
  const [line] = content
  const text = line?.type === 'text' ? line.text : ''
  if (isError) throw new Error(text)
  process.stdout.write(`${name}: ${text}\n`)
  return structuredContent as T
}

function connectTo(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}` }
  return new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } })
}

function startProgram(command: string, key: string) {
  const [program = '', ...args] = command.split(' ')
  const env = { PATH: process.env.PATH ?? '', POSTROOM_URL: url, POSTROOM_KEY: key }
  return new StdioClientTransport({ command: program, args, env })
}
