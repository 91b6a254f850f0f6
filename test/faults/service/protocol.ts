/** Kinds of faults. Those of the link come last: the API is connected through it from the first of them on. */
export const KINDS = [
  /** One of the API's backends is killed. Postgres then ends all others and recovers. */
  'backend killed',
  /** All processes of Postgres are killed. The embedded server starts it again. */
  'Postgres killed',
  /** The API is killed, and started again immediately. */
  'API killed',
  'both killed',
  /** All processes of Postgres are suspended for a while. */
  'Postgres suspended',
  /** Another session locks a table for a while. */
  'table locked',
  /** Other sessions take all connections for a while. */
  'connections taken',
  'link slow',
  'link reset',
  /** Everything that is sent is dropped, without notice to either end. */
  'link silent',
] as const
export type Kind = (typeof KINDS)[number]

export const isOfLink = (kind: Kind): boolean => kind.startsWith('link')

export interface Fault {
  kind: Kind
  /** When the fault began, in milliseconds of the epoch. */
  beganAt: number
  /** When Postgres accepted connections again, or the API, if that was killed. */
  overAt: number
}

/** The arguments of the fault process. */
export interface Job {
  /** Folder for the database, the files, and the logs of the clients. */
  folder: string
  /** The faults, in order. */
  plan: Kind[]
  /** Mean pause between two faults. */
  pauseMs: number
}

/** Messages of the fault process to its parent. */
export type FaultMessage =
  | { type: 'ready'; databaseUrl: string; clients: ClientJob }
  /** All faults are over. `exits` are the times at which the API ended without having been killed. */
  | { type: 'done'; faults: Fault[]; exits: number[] }

/** The arguments of the client process. */
export interface ClientJob {
  port: number
  userId: string
  key: string
  accountIds: string[]
  /** An account of another user. */
  foreignId: string
  acknowledgedLog: string
  otherLog: string
}

/*
 * Lines of both logs: time in milliseconds of the epoch, duration in milliseconds, status, and the number that the post
 * has as its caption. Lines of the log of acknowledged writes also have the post's id. There, 404 is a repeated delete
 * whose first response was lost. In the other log, the number of a failed delete is negative.
 */

/** The connection broke before a response. */
export const NO_RESPONSE = '0'
/** There was no response within the deadline. */
export const TIMED_OUT = '-1'

/** How long a client waits for a response. The service answers much earlier, on any machine. */
export const CLIENT_TIMEOUT_MS = 60_000

/**
 * Whether a post is created with an Idempotency-Key. A request without one is sent once: without a response, its post
 * may exist, once.
 */
export const hasKey = (number: number): boolean => number % 3 > 0
