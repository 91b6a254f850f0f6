import type { JournalFiles } from '../../base/storage/journal.ts'
import type { Storage } from '../../base/storage/storage.ts'
import type { Metrics } from './metrics.ts'

type StorageMetrics = Pick<Metrics, 'storageErrors'>

/** The same storage, with its errors counted by operation. */
export const countStorageErrors = (storage: Storage, metrics: StorageMetrics): Storage =>
  countErrors(storage, metrics, (operation) => operation)

/** The same files, with their errors counted as those of one operation. */
export const countJournalErrors = (files: JournalFiles, metrics: StorageMetrics): JournalFiles =>
  countErrors(files, metrics, () => 'journal')

/** Counts the errors of files that come in. */
export function countReceiveErrors({ storageErrors }: StorageMetrics): () => void {
  const labels = { operation: 'receive' }
  storageErrors.inc(labels, 0)
  return () => storageErrors.inc(labels)
}

function countErrors<T extends object>(
  target: T,
  { storageErrors }: StorageMetrics,
  operationOf: (method: string) => string,
): T {
  const counted = Object.entries(target).map(([name, method]) => {
    const operation = operationOf(name)
    storageErrors.inc({ operation }, 0)
    const run = async (...args: unknown[]) => {
      try {
        return await method(...args)
      } catch (error) {
        storageErrors.inc({ operation })
        throw error
      }
    }
    return [name, run]
  })
  return Object.fromEntries(counted)
}
