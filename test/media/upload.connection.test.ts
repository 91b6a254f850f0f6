import { randomBytes } from 'node:crypto'
import t from 'tap'
import { until } from '../helpers/until.ts'
import { filesIn, form, isClean, jpeg } from '../helpers/upload.ts'
import { collect, listening } from './upload-connections.ts'

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
