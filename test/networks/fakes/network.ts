import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { Teardown } from '../../helpers/database.ts'

/** A call as the fake received it. */
export interface Recorded {
  method: string
  /** The host that the call was meant for. */
  host: string
  path: string
  query: Record<string, string>
  /** The same, with parameters that repeat. */
  parameters: URLSearchParams
  headers: IncomingHttpHeaders
  /** The JSON, or the text fields of a form; undefined if there is neither. */
  body: unknown
  /** Files of a form, or a file that is the whole body: its `field` and `name` are empty. */
  files: { field: string; name: string; type: string; bytes: Buffer }[]
  /** Names of the fields and files of a form with files, in order. */
  fields: string[]
}

export interface Reply {
  status: number
  /** A text or a Buffer is sent as it is, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

/** A fault that happens once, at the next call of this name. */
export interface Fault {
  /** Such as `POST /api/v1/statuses`. */
  on: string
  /** Whether the call is carried out first. */
  after?: boolean
  /**
   * The response; a function handles the connection itself, without a response. `late`: the connection ends without a
   * response, and `arrive` carries out the call.
   */
  instead: Reply | 'late' | ((request: IncomingMessage, response: ServerResponse) => void)
}

export interface FakeNetwork {
  /** The address at which it listens, without a path. */
  address: string
  /** A `fetch` that leads from the real network's address to the fake. */
  fetch: typeof fetch
  /** The same without a connection: a fault that needs one leads to none. */
  answer: typeof fetch
  calls: Recorded[]
  /** Names of the calls in order. Tests add entries of their own. */
  log: string[]
  faults: Fault[]
  /** Carries out the calls that are late, in order. Returns their number. */
  arrive(): Promise<number>
  /** Number of open connections. */
  connections(): Promise<number>
}

/** The connection ends without a response. */
export const reset = (request: IncomingMessage) => request.socket.resetAndDestroy()

/** The connection ends in the middle of the response. */
export const broken = (status: number) => (request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': 100 })
  response.write('{"id":"1', () => request.socket.destroy())
}

/** A refusal by a fake. */
export class Refused extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(`refused with ${reply.status}`)
    this.reply = reply
  }
}

/**
 * A server on a free port of loopback in place of one or several origins. `respond` returns a reply or throws Refused.
 * Another error is a mistake in the fake: the response has status 599.
 */
export async function startFake(
  t: Teardown,
  origin: string | readonly string[],
  respond: (call: Recorded) => Reply | Promise<Reply>,
): Promise<FakeNetwork> {
  const origins = [origin].flat()
  const calls: Recorded[] = []
  const log: string[] = []
  const faults: Fault[] = []
  const late: Recorded[] = []

  /** Carries out a call. Without a reply, the connection ends. */
  async function carryOut(call: Recorded): Promise<Reply | Exclude<Fault['instead'], Reply>> {
    const name = `${call.method} ${call.path}`
    calls.push(call)
    log.push(name)
    const index = faults.findIndex((fault) => fault.on === name)
    const [fault] = index < 0 ? [] : faults.splice(index, 1)
    if (fault?.instead === 'late') {
      late.push(call)
      return 'late'
    }
    const reply = fault && !fault.after ? undefined : await respond(call)
    return fault?.instead ?? reply!
  }

  const toReply = (error: unknown): Reply =>
    error instanceof Refused ? error.reply : { status: 599, body: { fake: String(error) } }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', origins[0])
    let reply: Awaited<ReturnType<typeof carryOut>>
    try {
      const method = request.method ?? ''
      const host = String(request.headers['x-forwarded-host'] ?? url.host)
      const bytes = Buffer.concat(await request.toArray())
      reply = await carryOut(await read({ method, host, url, headers: request.headers, bytes }))
    } catch (error) {
      // The client disconnected while it was sending.
      if (request.destroyed && !request.complete) return
      reply = toReply(error)
    }
    if (reply === 'late') return reset(request)
    if (typeof reply === 'function') return reply(request, response)
    response.writeHead(reply.status, headersOf(reply))
    response.end(bodyOf(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const redirected: typeof fetch = (input, init) => {
    const url = new URL(String(input))
    if (!origins.includes(url.origin)) throw new Error(`${url} is not at ${origins.join(' or ')}`)
    const headers = { ...(init?.headers as Record<string, string>), 'x-forwarded-host': url.host }
    return fetch(`${address}${url.pathname}${url.search}`, { ...init, headers })
  }
  const answer: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const bytes = Buffer.from(await request.arrayBuffer())
    const headers = Object.fromEntries(request.headers)
    const call = read({ method: request.method, host: url.host, url, headers, bytes })
    const reply = await call.then(carryOut).catch(toReply)
    if (reply === 'late' || typeof reply === 'function') throw new TypeError('fetch failed')
    // A response without a body has none, not even an empty one.
    return new Response(reply.status === 204 ? null : bodyOf(reply), {
      status: reply.status,
      headers: headersOf(reply),
    })
  }
  const connections = promisify(server.getConnections.bind(server))
  const arrive = async () => {
    const arriving = late.splice(0)
    for (const call of arriving) {
      try {
        await respond(call)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
      }
    }
    return arriving.length
  }
  return { address, fetch: redirected, answer, calls, log, faults, arrive, connections }
}

const headersOf = ({ headers }: Reply) => ({ 'content-type': 'application/json', ...headers })

const bodyOf = ({ body }: Reply): string | Buffer<ArrayBuffer> | undefined =>
  body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    ? (body as string | Buffer<ArrayBuffer> | undefined)
    : JSON.stringify(body)

interface Received {
  method: string
  host: string
  url: URL
  headers: IncomingHttpHeaders
  bytes: Buffer<ArrayBuffer>
}

async function read({ method, host, url, headers, bytes }: Received): Promise<Recorded> {
  return {
    method,
    host,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    parameters: url.searchParams,
    headers,
    fields: [],
    ...(await readBody(bytes, headers['content-type'] ?? '')),
  }
}

async function readBody(
  bytes: Buffer<ArrayBuffer>,
  type: string,
): Promise<Pick<Recorded, 'body' | 'files'> & Partial<Pick<Recorded, 'fields'>>> {
  if (bytes.length === 0) return { body: undefined, files: [] }
  if (type.startsWith('application/json')) return { body: JSON.parse(bytes.toString()), files: [] }
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return { body: Object.fromEntries(new URLSearchParams(bytes.toString())), files: [] }
  }
  if (/^(?:image\/|video\/|application\/(?:octet-stream|pdf)$)/.test(type))
    return { body: undefined, files: [{ field: '', name: '', type, bytes }] }
  if (!type.startsWith('multipart/form-data')) throw new Refused({ status: 415 })
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  const body: Record<string, string> = {}
  const files: Recorded['files'] = []
  for (const [field, value] of form) {
    if (typeof value === 'string') body[field] = value
    else files.push({ field, name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) })
  }
  return { body, files, fields: [...form.keys()] }
}
