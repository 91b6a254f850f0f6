import type { Readable } from 'node:stream'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import type { Person, World } from './app.ts'
import { call } from './app.ts'
import type { Teardown } from './database.ts'
import { recordStderr } from './log-record.ts'

interface Tool {
  name: string
  title: string
  inputSchema: {
    properties: Record<string, { description?: string }>
    required?: string[]
  }
  outputSchema: { type: string }
  annotations: Record<string, unknown>
}

/** The result of a tool: `body` is its structured content, or its error. */
interface Called {
  isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: each tool has another body
  body: any
  /** The line for people. */
  text: string
}

type Caller = Pick<Person, 'call'>

/** Sends a JSON-RPC request, without the client of the SDK. */
export const send = (person: Caller, method: string, params?: object, headers?: Record<string, string>) =>
  person.call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method, ...(params && { params }) }, headers)

export async function listTools(person: Caller): Promise<Tool[]> {
  const { body } = await send(person, 'tools/list')
  return body.result.tools
}

export async function callTool(person: Caller, name: string, args: object = {}): Promise<Called> {
  const { body } = await send(person, 'tools/call', { name, arguments: args })
  if (body.error) throw new Error(body.error.message)
  return readResult(body.result)
}

interface Result {
  isError?: boolean | undefined
  structuredContent?: unknown
  content: { type: string; text?: string }[]
}

/** Reads a result, and checks that its text repeats the structured content. */
export function readResult({ isError = false, structuredContent, content }: Result): Called {
  const body = JSON.parse(content[1]!.text!)
  if (!isError && JSON.stringify(structuredContent) !== JSON.stringify(body)) throw new Error('the texts differ')
  return { isError, body, text: content[0]!.text! }
}

/** The person with another key, which has only these rights. */
export async function withKey(
  { app, db }: World,
  { id }: Person,
  rights: { scopes?: Scope[]; accountIds?: string[] },
): Promise<Caller> {
  const { key } = await createKey(db, { userId: id, name: null, expiresAt: null, ...rights })
  return { call: (method, path, body, headers) => call(app, key, method, path, body, headers) }
}

export const VERSIONS = ['2025-11-25', '2026-07-28'] as const
type Version = (typeof VERSIONS)[number]

/**
 * Connects the client of the SDK, with this version of the protocol. It compares each result with its output schema.
 */
export async function connectClient(t: Teardown, transport: Transport, version: Version): Promise<Client> {
  const mode = version === '2025-11-25' ? 'legacy' : { pin: version }
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  t.teardown(() => client.close())
  await client.connect(transport)
  return client
}

export const overHttp = (url: string, key: string): Transport =>
  new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })

/** Starts `postroom mcp`. */
export function overStdio(url: string, key: string): Transport {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['src/cli/postroom.ts', 'mcp'],
    env: { POSTROOM_URL: new URL(url).origin, POSTROOM_KEY: key },
    stderr: 'pipe',
  })
  recordStderr(transport.stderr as Readable)
  transport.stderr!.pipe(process.stderr)
  return transport
}
