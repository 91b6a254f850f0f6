import type { Db } from '../../../db/client.ts'
import {
  createInstallation,
  hasAttempts,
  type Installation,
  readInstallation,
  refuseToSend,
} from '../../../db/queries/installation.ts'
import type { Log } from '../../base/log.ts'
import type { JournalFiles } from '../../base/storage/journal.ts'
import { JOURNAL_MISSING_MS } from '../delivery/timing.ts'
import { markOf, nameOf } from './journal-text.ts'

const COMMAND = '`postroom restore finish --backup-taken TIME`'

const REFUSALS = {
  behind: `the database is older than what was sent: it was restored from a backup, or has lost transactions. Nothing is sent until this has run: ${COMMAND}`,
  missing: `the journal of what was sent is not in MEDIA_DIR or the bucket, so a restored database cannot be recognised. Nothing is sent until this has run: ${COMMAND}, with the current time if the database was not restored`,
  stored: `the database was restored from a backup. Nothing is sent until this has run: ${COMMAND}`,
}

export type Refusal = keyof typeof REFUSALS

/** Logs why nothing is sent, and makes all workers refuse to send. */
export async function refuse(db: Db, log: Log, why: Refusal): Promise<void> {
  log.error({}, REFUSALS[why])
  if (why !== 'stored') await refuseToSend(db)
}

/**
 * Compares the mark of the database with those of the segments. Returns the installation, or why nothing may be sent;
 * undefined if neither is certain yet. `missingForMs`: how long no segment has been found.
 */
export async function openInstallation(
  db: Db,
  files: JournalFiles,
  missingForMs: () => number,
): Promise<Installation | Refusal | undefined> {
  const row = (await readRow(db)) ?? (await createRow(db, files))
  if (!row) return undefined
  if (row.isRefused) return 'stored'
  const later = await files.list(row.id, nameOf({ mark: row.mark + 1 }))
  if (later.length > 0) {
    // Another worker may have advanced the mark before it wrote the segment: read again.
    const again = await readRow(db)
    return !again || again.mark < markOf(later.at(-1)!) ? 'behind' : again
  }
  if (row.mark === 0 || (await files.list(row.id, '', 1)).length > 0) return row
  return missingForMs() > JOURNAL_MISSING_MS ? 'missing' : undefined
}

const readRow = async (db: Db): Promise<Installation | undefined> => (await readInstallation(db, {}))[0]

/** A database that has sent something, and has no row beside a journal, is a backup of a version without a journal. */
async function createRow(db: Db, files: JournalFiles): Promise<Installation | undefined> {
  const isRefused = (await files.installations()).length > 0 && (await hasAttempts(db))
  await createInstallation(db, { isRefused })
  return readRow(db)
}
