import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Postroom, type PostroomOptions } from '../../src/clients/sdk/index.ts'
import type { Teardown } from './database.ts'

interface SeenRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
  at: number
}

/**
 * The reaction of the service to one request: a status with headers and a body, or a function that handles the
 * response.
 */
export type Answer =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse) => unknown)

/** A server that gives `answers` in order, the last one for ever, and a client of it. */
export async function scriptService(t: Teardown, answers: Answer[], options: Partial<PostroomOptions> = {}) {
  const seen: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const at = performance.now()
    const body = await text(request).catch(() => 'cut off')
    seen.push({ method: request.method!, url: request.url!, headers: request.headers, body, at })
    const answer = answers[Math.min(seen.length, answers.length) - 1]!
    if (typeof answer === 'function') {
      answer(response)
      return
    }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { seen, baseUrl, client: new Postroom({ key: 'pr_test', baseUrl, ...options }) }
}
