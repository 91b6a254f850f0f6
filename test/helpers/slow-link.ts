import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'

const PIECES_PER_SECOND = 20

/** A proxy whose clients share a link that gives them so many bytes a second. Returns its origin. */
export async function startSlowLink(t: Test, origin: string, bytesPerSecond: number): Promise<string> {
  const { hostname, port } = new URL(origin)
  const sockets = new Set<Socket>()
  let turn: Promise<unknown> = Promise.resolve()
  /** Waits until the link has sent `bytes`, after those of others. */
  const send = (bytes: number) => {
    turn = turn.then(() => sleep((bytes / bytesPerSecond) * 1000))
    return turn
  }
  const server = createServer((client) => {
    const upstream = createConnection({ host: hostname, port: Number(port) })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    client.on('close', () => upstream.destroy())
    client.pipe(upstream)
    const forward = async () => {
      for await (const chunk of upstream as AsyncIterable<Buffer>) {
        const pieceBytes = Math.ceil(bytesPerSecond / PIECES_PER_SECOND)
        for (let start = 0; start < chunk.length && !client.destroyed; start += pieceBytes) {
          const piece = chunk.subarray(start, start + pieceBytes)
          await send(piece.length)
          client.write(piece)
        }
      }
      client.end()
    }
    forward().catch(() => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
