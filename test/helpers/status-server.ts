import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Teardown } from './database.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A Mastodon server on this machine that knows every status, and the environment of processes that reach it. */
export async function startStatusServer(t: Teardown) {
  const pair = readFileSync(here('../samples/tls/server.pem'))
  let read = 0
  const server = createServer({ cert: pair, key: pair }, (request, response) => {
    const ids = new URL(request.url!, 'https://files.example').searchParams.getAll('id[]')
    read += ids.length
    const statuses = ids.map((id) => ({ id, favourites_count: 7, replies_count: 1, reblogs_count: 0, quotes_count: 0 }))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(statuses))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  const host = `files.example:${(server.address() as AddressInfo).port}`
  return {
    credentials: { instance: `https://${host}`, accessToken: 'token' },
    env: {
      METRICS: 'on',
      OUTBOUND_ALLOW: host,
      NODE_EXTRA_CA_CERTS: here('../samples/tls/ca.pem'),
      NODE_OPTIONS: `--import ${here('resolve-files-example.ts')}`,
    },
    /** The number of statuses that were read. */
    read: () => read,
  }
}
