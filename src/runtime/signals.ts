import type { Config } from '../config.ts'

/** The limit for the whole shutdown. */
const SHUTDOWN_MS = 9_500
const PARENT_POLL_MS = 500

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP. Further ones are ignored: a terminal sends one to each process, and npm
 * forwards its own. The process exits after SHUTDOWN_MS even if something still runs.
 *
 * SIGHUP stops the process under `nohup` too: Node resets ignored signals when it starts, so that they cannot be recognised.
 * https://github.com/nodejs/node/pull/615
 */
export const waitForStopSignal = ({ isRunByNpm }: Config): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => {
      setTimeout(() => process.exit(1), SHUTDOWN_MS).unref()
      resolve()
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
    if (isRunByNpm) whenOrphaned(stop)
  })

/** npm forwards SIGTERM and SIGINT alone. Every other signal ends npm, and the process would run on without it. */
function whenOrphaned(stop: () => void): void {
  const parent = process.ppid
  const poll = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(poll)
    stop()
  }, PARENT_POLL_MS).unref()
}

/** Keeps SIGUSR1 from opening Node's inspector, through which anybody on the machine could run code in this process. */
export const ignoreInspectorSignal = () => process.on('SIGUSR1', () => {})
