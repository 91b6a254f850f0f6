import type { Log } from '../../base/log.ts'
import type { Library } from '../../features/media/library.ts'
import { removeStrays } from '../../features/media/sweep.ts'
import { RETRY_MS, SWEEP_EVERY_MS, type SweeperDeps, sweepIfDue } from '../../features/retention/sweeper.ts'
import type { Task } from './loop.ts'

const CHECK_EVERY_MS = 60_000

/** Removes old data. */
export const sweep = (deps: SweeperDeps): Task => ({
  retryMs: RETRY_MS,
  async round(stop) {
    try {
      await sweepIfDue(deps, stop)
      return CHECK_EVERY_MS
    } catch (error) {
      // Rounds are too rare to wait for a second failure.
      deps.log.error({ err: error }, 'old data could not be removed')
      return RETRY_MS
    }
  },
})

/**
 * Deletes what uploads to this process's machine have left in its folder of incoming files. With a bucket, each machine
 * has such a folder of its own.
 */
export const sweepStrays = (library: Library, log: Log): Task => ({
  retryMs: SWEEP_EVERY_MS,
  async round() {
    await removeStrays(library).catch((error) => log.error({ err: error }, 'incoming files could not be removed'))
    return SWEEP_EVERY_MS
  },
})
