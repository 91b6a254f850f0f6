import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { filterStaged, forgetRemovedFiles, listLeases, markExpiredForDeletion } from '../../db/queries/staged-files.ts'
import { discardFile, LEASE, type Library } from './add.ts'

const POLL_MS = 500
/** Longer than any write that started earlier can take: an upload whose lease was lost, a storage that stores late. */
const WRITES_MAX_SECONDS = 3_600

export interface Swept {
  removed: number
  /** A message for each file that could not be deleted. The next sweep tries again. */
  failures: string[]
}

/**
 * Deletes the bytes that crashes and failures have left, in the storage and in `incomingDir`. Files that are being added
 * stay. To tell them from what a crash left, this waits until each lease is renewed or expired: up to the lease time.
 */
export async function sweepMedia(library: Library): Promise<Swept> {
  const { db } = library
  const before = new Map((await listLeases(db)).map(({ storageKey, renewedAt }) => [storageKey, renewedAt]))
  const swept: Swept = { removed: 0, failures: [] }
  const seen = new Set<string>()
  for (;;) {
    for (const file of await markExpiredForDeletion(db, LEASE.lastsMs / 1000)) {
      if (seen.has(file.storageKey)) continue
      seen.add(file.storageKey)
      await discardFile(library, file).then(
        (isRemoved) => {
          swept.removed += Number(isRemoved)
        },
        (error: Error) => {
          swept.failures.push(error.message)
        },
      )
    }
    const leases = await listLeases(db)
    if (!leases.some(({ storageKey, renewedAt }) => before.get(storageKey) === renewedAt)) break
    await sleep(POLL_MS)
  }
  await forgetRemovedFiles(db, WRITES_MAX_SECONDS)
  swept.removed += await removeStrays(library)
  return swept
}

/** Deletes received files without a row: another machine's sweep removed the row after a process died on this one. */
async function removeStrays({ db, incomingDir }: Library): Promise<number> {
  const names = await readdir(incomingDir).catch(() => [])
  const staged = await filterStaged(db, names)
  let removed = 0
  for (const name of names.filter((name) => !staged.has(name))) {
    const path = join(incomingDir, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
    if (mtimeMs > Date.now() - WRITES_MAX_SECONDS * 1000) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}
