/** The log of a process: the facts of an event, and a message that is the same for all events of its kind. */
export interface Log {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/** A loop logs an outage after so many failures in a row. A single one may be a timeout under load. */
export const OUTAGE_FAILURES = 2
