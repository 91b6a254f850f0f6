import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import net, { type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const TIMES = {
  /** For how long new connections are accepted after the signal: load balancers need it to choose another process. */
  lingerMs: 3_000,
  /**
   * For how long idle connections are kept after that. Every response says that its connection ends, so that only those
   * are closed that no client has used for this time.
   */
  idleMs: 3_000,
  /** The limit for requests that still run, from the signal. */
  drainMs: 8_000,
}
const POLL_MS = 100

/** Stops a server in such an order that neither its clients nor a load balancer lose a request. */
export interface Drain {
  /** Stops the server. With `lingers`, it accepts connections for a moment longer. */
  stop(options: { lingers: boolean }): Promise<void>
}

/** Call it before the server listens: a drain has to know all connections. */
export function createDrain(app: FastifyInstance, { lingerMs, idleMs, drainMs } = TIMES): Drain {
  const { server } = app
  const sockets = new Set<Socket>()
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted++
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return {
    async stop({ lingers }) {
      const deadline = setTimeout(() => server.closeAllConnections(), drainMs).unref()
      if (lingers) {
        await sleep(lingerMs, undefined, { ref: false })
        await closeListener(server, () => accepted)
      }
      // Not while it lingers: every request would then need a new connection, and the end of the listener would meet
      // one.
      closeAfterResponses(server, sockets)
      if (lingers) await untilClosed(sockets, idleMs)
      // Fastify would close idle connections, whatever is on its way to them.
      await closeIdle(server, sockets)
      // A connection whose response began before the signal becomes idle later.
      const idle = setInterval(() => void closeIdle(server, sockets), POLL_MS)
      await app.close()
      clearInterval(idle)
      clearTimeout(deadline)
    },
  }
}

/**
 * Closes idle connections in a quiet turn: the kernel resets a connection whose request has arrived and was not read
 * yet. Node does not count a connection as idle that has never sent a request, such as one that a browser opens early.
 */
async function closeIdle(server: Server, sockets: Set<Socket>): Promise<void> {
  await untilQuiet(() => sockets.size)
  server.closeIdleConnections()
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
}

/** Waits until no connection is left, at most for `maxMs`. */
async function untilClosed(sockets: Set<Socket>, maxMs: number): Promise<void> {
  const until = performance.now() + maxMs
  while (sockets.size > 0 && performance.now() < until) await sleep(POLL_MS)
}

/** Makes every response say that its connection ends, those to running requests included. */
function closeAfterResponses(server: Server, sockets: Set<Socket>): void {
  const close = (_request: IncomingMessage, response: ServerResponse) => response.setHeader('connection', 'close')
  server.prependListener('request', close)
  server.prependListener('checkExpectation', close)
  for (const socket of sockets) {
    // Node keeps the current response of a connection here. To note every response would cost every request.
    const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse }
    if (response && !response.headersSent) response.setHeader('connection', 'close')
  }
}

/**
 * Closes the listener, but no connection, in a turn of the event loop in which none was waiting: the kernel resets
 * those that it has accepted and Node has not, and the client cannot know whether its request was carried out. Node
 * accepts one connection a turn.
 */
async function closeListener(server: Server, accepted: () => number): Promise<void> {
  await untilQuiet(accepted)
  // The `close` of an HTTP server would close idle connections as well.
  net.Server.prototype.close.call(server)
}

/** The limit of a wait for a quiet turn. */
const QUIET_MS = 500

/** Waits for a turn of the event loop in which `count` stayed the same and nothing else took time. */
async function untilQuiet(count: () => number): Promise<void> {
  const until = performance.now() + QUIET_MS
  for (;;) {
    const before = count()
    const turnedAt = performance.now()
    await nextTurn()
    const now = performance.now()
    if ((count() === before && now - turnedAt < 0.1) || now > until) return
  }
}
