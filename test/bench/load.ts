import { connect, type Socket } from 'node:net'

/** One request as bytes, and the expected status. */
export interface Request {
  bytes: Buffer
  status: number
  /** Receives the response body. */
  onBody?(body: string): void
}

/** Encodes an HTTP request with an API key. */
export function request(method: string, path: string, key: string, body?: object, more: string[] = []): Buffer {
  const json = body && JSON.stringify(body)
  const headers = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${key}`, ...more]
  if (json) headers.push('content-type: application/json', `content-length: ${Buffer.byteLength(json)}`)
  return Buffer.from(`${headers.join('\r\n')}\r\n\r\n${json ?? ''}`)
}

export interface Load {
  requests: number
  seconds: number
  /** Milliseconds from sending a request to the last byte of its response, ascending. */
  latencies: Float64Array
}

/**
 * Closed loop: each connection sends its next request when the last response has arrived, until the time is over or the
 * count is reached. Uses raw sockets, because client and server share the cores. Throws at the first unexpected status.
 */
export async function runLoad(
  port: number,
  connections: number,
  next: (connection: number) => Request,
  stop: { ms: number } | { requests: number },
): Promise<Load> {
  const latencies: number[] = []
  const begun = performance.now()
  let left = 'requests' in stop ? stop.requests : Number.POSITIVE_INFINITY
  const deadline = 'ms' in stop ? begun + stop.ms : Number.POSITIVE_INFINITY
  await Promise.all(
    Array.from({ length: connections }, async (_, number) => {
      const connection = await open(port)
      try {
        while (left-- > 0 && performance.now() < deadline) {
          const request = next(number)
          const sent = performance.now()
          const { status, body } = await connection.send(request.bytes)
          latencies.push(performance.now() - sent)
          if (status !== request.status) {
            const [line] = request.bytes.toString('latin1').split('\r\n', 1)
            throw new Error(`${line}: expected status ${request.status}, got ${status}: ${body}`)
          }
          request.onBody?.(body)
        }
      } finally {
        connection.close()
      }
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  return { requests: latencies.length, seconds, latencies: Float64Array.from(latencies).sort() }
}

/** The smallest latency that a share of all requests does not exceed. */
export const percentile = ({ latencies }: Load, share: number) =>
  latencies[Math.max(0, Math.ceil(latencies.length * share) - 1)] ?? Number.NaN

interface Response {
  status: number
  body: string
}

/** A connection with one request in flight at a time. Responses need a Content-Length. */
export async function open(port: number): Promise<{ send(bytes: Buffer): Promise<Response>; close(): void }> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let received = Buffer.alloc(0)
  let waiting: { resolve(response: Response): void; reject(error: Error): void } | undefined
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const response = parse(received)
    if (!response) return
    received = Buffer.alloc(0)
    waiting?.resolve(response)
  })
  socket.on('error', (error) => waiting?.reject(error))
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')))
  return {
    send: (bytes) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        if (socket.destroyed) reject(new Error('the server closed the connection'))
        else socket.write(bytes)
      }),
    close: () => socket.destroy(),
  }
}

const HEAD_END = '\r\n\r\n'

function parse(received: Buffer): Response | undefined {
  const head = received.indexOf(HEAD_END)
  if (head < 0) return undefined
  const text = received.toString('latin1', 0, head)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])
  const from = head + HEAD_END.length
  if (received.length < from + length) return undefined
  return { status: Number(text.slice(9, 12)), body: received.toString('utf8', from, from + length) }
}
