import type { FastifyServerOptions } from 'fastify'
import { type DestinationStream, destination } from 'pino'

/** Options of pino: JSON lines on stderr, or readable lines if stderr is a terminal. */
export async function createLoggerOptions(level: string): Promise<NonNullable<FastifyServerOptions['logger']>> {
  // Imported on demand: it takes 7 MB of memory.
  const pretty = process.stderr.isTTY && (await import('pino-pretty')).default
  return {
    level,
    stream: pretty ? pretty({ destination: 2, sync: true, ignore: 'pid,hostname' }) : createStderrStream(),
    serializers: { err: serializeError },
  }
}

/** Writes the lines of one turn of the event loop together: one write per line adds a tenth to a short request. */
function createStderrStream(): DestinationStream {
  const lines = destination({ dest: 2, sync: true, minLength: 8 * 1024 })
  let isFlushScheduled = false
  const flush = () => {
    isFlushScheduled = false
    lines.flushSync()
  }
  process.on('exit', flush)
  return {
    write(line) {
      lines.write(line)
      if (!isFlushScheduled) setImmediate(flush)
      isFlushScheduled = true
    },
  }
}

/**
 * Serialises an error for the log. The message and the detail of a Postgres error may quote a row, and with it a caption, so
 * the log leaves them out. Other properties of an error are left out as well.
 */
export function serializeError(
  error: Error & Partial<Record<'code' | 'severity' | 'constraint' | 'atConnect', string>>,
) {
  const { name, message, code, severity, constraint, atConnect, stack = '' } = error
  const isFromPostgres = severity !== undefined && !atConnect
  // The heading is removed as a whole: lines of the message may look like lines of the stack.
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
