import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { doomAbandonedFiles, filterLoose, forgetRemovedFiles, listClaimedFiles } from '../../db/queries/staged-files.ts'
import { discardFile, LEASE, type Library } from './add.ts'

const POLL_MS = 500
/** Longer than anything that was begun before can take: an upload without a claim, a store that finishes late. */
const OVER_SECONDS = 3_600

export interface Swept {
  removed: number
  /** What the storage would not remove; the next sweep tries again. */
  failed: number
}

/**
 * Removes what crashes and failures have left: bytes in the storage that belong to no media, and files that never got
 * there. What is being added at the moment stays; to tell it from what a crash has left, this may wait for as long as a
 * claim lasts.
 */
export async function sweepMedia(library: Library): Promise<Swept> {
  const { db } = library
  const before = new Map((await listClaimedFiles(db)).map(({ storageKey, renewedAt }) => [storageKey, renewedAt]))
  const swept = { removed: 0, failed: 0 }
  const seen = new Set<string>()
  for (;;) {
    for (const file of await doomAbandonedFiles(db, LEASE.lastsMs / 1000)) {
      if (seen.has(file.storageKey)) continue
      seen.add(file.storageKey)
      await discardFile(library, file).then(
        (isRemoved) => {
          swept.removed += Number(isRemoved)
        },
        () => {
          swept.failed++
        },
      )
    }
    const claims = await listClaimedFiles(db)
    if (!claims.some(({ storageKey, renewedAt }) => before.get(storageKey) === renewedAt)) break
    await sleep(POLL_MS)
  }
  await forgetRemovedFiles(db, OVER_SECONDS)
  swept.removed += await removeStrays(library)
  return swept
}

/** Files on their way in that no row names: another machine has swept up the claim of a process that died on this one. */
async function removeStrays({ db, incomingDir }: Library): Promise<number> {
  const names = await readdir(incomingDir).catch(() => [])
  const loose = await filterLoose(db, names)
  let removed = 0
  for (const name of names.filter((name) => !loose.has(name))) {
    const path = join(incomingDir, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
    if (mtimeMs > Date.now() - OVER_SECONDS * 1000) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}
