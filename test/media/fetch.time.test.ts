import type { PassThrough } from 'node:stream'
import { mock } from 'node:test'
import t from 'tap'
import { until } from '../helpers/until.ts'
import { createWorld, outcome, refusal, serve } from './fetch-scene.ts'

// First: timers that an earlier test still has to clear would never be cleared once they are mocked.
t.test('a reader that is slower than the server does not count as a stall', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const PIECE = 4_000
  let write!: (bytes: string) => void
  const server = await serve(t, (socket) => {
    write = (bytes) => socket.write(bytes)
    write('HTTP/1.1 200 OK\r\n\r\n')
  })
  const open = async () => {
    const file = (await createWorld().fetch(`http://files.example:${server.port}/`)) as PassThrough
    let arrived = 0
    const emit = file.write.bind(file) as (chunk: Buffer) => boolean
    file.write = (chunk: Buffer) => {
      arrived += chunk.length
      return emit(chunk)
    }
    const send = async (bytes: number) => {
      for (const end = arrived + bytes; arrived < end; ) {
        const next = arrived + PIECE
        write('x'.repeat(PIECE))
        await until('the piece has arrived', () => arrived >= next, { intervalMs: 1 })
      }
    }
    return { file, send, nextWindow: () => mock.timers.tick(15_000) }
  }

  const first = await open()
  let held = 0
  for (; !first.file.writableNeedDrain; held += PIECE) await first.send(PIECE)
  for (let window = 0; window < 5; window++) first.nextWindow()
  t.equal(first.file.errored, null, 'paused all the time')
  first.file.destroy()

  const { file, send, nextWindow } = await open()
  await send(held - 2 * PIECE)
  nextWindow()
  await send(2 * PIECE)
  t.ok(file.writableNeedDrain)
  file.resume()
  await until('the stream has drained', () => !file.writableNeedDrain, { intervalMs: 1 })
  nextWindow()
  t.equal(file.errored, null, 'paused for a part of the time')
  await send(5 * PIECE)
  nextWindow()
  t.equal(file.errored, null, 'enough bytes have arrived')
  await send(PIECE)
  nextWindow()
  t.equal(file.errored?.message, refusal(server.port, 'took too long').message, 'too few bytes have arrived')
  await server.untilClosed()
})

t.test('a TLS handshake that never finishes is a timeout', async (t) => {
  const server = await serve(t, () => {})
  const { fetch } = createWorld({ responseMaxMs: 100 })
  t.strictSame(await outcome(fetch(`https://files.example:${server.port}/`)), refusal(server.port, 'took too long'))
  await server.untilClosed()
})

t.test('the whole file has to arrive within the total time, at any speed', async (t) => {
  const server = await serve(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const timer = setInterval(() => socket.write('x'.repeat(20_000)), 5)
    socket.on('close', () => clearInterval(timer))
  })
  const { fetch } = createWorld({ totalMaxMs: 300 })
  t.strictSame(await outcome(fetch(`http://files.example:${server.port}/`)), refusal(server.port, 'took too long'))
  await server.untilClosed()
  const unread = await fetch(`http://files.example:${server.port}/`)
  await server.untilClosed()
  t.equal(unread.errored?.message, refusal(server.port, 'took too long').message, 'also without a reader')
})
