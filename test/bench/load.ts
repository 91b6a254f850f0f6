import { connect, type Socket } from 'node:net'

/** One request as bytes, and what it is to be answered with. */
export interface Request {
  bytes: Buffer
  status: number
  /** Sees the body of the answer. */
  onBody?(body: string): void
}

/** An HTTP request with the key of whoever sends it. */
export function request(method: string, path: string, key: string, body?: object, more: string[] = []): Buffer {
  const json = body && JSON.stringify(body)
  const headers = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${key}`, ...more]
  if (json) headers.push('content-type: application/json', `content-length: ${Buffer.byteLength(json)}`)
  return Buffer.from(`${headers.join('\r\n')}\r\n\r\n${json ?? ''}`)
}

export interface Load {
  requests: number
  seconds: number
  /** From sending to the last byte of the answer, in milliseconds, ascending. */
  latencies: Float64Array
}

/**
 * Closed loop: each of `connections` sends its next request when it has the answer to the last one, until `until` says that
 * it is enough. On bare sockets, because the cores that a client takes are missing to the server. Throws at the first
 * answer that is not what it is to be.
 */
export async function runLoad(
  port: number,
  connections: number,
  next: (connection: number) => Request,
  until: { ms: number } | { requests: number },
): Promise<Load> {
  const latencies: number[] = []
  const begun = performance.now()
  let left = 'requests' in until ? until.requests : Number.POSITIVE_INFINITY
  const deadline = 'ms' in until ? begun + until.ms : Number.POSITIVE_INFINITY
  await Promise.all(
    Array.from({ length: connections }, async (_, number) => {
      const connection = await open(port)
      try {
        while (left-- > 0 && performance.now() < deadline) {
          const request = next(number)
          const sent = performance.now()
          const { status, body } = await connection.send(request.bytes)
          latencies.push(performance.now() - sent)
          if (status !== request.status) throw new Error(`${status} instead of ${request.status}: ${body}`)
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

/** The smallest latency that a share of them does not exceed. */
export const percentile = ({ latencies }: Load, share: number) =>
  latencies[Math.max(0, Math.ceil(latencies.length * share) - 1)] ?? Number.NaN

interface Answer {
  status: number
  body: string
}

/** A connection that has one request under way at a time. Answers have to give their length. */
export async function open(port: number): Promise<{ send(bytes: Buffer): Promise<Answer>; close(): void }> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let received = Buffer.alloc(0)
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const answer = parse(received)
    if (!answer) return
    received = Buffer.alloc(0)
    waiting?.resolve(answer)
  })
  socket.on('error', (error) => waiting?.reject(error))
  socket.on('close', () => waiting?.reject(new Error('the server hung up')))
  return {
    send: (bytes) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        if (socket.destroyed) reject(new Error('the server hung up'))
        else socket.write(bytes)
      }),
    close: () => socket.destroy(),
  }
}

const HEAD_END = '\r\n\r\n'

function parse(received: Buffer): Answer | undefined {
  const head = received.indexOf(HEAD_END)
  if (head < 0) return undefined
  const text = received.toString('latin1', 0, head)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])
  const from = head + HEAD_END.length
  if (received.length < from + length) return undefined
  return { status: Number(text.slice(9, 12)), body: received.toString('utf8', from, from + length) }
}
