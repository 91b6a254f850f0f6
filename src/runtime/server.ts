import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { type DestinationStream, destination } from 'pino'
import type { Config } from '../config.ts'

/** Requests that still run when the service is told to stop have this long to finish. */
const DRAIN_MS = 8_000
const GONE_MS = 9_500
const IDLE_POLL_MS = 100

/** Listens, and gives the address. Throws a plain Error that says what to do where the port can't be had. */
export async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  await app.ready()
  giveBackMemory()
  try {
    // For the name localhost, Fastify would open a second server, for ::1, that nothing here looks after.
    const address = host === 'localhost' ? '127.0.0.1' : host
    await app.listen({ host: address, port, listenTextResolver: (url) => `listening on ${url}` })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new Error(
        `Port ${port} is taken. Stop what listens there, or choose another port: PORT=${port + 1} make start`,
      )
    }
    if (code === 'EACCES') throw new Error(`Port ${port} needs privileges. Choose one above 1023: PORT=3000 make start`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new Error(`HOST ${host} is no address of this machine. Use 127.0.0.1, or 0.0.0.0 for all of its addresses`)
    }
    throw error
  }
  const address = app.server.address() as AddressInfo
  const name = host === '127.0.0.1' || host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`
}

/**
 * What only starting took: 40 MB of 150, which V8 would keep. With them, an upload of any size stays below 200 MB without
 * a young generation so small that requests wait for its garbage. https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
function giveBackMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined
  collect?.({ type: 'major', flavor: 'last-resort' })
}

/**
 * Comes back at the first SIGTERM or SIGINT. Further ones are ignored: a terminal sends one, and npm sends it again.
 * Whatever still hangs after GONE_MS ends with the process.
 */
export const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        setTimeout(() => process.exit(1), GONE_MS).unref()
        resolve()
      })
    }
  })

/** Accepts nothing more, finishes what runs (for DRAIN_MS at most), and comes back. */
export async function drain(app: FastifyInstance): Promise<void> {
  // Fastify closes the connections that are idle now; one that has just had its answer would be kept for the next request.
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_POLL_MS)
  const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  await app.close()
  clearInterval(idle)
  clearTimeout(deadline)
}

/** Structured lines on stderr; on a terminal, lines for people. Of an error from the database only what holds no data. */
export async function loggerOptions(level: string): Promise<NonNullable<FastifyServerOptions['logger']>> {
  // Loaded where it is used: it takes 7 MB.
  const pretty = process.stderr.isTTY && (await import('pino-pretty')).default
  return {
    level,
    stream: pretty ? pretty({ destination: 2, sync: true, ignore: 'pid,hostname' }) : standardError(),
    serializers: { err: serializeError },
  }
}

/** Lines of one turn of the event loop go out together: a write for each would cost a short request a tenth of its time. */
function standardError(): DestinationStream {
  const lines = destination({ dest: 2, sync: true, minLength: 8 * 1024 })
  let isAwaited = false
  const flush = () => {
    isAwaited = false
    lines.flushSync()
  }
  process.on('exit', flush)
  return {
    write(line) {
      lines.write(line)
      if (!isAwaited) setImmediate(flush)
      isAwaited = true
    },
  }
}

/**
 * An error without its further properties. What Postgres says of a failed statement may quote a row, and with it a
 * caption: its message, detail and the like stay out of the log.
 */
export function serializeError(
  error: Error & Partial<Record<'code' | 'severity' | 'constraint' | 'atConnect', string>>,
) {
  const { name, message, code, severity, constraint, atConnect, stack = '' } = error
  const isFromPostgres = severity !== undefined && !atConnect
  // Cut off as a whole, for the message may have lines that look like the stack's.
  const heading = `${name}: ${message}`
  const frames = stack.startsWith(heading) ? stack.slice(heading.length) : ''
  return {
    type: name,
    code,
    ...(isFromPostgres && { severity, constraint }),
    message: isFromPostgres ? 'Postgres refused a statement' : message,
    stack: isFromPostgres ? frames : stack,
  }
}
