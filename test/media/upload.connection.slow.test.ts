import t from 'tap'
import { until } from '../helpers/until.ts'
import { isClean } from '../helpers/upload.ts'
import { collect, listening } from './upload-connections.ts'

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
