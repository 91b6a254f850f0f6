import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

/** A request, with its body as text. */
export interface Message {
  method: string
  path: string
  body: string
  headers: Record<string, string>
}

/*
 * Sends requests one by one in a thread of its own, so that the thread of the service does nothing else. Posts the
 * status of each.
 */
const { port, key } = workerData as { port: number; key: string }
const agent = new Agent({ keepAlive: true })
const post = (status: number) => parentPort!.postMessage(status)

parentPort!.on('message', ({ method, path, body, headers }: Message) => {
  const bytes = Buffer.from(body)
  const sent = request({
    agent,
    port,
    host: '127.0.0.1',
    method,
    path,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
      ...headers,
    },
  })
  sent.on('response', (response) => response.resume().on('end', () => post(response.statusCode!)))
  sent.on('error', () => post(0))
  sent.end(bytes)
})
