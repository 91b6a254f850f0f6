import { writeSync } from 'node:fs'
import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'
import type { DestinationStream } from 'pino'
import { VERSION } from '../../base/version.ts'
import type { Config } from '../config/config.ts'
import { escapeControls, escapeStrings } from './terminal.ts'

/** The facts in the first log line of a process. */
export const processFacts = (command: 'start' | 'serve' | 'worker') => ({
  command,
  version: VERSION,
  node: process.version,
})

/**
 * Logs a warning if the environment names a proxy. A proxy would resolve names itself, after this service checked them.
 */
export function reportIgnoredProxies(
  { ignoredProxies: [variable] }: Config,
  log: Pick<FastifyBaseLogger, 'warn'>,
): void {
  if (!variable) return
  log.warn(
    { variable },
    'the proxy for outgoing requests is not used: this process has to reach ports 80 and 443 of the internet directly',
  )
}

/** Node keeps 10 frames by default. pg and Kysely can fill them, and the log would not show which query failed. */
export function keepLongStacks(): void {
  Error.stackTraceLimit = 20
}

/** Options of pino: JSON lines on stderr, or readable lines if stderr is a terminal. */
export async function createLoggerOptions(level: string): Promise<NonNullable<FastifyServerOptions['logger']>> {
  keepLongStacks()
  // Imported on demand: it takes 7 MB of memory.
  const pretty = process.stderr.isTTY && (await import('pino-pretty')).default
  return {
    level,
    stream: pretty ? escapeLines(pretty({ destination: 2, sync: true, ignore: 'pid,hostname' })) : createStderrStream(),
    serializers: SERIALIZERS,
  }
}

/** For a stream that shows the strings of its lines as they are. */
const escapeLines = (stream: NodeJS.WritableStream): DestinationStream => ({
  write: (line) => void stream.write(`${escapeStrings(line)}\n`),
})

/** The most that one turn of the event loop collects before it is written. */
const CHARACTERS_MAX = 8 * 1024
const FULL_PIPE_PAUSE_MS = 10

/**
 * Writes the lines of one turn of the event loop together: one write per line adds a tenth to a short request. Lines
 * are lost while nobody reads stderr. Pino's own stream would wait for a reader for ever, and with it all requests: its
 * flushSync repeats a write that fails with EPIPE.
 */
function createStderrStream(): DestinationStream {
  let lines = ''
  let isFlushScheduled = false
  const flush = () => {
    isFlushScheduled = false
    // Somebody may look at it with a terminal.
    const bytes = Buffer.from(escapeControls(lines))
    lines = ''
    writeAll(bytes)
  }
  process.on('exit', flush)
  return {
    write(line) {
      lines += line
      if (lines.length > CHARACTERS_MAX) flush()
      if (!isFlushScheduled) setImmediate(flush)
      isFlushScheduled = true
    },
  }
}

function writeAll(bytes: Buffer): void {
  for (let start = 0; start < bytes.length; ) {
    try {
      start += writeSync(2, bytes, start)
    } catch (error) {
      // The pipe is full: its reader is slow.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_PAUSE_MS)
    }
  }
}

/**
 * How properties of lines are written. At the level `trace`, the multipart plugin logs all headers, and with them the
 * API key. A route's own `logSerializers` have no effect, because requests have no loggers of their own.
 */
export const SERIALIZERS = { err: serializeError, busboyOptions: () => undefined }

type LoggedError = Error &
  Partial<Record<'code' | 'severity' | 'constraint' | 'atConnect', string>> & {
    /** Errors of S3 have it. */
    $metadata?: { httpStatusCode?: number }
  }

interface SerializedError {
  type: string
  message: string
  stack: string
  [name: string]: unknown
}

/** Errors that cause each other are cut off here. */
const CAUSES_MAX = 3

/**
 * Serialises an error and its causes for the log. The message and the detail of a Postgres error may quote a row, and
 * with it a caption, so the log leaves them out. Other properties of an error are left out as well.
 */
export function serializeError(error: LoggedError): SerializedError {
  return serialize(error, CAUSES_MAX)
}

function serialize(error: LoggedError, causesMax: number): SerializedError {
  const { name, message, code, severity, constraint, atConnect, $metadata, cause, stack = '' } = error
  const isFromPostgres = severity !== undefined && !atConnect
  // The heading is removed as a whole: lines of the message may look like lines of the stack.
  const heading = `${name}: ${message}`
  const frames = stack.startsWith(heading) ? stack.slice(heading.length) : ''
  return {
    type: name,
    code,
    ...($metadata && { status: $metadata.httpStatusCode }),
    ...(isFromPostgres && { severity, constraint }),
    message: isFromPostgres ? 'Postgres refused a statement' : message,
    stack: isFromPostgres ? frames : stack,
    ...(cause instanceof Error && causesMax > 0 && { cause: serialize(cause, causesMax - 1) }),
  }
}
