import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { createDrain } from '../../src/run/runtime/drain.ts'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'

const LONG_MS = 1_000_000

/** A server with a drain, and one request that runs until `respond` is called. */
async function createServer(t: Test, times: { lingerMs: number; idleMs: number }) {
  const app = Fastify()
  const held = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  app.get('/', async () => 'ok')
  app.get('/held', async () => {
    isHeld.resolve()
    await held.promise
    return 'ok'
  })
  const drain = createDrain(app, { ...times, drainMs: LONG_MS })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => {
    app.server.closeAllConnections()
    app.server.close()
  })
  const { port } = app.server.address() as AddressInfo
  return { drain, port, isHeld: isHeld.promise, respond: held.resolve }
}

/** A connection that stays open, and what it received. */
async function open(t: Test, port: number) {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  const received = { text: '', hasEnded: false }
  socket.on('data', (chunk) => {
    received.text += chunk
  })
  socket.on('end', () => {
    received.hasEnded = true
  })
  return { send: (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`), received }
}

const untilRefused = (port: number) =>
  until('connections are refused', async () => {
    const socket: Socket = connect(port, '127.0.0.1')
    return Promise.race([
      once(socket, 'connect').then(() => socket.destroy() && false),
      once(socket, 'error').then(() => true),
    ]).catch(() => true)
  })

t.test('while a server lingers, it takes new connections, and keeps them', async (t) => {
  const { drain, port } = await createServer(t, { lingerMs: LONG_MS, idleMs: 0 })
  const kept = await open(t, port)
  drain.stop({ lingers: true })
  const fresh = await open(t, port)
  for (const { send, received } of [kept, fresh]) {
    send('/')
    await until('the response arrives', () => received.text.endsWith('ok'))
    t.match(received.text, /^HTTP\/1.1 200 [\s\S]*connection: keep-alive\r\n/i)
  }
})

t.test('after the listener, every response ends its connection, also on connections that were idle', async (t) => {
  const { drain, port, isHeld, respond } = await createServer(t, { lingerMs: 0, idleMs: LONG_MS })
  const [idle, running] = [await open(t, port), await open(t, port)]
  running.send('/held')
  await isHeld
  const stopped = drain.stop({ lingers: true })
  await untilRefused(port)
  idle.send('/')
  respond()
  for (const { received } of [idle, running]) {
    await until('the connection ends', () => received.hasEnded)
    t.match(received.text, /^HTTP\/1.1 200 [\s\S]*connection: close\r\n[\s\S]*ok$/i)
  }
  await stopped
})

t.test('without a request, idle connections do not keep the server', async (t) => {
  const { drain, port } = await createServer(t, { lingerMs: 0, idleMs: 1 })
  const kept = await open(t, port)
  await drain.stop({ lingers: true })
  await until('the connection ends', () => kept.received.hasEnded)
  t.equal(kept.received.text, '')
})

t.test('after SIGTERM, /readyz is 503 and /healthz 200 until the listener closes', async (t) => {
  const service = await runService('serve', { DATABASE_URL: await createDatabase(t) })
  t.teardown(() => service.stop('SIGKILL'))
  const probe = async (path: string) => {
    const { status, headers } = await fetch(new URL(path, service.facts.api))
    return [status, headers.get('x-error-code')]
  }
  t.strictSame(await probe('/readyz'), [200, null])
  const stopped = service.stop('SIGTERM')
  await until('it is not ready', async () => (await probe('/readyz'))[1] === 'stopping')
  t.strictSame(await probe('/healthz'), [200, null])
  t.equal(await stopped, 0)
})
