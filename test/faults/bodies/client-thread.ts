import { Agent, request } from 'node:http'
import { parentPort, workerData as port } from 'node:worker_threads'
import type { Message } from './client.ts'

const agent = new Agent({ keepAlive: true })
const post = (status: number) => parentPort!.postMessage(status)

parentPort!.on('message', ({ method, path, body, headers, key }: Message) => {
  const bytes = Buffer.from(body)
  const sent = request({
    agent,
    port,
    host: '127.0.0.1',
    method,
    path,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      'content-length': bytes.length,
      ...headers,
    },
  })
  sent.on('response', (response) => response.resume().on('end', () => post(response.statusCode!)))
  sent.on('error', () => post(0))
  sent.end(bytes)
})
