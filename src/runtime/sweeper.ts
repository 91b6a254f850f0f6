import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Library } from '../media/library.ts'
import { runStraySweeper, runSweeper } from '../retention/sweeper.ts'

/** Removes old data until `stop` resolves. */
export async function sweepOldData({ retention }: Config, library: Library, log: Log, stop: Promise<unknown>) {
  const deps = {
    library,
    retention,
    clock: () => null,
    marking: {},
    pause: (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }),
    log,
  }
  await Promise.all([runSweeper(deps, stop), runStraySweeper(library, log, stop)])
}
