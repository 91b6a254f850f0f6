import type { Config } from '../config/config.ts'

/** The limit for the whole shutdown. */
const SHUTDOWN_MS = 9_500
const PARENT_POLL_MS = 500

interface Stop {
  /** Resolves at the first signal to stop. */
  requested: Promise<void>
  /** That signal; undefined before it. */
  signal: NodeJS.Signals | undefined
}

/**
 * Waits for SIGTERM, SIGINT or SIGHUP. Only the first counts: a terminal sends one to each process, and npm forwards
 * its own. The process exits SHUTDOWN_MS after it even if something still runs.
 *
 * SIGHUP stops the process under `nohup` too: Node resets ignored signals when it starts, so that it cannot recognise
 * them.
 * https://github.com/nodejs/node/pull/615
 */
export function waitForStopSignal({ isRunByNpm }: Config): Stop {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop: Stop = { requested: promise, signal: undefined }
  const request = (signal: NodeJS.Signals) => {
    if (stop.signal) return
    stop.signal = signal
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref()
    resolve()
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, request)
  if (isRunByNpm) whenOrphaned(() => request('SIGHUP'))
  return stop
}

/** npm forwards SIGTERM and SIGINT alone. Every other signal ends npm, and the process would run on without it. */
function whenOrphaned(react: () => void): void {
  const parent = process.ppid
  const poll = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(poll)
    react()
  }, PARENT_POLL_MS).unref()
}

/** Keeps SIGUSR1 from opening Node's inspector, through which anybody on the machine could run code in this process. */
export const ignoreInspectorSignal = () => process.on('SIGUSR1', () => {})
