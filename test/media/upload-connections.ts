import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { createWorld } from '../helpers/app.ts'

/** The service on a TCP port, and the head of a request of this Content-Length: an upload by default. */
export async function listening(t: Parameters<typeof createWorld>[0], options: Parameters<typeof createWorld>[1] = {}) {
  const world = await createWorld(t, options)
  const ada = await world.user()
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = world.app.server.address() as AddressInfo
  const connect = async () => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {})
    t.teardown(async () => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const head = (type: string, length: number | string, path = '/media') =>
    `POST /api/v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ada.key}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`
  return { ...world, ada, port, connect, head }
}

/** The text that arrives on `socket`. A reset is one way to end a connection, and keeps what arrived before it. */
export function collect(socket: net.Socket) {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}
