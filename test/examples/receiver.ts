/**
 * Receives the events of a webhook: verifies each request, takes each event once, and responds before it works.
 *
 *     npm install standardwebhooks
 *     WEBHOOK_SECRET=whsec_… PORT=8080 node receiver.ts
 *
 * Node 22.18 or newer runs it as it is, in a package whose `type` is `module`.
 */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET!)

/** The ids of events that have arrived. Keep them in a database: an event may arrive again days later. */
const seen = new Set<string>()

const server = createServer(async (request, response) => {
  // The signature is of these bytes: do not parse and encode them again.
  const body = await text(request)
  let event: { id: string; type: string; data: unknown }
  try {
    event = webhook.verify(body, request.headers as Record<string, string>) as typeof event
  } catch {
    response.writeHead(401).end()
    return
  }
  const isNew = !seen.has(event.id)
  seen.add(event.id)
  response.writeHead(204).end()
  if (isNew) process.stdout.write(`${event.type} ${JSON.stringify(event.data)}\n`)
})

server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  process.stdout.write(`listening: ${JSON.stringify(server.address())}\n`)
})
