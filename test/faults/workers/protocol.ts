/** Where a worker can be stopped, in the order in which it gets there. */
export const STEPS = [
  /** Deliveries were claimed, and nothing was done about them. */
  'claimed',
  /** An act is about to be prepared. */
  'preparing',
  /** The network needs time before the call, and that is not committed. */
  'waiting',
  /** Its intent is about to be committed. */
  'intending',
  /** Its intent is committed, and its call not made. */
  'intended',
  /** The network has carried the call out, and its answer is not read. */
  'called',
  /** The answer is known, and not committed. */
  'answered',
  /** The network has accepted the call and works on it, and that is not committed. */
  'processing',
  /** What became of a call is about to be asked. */
  'asking',
  /** The network has told, and that is not committed. */
  'asked',
  /** An outcome is committed. */
  'settled',
] as const
export type Step = (typeof STEPS)[number]

/**
 * What happens to a worker at a step. at: it is killed standing there. after: it is let go on and killed at once, so that
 * the kill comes somewhere inside of the statement or call that follows. lose: the database's answer to what was just
 * committed is lost. stall: it stands still until others have taken over what it had, and then goes on.
 */
export type Trouble = 'at' | 'after' | 'lose' | 'stall'

/** What is to happen at the n-th time that any worker comes to this step, counted from when it is this one's turn. */
export interface Planned {
  trouble: Trouble
  step: Step
  nth: number
}

/** What the killer is told by the test. */
export interface Job {
  plan: Planned[]
  /** How many workers there are at a time. */
  workers: number
  /** What o'clock it is, in milliseconds. */
  now: number
  databaseUrl: string
  mediaDir: string
  /** Where the stand-in for Telegram listens. */
  telegram: string
}

/** Where an act was when its worker was killed or stood still. */
export interface Interrupted {
  /** The token of the act. */
  act: string
  step: Step
  /** Whether it had been let go on from there, and may have come as far as the next step. */
  isBeyond: boolean
  /** Whether the database's answer to its intent was lost, so that its call is not made. */
  isLost: boolean
}

export interface Report {
  /** What was carried out of the plan. */
  done: Planned[]
  /** What could not be, since no worker came to the step any more. */
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
 * From the killer to the test: what has become of everything that a dead worker had begun, a wish for more posts, and the
 * end. All but the last one are answered.
 */
export type FromKiller = { type: 'settle'; worker: string } | { type: 'more' } | { type: 'report'; report: Report }
export type ToKiller = { type: 'job'; job: Job } | { type: 'done' }
