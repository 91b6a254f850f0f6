import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { Teardown } from './database.ts'

/** A call as it came in. */
export interface Recorded {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  /** The JSON, or the fields of the form that are no files; undefined where there is no body. */
  body: unknown
  files: { field: string; name: string; type: string; bytes: Buffer }[]
}

export interface Reply {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** What happens once, at the next call of this name. */
export interface Fault {
  /** Such as `POST /api/v1/statuses`. */
  on: string
  /** Whether the call is carried out first. */
  after?: boolean
  /** What is answered; a function does with the connection what it likes, and nothing is answered. */
  instead: Reply | ((request: IncomingMessage, response: ServerResponse) => void)
}

export interface FakeNetwork {
  /** Where it listens, without a path. */
  address: string
  /** `fetch` for a program that means the real network. */
  fetch: typeof fetch
  calls: Recorded[]
  /** The names of the calls in order, between which a test may write words of its own. */
  log: string[]
  faults: Fault[]
  /** How many connections are open. */
  connections(): Promise<number>
}

/** The connection ends without an answer. */
export const reset = (request: IncomingMessage) => request.socket.resetAndDestroy()

/** The answer ends in its middle. */
export const broken = (status: number) => (request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': 100 })
  response.write('{"id":"1', () => request.socket.destroy())
}

/** A refusal, thrown by the part of a fake that notices. */
export class Refused extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(`refused with ${reply.status}`)
    this.reply = reply
  }
}

/**
 * A server on a free port of loopback that stands in for `origin`. `answer` gives a reply, or throws Refused; whatever
 * else it throws is a mistake of the fake, and answered as 599.
 */
export async function startFake(t: Teardown, origin: string, answer: (call: Recorded) => Reply): Promise<FakeNetwork> {
  const calls: Recorded[] = []
  const log: string[] = []
  const faults: Fault[] = []

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', origin)
    const name = `${request.method} ${url.pathname}`
    const call: Recorded = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: undefined,
      files: [],
    }
    let reply: Reply
    try {
      Object.assign(call, await read(request))
      calls.push(call)
      log.push(name)
      const place = faults.findIndex((fault) => fault.on === name)
      const [fault] = place < 0 ? [] : faults.splice(place, 1)
      reply = fault && !fault.after ? { status: 0 } : answer(call)
      if (fault) {
        if (typeof fault.instead === 'function') return fault.instead(request, response)
        reply = fault.instead
      }
    } catch (error) {
      // A client that went away while it was sending waits for no answer.
      if (request.destroyed && !request.complete) return
      reply = error instanceof Refused ? error.reply : { status: 599, body: { fake: String(error) } }
    }
    const { status, body, headers } = reply
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const redirected: typeof fetch = (input, init) => {
    const url = String(input)
    if (new URL(url).origin !== origin) throw new Error(`${url} is not at ${origin}`)
    return fetch(url.replace(origin, address), init)
  }
  const connections = promisify(server.getConnections.bind(server))
  return { address, fetch: redirected, calls, log, faults, connections }
}

async function read(request: IncomingMessage): Promise<Pick<Recorded, 'body' | 'files'>> {
  const bytes = Buffer.concat(await request.toArray())
  const type = request.headers['content-type'] ?? ''
  if (bytes.length === 0) return { body: undefined, files: [] }
  if (type === 'application/json') return { body: JSON.parse(bytes.toString()), files: [] }
  if (!type.startsWith('multipart/form-data')) throw new Refused({ status: 415 })
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  const body: Record<string, string> = {}
  const files: Recorded['files'] = []
  for (const [field, value] of form) {
    if (typeof value === 'string') body[field] = value
    else files.push({ field, name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) })
  }
  return { body, files }
}
