import { setTimeout as pause } from 'node:timers/promises'
import { type Log, logOutages } from '../../base/log.ts'

export type WorkKind =
  | 'deliveries'
  | 'changes'
  | 'events'
  | 'words'
  | 'refreshes'
  | 'webhooks'
  | 'metrics'
  | 'renditions'
  | 'clocks'

/** A task that a worker repeats, in rounds. */
export interface Task {
  /** The log messages when rounds fail, and when they work again. Absent if a round logs its own failures. */
  outage?: { begin: string; end: string }
  /** The pause after a failed round, and without a lookout after one that found nothing. */
  retryMs: number
  /** The work that ends the pause after a round that found nothing. */
  kind?: WorkKind
  /** Does one round. Returns the milliseconds until the next one; null if it found nothing to do. */
  round(stop: AbortSignal): Promise<number | null>
  /** Ends a pause, or the one that would follow the current round, each time that it resolves. */
  wake?(): Promise<unknown>
  /** Is called when the worker stops. Resolves when nothing runs that a round has begun. */
  end?(): Promise<unknown>
}

/** Wakes the tasks that have found nothing to do. */
export interface Lookout {
  /** Looks for work. */
  task: Task
  /** Calls `wake` when work of this kind is due, and when it cannot look. */
  on(kind: WorkKind, wake: () => void): void
  /** Looks again soon, because a task has worked. */
  stir(): void
}

/** A lookout that misses work delays it by this time. */
const IDLE_MAX_MS = 30_000

/**
 * Runs tasks until `stop` resolves, and returns when all have ended. Polls, and keeps nothing open in the database
 * between two statements, so that a pooler in transaction mode may stand in between. With a lookout, tasks that find
 * nothing to do wait for it in place of polling.
 */
export async function work(tasks: Task[], log: Log, stop: Promise<unknown>, lookout?: Lookout): Promise<void> {
  const stopping = new AbortController()
  void stop.then(() => stopping.abort())
  const running = tasks.map((task) => repeat(task, log, stopping.signal, lookout))
  if (lookout) running.push(repeat(lookout.task, log, stopping.signal))
  await Promise.all(running)
}

async function repeat(task: Task, log: Log, stop: AbortSignal, lookout?: Lookout): Promise<void> {
  const { outage, retryMs, kind, round, wake, end } = task
  const outages = outage && logOutages(log, outage)
  let pausing = new AbortController()
  const wakeUp = () => pausing.abort()
  stop.addEventListener('abort', wakeUp)
  const idleMs = kind && lookout ? IDLE_MAX_MS : retryMs
  const stir = () => {
    if (kind) lookout?.stir()
  }
  if (kind) lookout?.on(kind, wakeUp)
  if (wake) {
    void callOnEach(wake, () => {
      wakeUp()
      stir()
    })
  }
  while (!stop.aborted) {
    pausing = new AbortController()
    let pauseMs: number | null = retryMs
    try {
      pauseMs = await round(stop)
      outages?.worked()
      if (pauseMs !== null) stir()
    } catch (error) {
      outages?.failed(error)
    }
    pauseMs ??= idleMs
    if (pauseMs > 0) await pause(pauseMs, undefined, { signal: pausing.signal }).catch(() => {})
  }
  await end?.()
}

/** One promise at a time: each pause would leave a reaction on a promise that resolves late. */
async function callOnEach(wait: () => Promise<unknown>, call: () => void): Promise<void> {
  for (;;) {
    await wait()
    call()
  }
}

/** The same task, without rounds while `isReady` returns false. */
export const whenReady = (isReady: () => boolean, task: Task): Task => ({
  ...task,
  round: async (stop) => (isReady() ? task.round(stop) : task.retryMs),
})
