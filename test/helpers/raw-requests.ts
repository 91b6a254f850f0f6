import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { ERRORS } from '../../schemas/errors.ts'
import { createWorld } from './app.ts'
import { until } from './until.ts'

export interface RawResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies have every shape here
  body: any
}

/**
 * Starts the service, and sends requests that no HTTP library lets a client send, over raw sockets. A crash of the
 * service would end the process of the test.
 */
export async function listenForRawRequests(t: Test) {
  const log: string[] = []
  const logger = { stream: { write: (line: string) => log.push(line) } }
  const { app, user, db } = await createWorld(t, { logger, servesDocument: true })
  const ada = await user()
  const account = await ada.account('bluesky')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo

  const open = async (options: Partial<net.NetConnectOpts> = {}) => {
    const socket = net.connect({ port, host: '127.0.0.1', ...options })
    socket.on('error', () => {})
    t.teardown(async () => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  /** Sends bytes, together or one every 200 ms. Returns the responses once the service has closed the connection. */
  const send = async (bytes: string | Buffer, { slowly = false, thenEnd = false } = {}): Promise<RawResponse[]> => {
    const socket = await open()
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    if (slowly) {
      const text = bytes[Symbol.iterator]()
      const timer = setInterval(() => socket.write(String(text.next().value ?? 'x')), 200)
      closed.then(() => clearInterval(timer))
    } else socket.write(bytes)
    if (thenEnd) socket.end()
    await closed
    return readResponses(Buffer.concat(received))
  }

  const auth = `Authorization: Bearer ${ada.key}\r\n`
  const post = JSON.stringify({ accountIds: [account], caption: 'hello' })
  return {
    app,
    log,
    port,
    ada,
    open,
    send,
    auth,
    post,
    get: (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${auth}${headers}\r\n`,
    create: (headers: string, body = post) =>
      `POST /api/v1/posts HTTP/1.1\r\nHost: a\r\n${auth}Content-Type: application/json\r\n${headers}\r\n${body}`,
    stored: () => db.selectFrom('posts').select('id').execute(),
    /** Fails unless the service responds and closes all idle connections. */
    async assertAlive(t: Test, name = 'the service responds') {
      // The storage may respond too late on a busy machine.
      const isReady = ([response]: RawResponse[]) => response?.status === 200
      const ask = () => send('GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      t.strictSame(await until(name, ask, { isMet: isReady }), [{ status: 200, body: { status: 'ok' } }], name)
      const connections = () =>
        new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))
      await until('all connections are closed', connections, { isMet: (count) => count === 0 })
    },
  }
}

/** Parses the HTTP responses in `bytes`. Throws for anything but complete JSON responses. */
function readResponses(bytes: Buffer): RawResponse[] {
  const responses: RawResponse[] = []
  let rest = bytes.toString()
  while (rest !== '') {
    const [, status, head] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(.*?)\r\n\r\n/s.exec(rest) ?? []
    if (status === '100') {
      responses.push({ status: 100, body: undefined })
      rest = rest.slice(rest.indexOf('\r\n\r\n') + 4)
      continue
    }
    const length = Number(/^content-length: (\d+)$/im.exec(head ?? '')?.[1])
    if (!(length >= 0)) throw new Error(`Response without a length: ${rest.slice(0, 300)}`)
    if (!/^content-type: application\/json/im.test(head ?? '')) throw new Error(`Not JSON: ${rest.slice(0, 300)}`)
    const code = /^x-error-code: (\w+)\r?$/im.exec(head ?? '')?.[1]
    if (Number(status) >= 400 ? !Object.hasOwn(ERRORS, code ?? '') : code !== undefined) {
      throw new Error(`x-error-code is ${code}: ${rest.slice(0, 300)}`)
    }
    const start = rest.indexOf('\r\n\r\n') + 4
    responses.push({ status: Number(status), body: JSON.parse(rest.slice(start, start + length)) })
    rest = rest.slice(start + length)
  }
  return responses
}

export const errorResponse = (status: number, error: string): RawResponse[] => [{ status, body: { error } }]
export const MALFORMED = errorResponse(400, 'Malformed HTTP request')
