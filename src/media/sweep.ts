import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { doomAbandonedFiles, filterLoose, listClaimedFiles } from '../../db/queries/loose-files.ts'
import { discardFile, LEASE_MS, type Library } from './add.ts'

const POLL_MS = 500
/** No upload lives that long without a claim. */
const STRAY_MS = 3_600_000

/**
 * Removes what crashes and failures have left: bytes in the storage that belong to no media, and files that never got
 * there. What is being added at the moment stays; to tell it from what a crash has left, this may wait for as long as a
 * claim lasts. Gives the number of files removed.
 */
export async function sweepMedia(library: Library): Promise<number> {
  const before = new Map(
    (await listClaimedFiles(library.db)).map(({ storageKey, renewedAt }) => [storageKey, renewedAt]),
  )
  let removed = 0
  for (;;) {
    for (const file of await doomAbandonedFiles(library.db, LEASE_MS / 1000)) {
      await discardFile(library, file)
      removed++
    }
    const claims = await listClaimedFiles(library.db)
    if (!claims.some(({ storageKey, renewedAt }) => before.get(storageKey) === renewedAt)) break
    await sleep(POLL_MS)
  }
  return removed + (await removeStrays(library))
}

/** Files on their way in that no row names: another machine has swept up the claim of a process that died on this one. */
async function removeStrays({ db, incomingDir }: Library): Promise<number> {
  const names = await readdir(incomingDir).catch(() => [])
  const loose = await filterLoose(db, names)
  let removed = 0
  for (const name of names.filter((name) => !loose.has(name))) {
    const path = join(incomingDir, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
    if (mtimeMs > Date.now() - STRAY_MS) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}
