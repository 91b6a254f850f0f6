import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../../db/client.ts'
import { NO_ID } from '../../../db/id.ts'
import {
  filterStaged,
  forgetRemovedFiles,
  listLeases,
  listMarkedFiles,
  markExpiredForDeletion,
  type StagedFile,
} from '../../../db/queries/staged-files.ts'
import { deleteExpiredParts, deleteOldUploads } from '../../../db/queries/uploads.ts'
import { hasSqlstate, SQLSTATE } from '../../../db/sqlstate.ts'
import { UPLOAD_TIMES } from '../../../schemas/upload.ts'
import { discardFile } from './discard-file.ts'
import { LEASE } from './lease.ts'
import type { Library } from './library.ts'

const POLL_MS = 500
const PAGE = 100
/** Longer than any write that started earlier can take: an upload whose lease was lost, a storage that stores late. */
const WRITES_MAX_SECONDS = 3_600
/**
 * After this many failures in a row, the storage is unavailable, and the sweep leaves the other files to the next one.
 */
const FAILURES_IN_A_ROW_MAX = 20

interface Swept {
  removed: number
  /** A message for each file that could not be deleted. The next sweep tries again. */
  failures: string[]
}

/** Runs work piece by piece, until the time is up. */
interface MediaPace {
  run<T>(work: () => Promise<T>): Promise<T>
  isOver(): boolean
}

const WITHOUT_REST: MediaPace = { run: (work) => work(), isOver: () => false }

/** Deletes the bytes that crashes and failures have left, in the storage and in `incomingDir`. */
export async function sweepMedia(library: Library): Promise<Swept> {
  const { removed, failures } = await sweepStagedFiles(library)
  return { removed: removed + (await removeStrays(library)), failures }
}

/**
 * Deletes the bytes of staged files that are marked for deletion, or whose lease has expired. Files that are being
 * added stay. To tell them from what a crash left, this waits until each lease is renewed or expired: up to the lease
 * time.
 */
export async function sweepStagedFiles(library: Library, pace: MediaPace = WITHOUT_REST): Promise<Swept> {
  const { db } = library
  const before = new Map((await listLeases(db)).map(({ storageKey, renewedAt }) => [storageKey, renewedAt]))
  const swept: Swept = { removed: 0, failures: [] }
  await endUploads(db, pace)
  await markExpiredForDeletion(db, LEASE.lastsMs / 1000)
  let last: StagedFile = { userId: NO_ID, storageKey: '' }
  for (;;) {
    const files = await pace.run(() => listMarkedFiles(db, { ...last, limit: PAGE }))
    if (files.length === 0 || !(await discardAll(library, files, pace, swept))) break
    last = files.at(-1)!
  }
  for (;;) {
    const leases = await listLeases(db)
    if (!leases.some(({ storageKey, renewedAt }) => before.get(storageKey) === renewedAt)) break
    await sleep(POLL_MS)
    const expired = await pace.run(() => markExpiredForDeletion(db, LEASE.lastsMs / 1000))
    await discardAll(library, expired, pace, swept)
  }
  await forgetRemovedFiles(db, WRITES_MAX_SECONDS)
  return swept
}

/** Ends uploads whose address has expired: the bytes of their parts become staged, and are deleted with the others. */
async function endUploads(db: Db, pace: MediaPace): Promise<void> {
  const keptSeconds = UPLOAD_TIMES.keptDays * 86_400
  const steps = [
    () => deleteExpiredParts(db, { graceSeconds: WRITES_MAX_SECONDS, limit: PAGE }),
    () =>
      deleteOldUploads(db, { keptSeconds, limit: PAGE }).catch((error) => {
        // A new post refers to one of the files. The next sweep tries the others again.
        if (hasSqlstate(error, SQLSTATE.FOREIGN_KEY_VIOLATION)) return 0
        throw error
      }),
  ]
  for (const step of steps) while (!pace.isOver() && (await pace.run(step)) > 0);
}

/** Returns false if the storage is unavailable, or if the time is up. */
async function discardAll(library: Library, files: StagedFile[], pace: MediaPace, swept: Swept): Promise<boolean> {
  let failuresInARow = 0
  for (const file of files) {
    await pace.run(() =>
      discardFile(library, file).then(
        (isRemoved) => {
          swept.removed += Number(isRemoved)
          failuresInARow = 0
        },
        (error: Error) => {
          swept.failures.push(error.message)
          failuresInARow++
        },
      ),
    )
    if (failuresInARow === FAILURES_IN_A_ROW_MAX || pace.isOver()) return false
  }
  return true
}

/** Deletes received files of this machine that have no row: a sweep removed the row after a process had died here. */
export async function removeStrays({ db, incomingDir }: Library): Promise<number> {
  const names = await readdir(incomingDir).catch(() => [])
  if (names.length === 0) return 0
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
