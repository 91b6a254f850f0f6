import { setTimeout as pause } from 'node:timers/promises'
import { type Log, logOutages } from '../log.ts'

/** A task that a worker repeats, in rounds. */
export interface Task {
  /** The log messages when rounds fail, and when they work again. Absent if a round logs its own failures. */
  outage?: { begin: string; end: string }
  /** The pause after a failed round. */
  retryMs: number
  /** Does one round. Returns the milliseconds until the next one. `stop` aborts when the worker stops. */
  round(stop: AbortSignal): Promise<number>
  /** Ends a pause, or the one that would follow the current round, each time that it resolves. */
  wake?(): Promise<unknown>
  /** Is called when the worker stops. Resolves when nothing runs that a round has begun. */
  end?(): Promise<unknown>
}

/**
 * Runs tasks until `stop` resolves, and returns when all have ended. Polls, and keeps nothing open in the database
 * between two statements, so that a pooler in transaction mode may stand in between.
 */
export async function work(tasks: Task[], log: Log, stop: Promise<unknown>): Promise<void> {
  const stopping = new AbortController()
  void stop.then(() => stopping.abort())
  await Promise.all(tasks.map((task) => repeat(task, log, stopping.signal)))
}

async function repeat({ outage, retryMs, round, wake, end }: Task, log: Log, stop: AbortSignal): Promise<void> {
  const outages = outage && logOutages(log, outage)
  let pausing = new AbortController()
  const wakeUp = () => pausing.abort()
  stop.addEventListener('abort', wakeUp)
  if (wake) void callOnEach(wake, wakeUp)
  while (!stop.aborted) {
    pausing = new AbortController()
    let pauseMs = retryMs
    try {
      pauseMs = await round(stop)
      outages?.worked()
    } catch (error) {
      outages?.failed(error)
    }
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
