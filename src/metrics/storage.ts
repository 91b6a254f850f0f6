import type { Storage } from '../storage/storage.ts'
import type { Metrics } from './metrics.ts'

/** The same storage, with its errors counted by operation. */
export function countStorageErrors(storage: Storage, { storageErrors }: Pick<Metrics, 'storageErrors'>): Storage {
  const counted = Object.entries(storage).map(([operation, method]) => {
    storageErrors.inc({ operation }, 0)
    const run = async (...args: unknown[]) => {
      try {
        return await method(...args)
      } catch (error) {
        storageErrors.inc({ operation })
        throw error
      }
    }
    return [operation, run]
  })
  return Object.fromEntries(counted)
}
