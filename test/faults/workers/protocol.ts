/** The points where a worker stops and reports, in the order in which a delivery passes them. */
export const STEPS = [
  /** A claim is committed; its deliveries have not started. */
  'claimed',
  /** Before `prepare`. */
  'preparing',
  /** `prepare` has returned `later`, which is not committed. */
  'waiting',
  /** Before the commit of the intent. */
  'intending',
  /** The intent is committed; the call is not made. */
  'intended',
  /** The network has carried out the call; its response is not read. */
  'called',
  /** The outcome of the call is known; it is not settled. */
  'responded',
  /** `publish` has returned `processing`, which is not committed. */
  'processing',
  /** Before `reconcile`. */
  'reconciling',
  /** `reconcile` has returned; the result is not settled. */
  'reconciled',
  /** A settlement is committed. */
  'settled',
] as const
export type Step = (typeof STEPS)[number]

/**
 * The fault of a worker at a step. at: it is killed while it is stopped there. after: it continues and is killed
 * immediately, somewhere inside the statement or call that follows. lose: the database's response to the last commit is
 * lost. stall: it stays suspended until another worker has taken over its deliveries, and then continues.
 */
export type Trouble = 'at' | 'after' | 'lose' | 'stall'

/** A fault at the nth time that any worker reaches the step, counted from the end of the fault before it. */
export interface Planned {
  trouble: Trouble
  step: Step
  nth: number
}

/** Messages from the test to the killer. */
export interface Job {
  plan: Planned[]
  /** Number of workers that run at the same time. */
  workers: number
  /** The time at which the workers' clock starts, in milliseconds. */
  now: number
  databaseUrl: string
  mediaDir: string
  /** Address of the fake Telegram. */
  telegram: string
}

/** How far an act had come when its worker was killed or suspended. */
export interface Interrupted {
  /** The token of the act. */
  act: string
  step: Step
  /** Whether the worker had continued from that step, so that it may have come almost to the next one. */
  hasContinued: boolean
  /** Whether the database's response to its intent was lost, so that its call is not made. */
  isResponseLost: boolean
}

export interface Report {
  /** The faults that were injected. */
  done: Planned[]
  /** The faults that were not injected, because no worker reached the step. */
  left: Planned[]
  interrupted: Interrupted[]
  workers: number
}

/** From a worker to the killer. */
export type FromWorker =
  | { type: 'ready' | 'renewed' }
  | { type: 'step'; id: number; step: Step; act: string | null }
  | { type: 'idle'; nextDueInMs: number | null }
  | { type: 'error'; message: string }

/** From the killer to a worker. */
export type ToWorker =
  | { type: 'clock'; now: number; renew: boolean }
  | { type: 'work' }
  | { type: 'go'; id: number; lose: boolean }

/**
 * From the killer to the test. settle: wait until nothing of a killed worker is still arriving. more: create more
 * posts. report: the end. The test replies to the first two with `done`.
 */
export type FromKiller = { type: 'settle'; worker: string } | { type: 'more' } | { type: 'report'; report: Report }
export type ToKiller = { type: 'job'; job: Job } | { type: 'done' }
