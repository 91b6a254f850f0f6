import t from 'tap'
import { until } from '../helpers/until.ts'
import { isClean } from '../helpers/upload.ts'
import { collect, listening } from './upload-connections.ts'

interface Body {
  type: string
  path: string
  start: string
  end: string
}
const FORM: Body = {
  type: 'multipart/form-data; boundary=x',
  path: '/media',
  start: '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
  end: '\r\n--x--\r\n',
}
const POST: Body = { type: 'application/json', path: '/posts', start: '{"caption":"', end: '"}' }

t.test('a long body may take longer than other requests, as long as bytes arrive', async (t) => {
  const { connect, head, mediaDir, db } = await listening(t)
  const chunk = 'a'.repeat(20_000)
  /** Sends `chunks` of 12 chunks, one per second, and then the end of the body if all were sent. */
  const responseTo = async ({ type, path, start, end }: Body, chunks: number) => {
    const socket = await connect()
    const received = collect(socket)
    socket.write(head(type, start.length + 12 * chunk.length + end.length, path) + start)
    let sent = 0
    const sendNext = () => {
      if (received().endsWith('}')) return true
      if (sent < chunks) socket.write(chunk)
      else if (sent === 12) socket.write(end)
      sent++
      return false
    }
    await until(`a response to ${chunks} chunks for ${path}`, sendNext, { intervalMs: 1_000, timeoutMs: 120_000 })
    return received()
  }
  const TIMED_OUT = /^HTTP\/1\.1 408 .*\r\n\r\n\{"error":"Request was not complete in time"\}$/s
  const [steadyForm, stalledForm, steadyPost, stalledPost] = await Promise.all(
    [FORM, POST].flatMap((body) => [responseTo(body, 12), responseTo(body, 2)]),
  )
  t.match(steadyForm, /^HTTP\/1\.1 400 .*"error":"file type is not supported/s, 'read to its end, after 13 seconds')
  t.match(steadyPost, /^HTTP\/1\.1 400 .*accountIds/s)
  t.match(stalledForm, TIMED_OUT)
  t.match(stalledPost, TIMED_OUT)
  await until('no file is left', () => isClean(db, mediaDir, 0))
})
