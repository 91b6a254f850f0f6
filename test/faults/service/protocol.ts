/** What is done to the service and its database. The last three are done to the link between them. */
export const KINDS = [
  /** One of the service's backends is killed, upon which Postgres ends the others and recovers. */
  'backend killed',
  /** All of Postgres is killed, and started again as the embedded server is. */
  'Postgres killed',
  /** The process of the API is killed, and started again at once. */
  'API killed',
  'both killed',
  /** All of Postgres stands still for a while. */
  'Postgres stopped',
  /** Somebody locks a table for a while. */
  'table locked',
  /** Others have all connections that there are. */
  'connections taken',
  'link slow',
  'link reset',
  /** What is sent does not arrive, and neither end hears of it. */
  'link swallows',
] as const
export type Kind = (typeof KINDS)[number]

export interface Fault {
  kind: Kind
  /** When it began, and when Postgres took connections again, or the API, if that was killed: milliseconds since 1970. */
  beganAt: number
  overAt: number
}

/** What the killer is told by whoever forks it. */
export interface Job {
  /** A folder for the database, the files, and the logs of the clients. */
  folder: string
  /** In this order; those of the link come last. */
  plan: Kind[]
  /** For how long there is load between two faults, at least. */
  pauseMs: number
}

/** What the killer tells. */
export type FromKiller =
  | { type: 'up'; databaseUrl: string; clients: ClientJob }
  /** Everything has been done; `exits` is when the API ended without having been killed. */
  | { type: 'done'; faults: Fault[]; exits: number[] }

/** What the clients are told. */
export interface ClientJob {
  port: number
  userId: string
  key: string
  accountIds: string[]
  /** Of somebody else. */
  foreignId: string
  acknowledgedLog: string
  otherLog: string
}

/**
 * Lines in the log of what was acknowledged: when and how long it took (in milliseconds), the status, the number that
 * stands in the caption, the post's id. 404 is the end of a delete whose answer was lost before.
 */
export type Acknowledged = [at: number, ms: number, status: 200 | 201 | 404, number: number, id: string]
/** The same of other answers; the status is 0 where the connection broke. */
export type Other = [at: number, ms: number, status: number, number: number]

/**
 * Whether the creating of a post goes under an Idempotency-Key. One without is tried once: where no answer tells what came
 * of it, it may be there, once.
 */
export const hasKey = (number: number): boolean => number % 3 > 0
