import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import type { Teardown } from './database.ts'

/**
 * A proxy that loses connections: the first one that has sent more than `cuts[0]` bytes, then one that has sent
 * `cuts[1]`, and so on. `cuts` has those that are still to come. `port` is the service that it leads to now.
 */
export async function startCuttingProxy(t: Teardown, target: { port: number }, cuts: number[]): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = createConnection({ host: '127.0.0.1', port: target.port })
    let sent = 0
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => to.end())
      from.pipe(to, { end: false })
    }
    client.on('data', (chunk) => {
      sent += chunk.length
      if (cuts[0] === undefined || sent <= cuts[0]) return
      cuts.shift()
      client.resetAndDestroy()
      upstream.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
