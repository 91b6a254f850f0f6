import { setTimeout as pause } from 'node:timers/promises'
import { LOOK_EVERY_MS } from '../../engine/delivery/timing.ts'
import type { Lookout, WorkKind } from './loop.ts'

/** The next look after a task has worked: it may have stored work for another one. */
const LOOK_AGAIN_MS = 200
/** Work that is due within this time has an alarm. The next look comes earlier, if the database responds. */
const ALARM_WITHIN_MS = 5_000
/** A timer may end this much early. */
const TIMER_SLACK_MS = 1

/** Milliseconds until work of each kind is due, 0 or less if it is; null without such work. */
type NextWork = Record<WorkKind, number | null>

/** Looks for the work of all idle tasks. `read` does so with one statement. */
export function createLookout(read: () => Promise<NextWork>): Lookout {
  const wakes = new Map<WorkKind, () => void>()
  const alarms = new Map<WorkKind, NodeJS.Timeout>()
  let stirred = Promise.withResolvers<void>()

  function wakeIn(kind: WorkKind, inMs: number | null, wake: () => void): void {
    clearTimeout(alarms.get(kind))
    if (inMs === null || inMs > ALARM_WITHIN_MS) return
    if (inMs <= 0) wake()
    else alarms.set(kind, setTimeout(wake, inMs + TIMER_SLACK_MS))
  }

  return {
    task: {
      outage: { begin: 'due work cannot be looked for', end: 'due work is looked for again' },
      retryMs: LOOK_EVERY_MS,
      async round() {
        try {
          const next = await read()
          for (const [kind, wake] of wakes) wakeIn(kind, next[kind], wake)
          return LOOK_EVERY_MS
        } catch (error) {
          for (const wake of wakes.values()) wake()
          throw error
        }
      },
      async wake() {
        await stirred.promise
        stirred = Promise.withResolvers()
        await pause(LOOK_AGAIN_MS, undefined, { ref: false })
      },
      async end() {
        for (const alarm of alarms.values()) clearTimeout(alarm)
      },
    },
    on: (kind, wake) => void wakes.set(kind, wake),
    stir: () => stirred.resolve(),
  }
}
