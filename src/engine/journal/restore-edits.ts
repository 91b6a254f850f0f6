import type { Db } from '../../../db/client.ts'
import { type RestoredEdit, storeRestoredEdits } from '../../../db/queries/delivery/edits.ts'
import { type BackedUpDelivery, lockDeliveries } from '../../../db/queries/delivery/restore.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { type Entry, keyOf } from './journal-text.ts'

/** The text of the edit is lost: the journal has no content. */
const LATER_TEXT = {
  code: 'restored',
  message:
    'The post was edited after the backup from which the database was restored, and the network may show that text: edit it again',
  retryable: false,
}

const BATCH = 1_000

/** Marks the deliveries that were edited since the backup, and returns them. A dry run stores nothing. */
export async function restoreEdits(db: Db, journal: ReadonlyMap<string, Entry[]>, isDryRun: boolean) {
  const histories = [...journal.values()].filter((entries) => entries.some(({ edit }) => edit !== undefined))
  const restored: { platform: PlatformId; outcome: 'edited'; delivery: RestoredEdit }[] = []
  for (let from = 0; from < histories.length; from += BATCH) {
    const rows = await lockDeliveries(
      db,
      histories.slice(from, from + BATCH).map(([entry]) => entry!),
    )
    const found = rows.flatMap((row) => {
      const delivery = findEdit(row, journal.get(keyOf(row))!)
      return delivery ? [{ platform: row.platform, outcome: 'edited' as const, delivery }] : []
    })
    if (!isDryRun) {
      await storeRestoredEdits(
        db,
        found.map(({ delivery }) => delivery),
      )
    }
    restored.push(...found)
  }
  return restored
}

/** The last edit that the backup lacks. One that it has is carried out again, which changes nothing further. */
function findEdit(
  { userId, postId, accountId, state, sent, edit }: BackedUpDelivery,
  entries: Entry[],
): RestoredEdit | undefined {
  if (state !== 'published') return undefined
  const known = new Set([sent[0]?.editId, edit?.id])
  const edits = entries.filter((entry) => entry.edit !== undefined)
  const later = edits.slice(edits.findLastIndex((entry) => known.has(entry.edit)) + 1)
  const last = later.at(-1)
  return (
    last && {
      userId,
      postId,
      accountId,
      edit: { id: last.edit!, state: 'failed', error: LATER_TEXT },
      sent: later.findLast((entry) => entry.sent)?.sent ?? null,
    }
  )
}
