import type { Log } from '../../base/log.ts'
import { withTimeout } from '../../base/with-timeout.ts'
import { JOURNAL_WAIT_MS } from '../delivery/timing.ts'

/** Access to the storage of the journal, which may be away. */
export interface StorageWatch {
  /** The result of `work`; undefined if it fails or takes too long. */
  run<T>(work: () => Promise<T>): Promise<T | undefined>
  /** Whether the last work has failed. */
  isLost(): boolean
}

/** Logs once when the storage fails, and once when it works again. */
export function watchStorage(log: Log): StorageWatch {
  let isLost = false
  return {
    async run(work) {
      try {
        const result = await withTimeout(JOURNAL_WAIT_MS, work(), () => new Error('The storage does not respond'))
        if (isLost) log.info({}, 'the journal of what was sent is written again')
        isLost = false
        return result
      } catch (error) {
        if (!isLost) {
          log.error({ err: error }, 'the journal of what was sent cannot be written; it is kept in memory')
        }
        isLost = true
        return undefined
      }
    },
    isLost: () => isLost,
  }
}
