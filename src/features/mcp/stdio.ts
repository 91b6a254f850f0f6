import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { ErrorBody } from '../../../schemas/error.ts'
import { ERROR_CODE_HEADER } from '../../base/http/errors.ts'

interface StdioOptions {
  /** The origin of the service. */
  url: string
  key: string
  input: Readable
  output: Writable
}

/**
 * Sends each line of `input`, a JSON-RPC message, to the service, and writes the response as a line. Ends when `input`
 * has ended and every message has its response.
 */
export async function proxy({ url, key, input, output }: StdioOptions): Promise<void> {
  const running = new Set<Promise<void>>()
  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue
    // Not awaited: an agent may send a message before the response to the previous one.
    const forwarded = forward(url, key, line).then((response) => {
      running.delete(forwarded)
      if (response !== undefined) output.write(`${response}\n`)
    })
    running.add(forwarded)
  }
  await Promise.all(running)
}

interface Message {
  id?: unknown
  method?: unknown
  params?: { name?: unknown; _meta?: Record<string, unknown> } | null
}

/** Returns the response in one line; undefined to a notification. */
async function forward(url: string, key: string, line: string): Promise<string | undefined> {
  const message = parse(line)
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...protocolHeaders(message),
  }
  let response: Response
  let body: string
  try {
    // A redirect to another address must not get the key.
    response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: line, redirect: 'error' })
    body = await response.text()
  } catch (error) {
    const { cause, message: reason } = error as Error & { cause?: Error }
    return toError(message, `${url} could not be reached: ${cause?.message || reason}`)
  }
  if (body === '') return undefined
  const value = parse(body) as Message & Partial<ErrorBody> & { jsonrpc?: unknown }
  // One line, as the service sends it. A batch has several responses.
  if (Array.isArray(value) || value.jsonrpc !== undefined) return JSON.stringify(value)
  const { status } = response
  const code = response.headers.get(ERROR_CODE_HEADER) ?? undefined
  const { error = 'not a response of Postroom', details } = value
  return toError(message, `${status}${code ? ` ${code}` : ''}: ${error}`, { status, code, details })
}

function parse(text: string): Message {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    // The service says what is wrong with it.
    return {}
  }
}

/**
 * The headers in which HTTP repeats parts of a message, from version 2026-07-28 on:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
function protocolHeaders({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion']
  if (typeof version !== 'string') return {}
  return {
    'mcp-protocol-version': version,
    ...(typeof method === 'string' && { 'mcp-method': method }),
    ...(typeof params?.name === 'string' && { 'mcp-name': params.name }),
  }
}

/** "Server error" in JSON-RPC. A notification has no id, and gets no response. */
const SERVER_ERROR = -32_000

export const toError = ({ id, method }: Message, message: string, data?: object): string | undefined =>
  id === undefined && method !== undefined
    ? undefined
    : JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code: SERVER_ERROR, message, data } })
