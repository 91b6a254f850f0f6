import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'
import { filesIn, form, isClean, jpeg } from '../helpers/upload.ts'

/** The service on a TCP port, and the head of an upload request with `length` as its Content-Length. */
async function listening(t: Parameters<typeof createWorld>[0], options: Parameters<typeof createWorld>[1] = {}) {
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
  const head = (type: string, length: number | string) =>
    `POST /api/v1/media HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ada.key}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`
  return { ...world, ada, port, connect, head }
}

t.test('an upload that the client aborts leaves no file', async (t) => {
  const { db, mediaDir, connect, head, app } = await listening(t)
  const image = await jpeg()
  const { type, body } = await form([['file', image]])
  for (const end of ['destroy', 'resetAndDestroy', 'end'] as const) {
    for (const part of [0, 10, 200, body.length - 30, body.length - 1]) {
      const socket = await connect()
      socket.write(head(type, body.length))
      socket.write(body.subarray(0, part))
      if (part > 100) await until('the file is being received', async () => (await filesIn(mediaDir)).length > 0)
      socket[end]()
      await until(`no file is left after ${end} at ${part} bytes`, () => isClean(db, mediaDir, 0))
    }
  }
  t.ok(app.server.listening)
})

/** The text that arrives on `socket`. A reset is one way to end a connection, and keeps what arrived before it. */
function collect(socket: net.Socket) {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

t.test('a large upload that is refused gets its response while the client is still sending', async (t) => {
  const { connect, head, mediaDir } = await listening(t, { media: { bytesMax: 100_000 } })
  const { type, body } = await form([['file', randomBytes(300_000)]])
  const socket = await connect()
  const received = collect(socket)
  socket.write(head(type, 10_000_000))
  socket.write(body.subarray(0, 200_000))
  await until('the response is complete', () => received().endsWith('}'))
  t.match(received(), /^HTTP\/1\.1 413 .*\r\n\r\n\{"error":"File is larger than 100000 bytes"\}$/s)

  const sendMore = () => {
    if (!socket.destroyed) socket.write(Buffer.alloc(1_000))
    return socket.destroyed
  }
  await until('the server closes the connection of a client that keeps sending', sendMore, { intervalMs: 100 })
  t.strictSame(await filesIn(mediaDir), [])
})

t.test('an upload may take longer than other requests, as long as bytes arrive', async (t) => {
  const { connect, head, mediaDir, db } = await listening(t)
  const chunk = 'a'.repeat(20_000)
  const start = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
  const end = '\r\n--x--\r\n'
  /** Sends `chunks` of 12 chunks, one per second, and then the end of the form if all were sent. */
  const responseTo = async (chunks: number) => {
    const socket = await connect()
    const received = collect(socket)
    socket.write(head('multipart/form-data; boundary=x', start.length + 12 * chunk.length + end.length) + start)
    let sent = 0
    const sendNext = () => {
      if (received().endsWith('}')) return true
      if (sent < chunks) socket.write(chunk)
      else if (sent === 12) socket.write(end)
      sent++
      return false
    }
    await until(`a response to an upload of ${chunks} chunks`, sendNext, { intervalMs: 1_000, timeoutMs: 120_000 })
    return received()
  }
  const [steady, stalled] = await Promise.all([responseTo(12), responseTo(2)])
  t.match(steady, /^HTTP\/1\.1 400 .*"error":"file type is not supported/s, 'read to its end, after 13 seconds')
  t.match(stalled, /^HTTP\/1\.1 408 .*\r\n\r\n\{"error":"Request was not complete in time"\}$/s)
  await until('no file is left', () => isClean(db, mediaDir, 0))
})
