/** The limit for the whole shutdown. */
const SHUTDOWN_MS = 9_500

/**
 * Resolves at the first SIGTERM or SIGINT. Further ones are ignored: a terminal sends one to each process, and npm forwards
 * its own. The process exits after SHUTDOWN_MS even if something still runs.
 */
export const waitForStopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        setTimeout(() => process.exit(1), SHUTDOWN_MS).unref()
        resolve()
      })
    }
  })
