import type { StagedFile } from '../../../db/queries/staged-files.ts'
import { createSlots } from '../../base/slots.ts'
import { type Storage, StorageError } from '../../base/storage/storage.ts'

/** A bucket gets a file in pieces of 5 MiB, each of which is in memory for as long as the bucket takes. */
export const PUTS_MAX = 16

const slots = createSlots({ max: PUTS_MAX, inTurns: true })

let last: { failedAt: number; error: StorageError } | undefined

/** Stores a file once it is the turn of its user. If the storage fails meanwhile, throws its error. */
export async function putInTurn(
  storage: Pick<Storage, 'put'>,
  { userId, storageKey }: StagedFile,
  path: string,
  mimeType: string,
): Promise<void> {
  const beganAt = performance.now()
  const giveBack = await slots.take(userId)
  try {
    // A storage that is away would take as long for each one that waits.
    if (last && last.failedAt > beganAt) throw last.error
    await storage.put(storageKey, path, mimeType)
  } catch (error) {
    if (error instanceof StorageError) last = { failedAt: performance.now(), error }
    throw error
  } finally {
    giveBack()
  }
}
