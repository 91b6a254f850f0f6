/** The log of a process: the facts of an event, and a message that is the same for all events of its kind. */
export interface Log {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/** An outage is logged after this many failures in a row. A single one may be a timeout under load. */
const OUTAGE_FAILURES = 2

interface OutageLog {
  failed(error: unknown): void
  worked(): void
}

/** Logs when a loop no longer gets through, and when it does again, once each. */
export function logOutages(log: Log, messages: { begin: string; end: string }): OutageLog {
  let failures = 0
  return {
    failed(error) {
      if (++failures === OUTAGE_FAILURES) log.error({ err: error }, messages.begin)
    },
    worked() {
      if (failures >= OUTAGE_FAILURES) log.info({}, messages.end)
      failures = 0
    },
  }
}
