import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { truncate } from '../../base/http/json.ts'
import { VERSION } from '../../base/version.ts'

/** The tools of one API key. */
export interface Toolbox {
  /** The text that an agent gets before its first call. */
  instructions: string
  /** The list of tools as JSON. */
  list(): string
  /** Undefined if the key has no such tool. */
  call(name: string): Promise<object> | undefined
}

/** A message that is a JSON object; more is not known of it yet. */
export type Message = Record<string, unknown>

interface Reply {
  status: number
  /** A JSON-RPC message. Undefined for the response to a notification. */
  body: string | undefined
}

/**
 * Responds to one message. Nothing is kept between messages, so that any process can respond to the next one. Clients
 * of the versions before 2026-07-28 are served too. Only this file imports the SDK: import it on demand.
 */
export async function respond(message: Message, headers: Record<string, string>, toolbox: Toolbox): Promise<Reply> {
  // The SDK reads the message from `parsedBody`. Every response is JSON, whatever the client accepts besides.
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  })
  const response = (await isLegacyRequest(request, message))
    ? await respondAsBefore(request, message, toolbox)
    : await createMcpHandler(() => createServer(toolbox), {
        legacy: 'reject',
        // The list of tools only changes with the API key, so that nobody has to be notified.
        maxSubscriptions: 0,
      }).fetch(request, { parsedBody: message })
  const text = await response.text()
  const body = message.method === 'tools/list' ? text.replace(NO_TOOLS, () => `"tools":${toolbox.list()}`) : text
  return { status: response.status, body: body || undefined }
}

/** The result of `tools/list` as the SDK gets it: to check and serialise the tools takes it 8 ms for each request. */
const NO_TOOLS = '"tools":[]'

/** The versions until 2025-11-25. The SDK's own fallback responds to them with event streams. */
async function respondAsBefore(request: Request, message: Message, toolbox: Toolbox): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await createServer(toolbox).connect(transport)
  return transport.handleRequest(request, { parsedBody: message })
}

function createServer(toolbox: Toolbox): Server {
  const server = new Server(
    { name: 'postroom', title: 'Postroom', version: VERSION },
    { capabilities: { tools: {} }, instructions: toolbox.instructions },
  )
  server.setRequestHandler('tools/list', () => ({ tools: [] }))
  server.setRequestHandler('tools/call', async ({ params: { name } }) => {
    const result = toolbox.call(name)
    if (result) return (await result) as CallToolResult
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool, or not allowed to this API key: ${truncate(name)}`,
    )
  })
  return server
}
