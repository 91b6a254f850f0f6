import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net, { type AddressInfo, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import tls from 'node:tls'
import type { Test } from 'tap'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import type { ReachOptions } from '../../src/base/outbound/reach.ts'
import { createFetchFile, type FetchLimits } from '../../src/features/media/fetch.ts'
import { until } from '../helpers/until.ts'

/*
 * Hostile URLs, name servers and web servers for the tests of imports. 127.0.0.1 stands for the public internet,
 * 127.0.0.2 for a network that must not be reached. An error event without a listener would end the process of a test.
 */

export const OFF_LIMITS = {
  statusCode: 400,
  message:
    'The host of url does not resolve to a public address: check its spelling. The operator of the service can allow private hosts: OUTBOUND_ALLOW',
}

/** `test/samples/tls`: valid until 2120, for files.example. The private key of the authority was deleted. */
const sample = (name: string) => readFileSync(new URL(`../samples/tls/${name}`, import.meta.url), 'utf8')
export const ca = sample('ca.pem')

export type Respond = (socket: Socket, request: string) => unknown

/** A server that responds to the first bytes of each connection by calling `response`, or by sending it and closing. */
export async function serve(
  t: Test,
  response: Respond | string,
  { host = '127.0.0.1', port = 0, secure = false } = {},
) {
  const requests: string[] = []
  let connections = 0
  const respond = typeof response === 'string' ? (socket: Socket) => socket.end(response) : response
  const onSocket = (socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      requests.push(String(data))
      respond(socket, String(data))
    })
  }
  const pair = sample('server.pem')
  const server = secure ? tls.createServer({ cert: pair, key: pair }, onSocket) : net.createServer(onSocket)
  server.on('connection', () => connections++)
  server.listen(port, host)
  await once(server, 'listening')
  t.teardown(() => server.close())
  const countOpen = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => connections,
    /** Waits until the client has closed every connection. The server itself may keep them open. */
    untilClosed: () => until('every connection is closed', countOpen, { isMet: (count) => count === 0 }),
  }
}

/** A server that must not be connected to. On a system without 127.0.0.2, nothing can be reached there anyway. */
export async function createCanary(t: Test, port = 0) {
  const server = await serve(t, ok('secret'), { host: '127.0.0.2', port }).catch(() => undefined)
  return {
    port: server?.port ?? 1,
    isUntouched: (t: Test) => t.equal(server?.connections() ?? 0, 0, 'the canary has no connection'),
  }
}

const NAMES: Record<string, string[]> = {
  'files.example': ['127.0.0.1'],
  'other.example': ['127.0.0.1'],
  'private.example': ['127.0.0.2'],
  'mixed.example': ['127.0.0.1', '127.0.0.2'],
  'reverse.example': ['127.0.0.2', '127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'none.example': [],
}

/** `fetch` with these names and addresses, and the names that it looked up. */
export function createWorld(options: Partial<ReachOptions & FetchLimits> = {}) {
  const lookups: string[] = []
  const client = createPublicClient({
    async resolve(hostname) {
      lookups.push(hostname)
      const addresses = NAMES[hostname]
      if (!addresses) throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
      return addresses.map((address) => ({ address, family: net.isIP(address) }))
    },
    isAllowed: (address) => address === '127.0.0.1',
    ...options,
  })
  const fetchFile = createFetchFile(client, options)
  return { lookups, fetch: (url: string, bytesMax = 1_000_000) => fetchFile(url, { bytesMax }) }
}

export const ok = (body: string, headers = '') =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
export const redirect = (location: string, status = 302) =>
  `HTTP/1.1 ${status} Elsewhere\r\nLocation: ${location}\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n`
export const refusal = (port: number, problem: string) => ({
  statusCode: 400,
  message: `the server at files.example:${port} ${problem}`,
})

/** The text of the file, or the status, message and details of the error. */
export async function outcome(file: Promise<Readable>) {
  try {
    return await text(await file)
  } catch (error) {
    const { statusCode, message, details } = error as { statusCode?: number; message: string; details?: unknown }
    return { statusCode, message, ...(details !== undefined && { details }) }
  }
}
