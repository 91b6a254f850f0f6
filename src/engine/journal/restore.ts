import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../../db/client.ts'
import {
  type BackedUpDelivery,
  countHeld,
  lockClaimable,
  lockDeliveries,
  type RestoredDelivery,
  storeRestored,
} from '../../../db/queries/delivery/restore.ts'
import { endRefusal, lockInstallation, refuseToSend } from '../../../db/queries/installation.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { JournalFiles } from '../../base/storage/journal.ts'
import type { Networks } from '../../platforms/adapters.ts'
import { canQuery } from '../../platforms/contract/can-query.ts'
import { restored } from '../delivery/machine.ts'
import { planActs } from '../delivery/plan.ts'
import { JOURNAL_SLACK_MS, LEASE_MS, POLL_EVERY_MS } from '../delivery/timing.ts'
import type { RemovalState } from '../delivery/transitions.ts'
import { type Entry, encodeGroup, keyOf, nameOf } from './journal-text.ts'
import { readJournal } from './read-journal.ts'
import { type Replayed, replay } from './replay.ts'
import { restoreEdits } from './restore-edits.ts'
import { countOutcomes, listDeliveries, lostDelivery, type Outcome, type RestoreReport } from './restore-report.ts'

interface RestoreDeps {
  db: Db
  files: JournalFiles
  networks: Networks
}

/** Why `restore finish` cannot run. */
export class RestoreError extends Error {}

/**
 * Makes a restored database agree with the calls that were sent since its backup was taken at `backupTaken`, and lets
 * workers send again. Throws a RestoreError, and changes nothing, if workers still send. If `isDryRun` is set, only
 * reports what it would do.
 */
export async function finishRestore(
  { db, files, networks }: RestoreDeps,
  { backupTaken, isDryRun }: { backupTaken: Date; isDryRun: boolean },
): Promise<RestoreReport> {
  if (!isDryRun) {
    await refuseToSend(db)
    await waitForLeases(db)
  }
  const { report, mark, installation } = await inTransaction(db, async (db) => {
    const row = (await lockInstallation(db)) ?? UNUSED
    const journal = await readJournal(files, row, backupTaken)
    const plan = { networks, ...journal, backupTaken: earlierOf(backupTaken, journal.takenBefore) }
    const known = await replayJournal(db, plan)
    const unknown = await findUnrecorded(db, plan, row.refusedSince, new Set(journal.entries.keys()))
    const changes = [...known.changes, ...unknown]
    const mark = Math.max(row.mark, journal.mark) + 1
    if (!isDryRun) {
      await storeChanges(db, changes)
      await endRefusal(db, mark)
    }
    const edits = await restoreEdits(db, journal.entries, isDryRun)
    const report: RestoreReport = {
      journal: journal.isComplete ? 'complete' : 'incomplete',
      notInBackup: known.lost.length,
      outcomes: countOutcomes([...changes, ...edits]),
      deliveries: listDeliveries([...changes, ...edits]),
      lost: known.lost,
    }
    return { report, mark, installation: row.id }
  })
  // Workers that know an older database of this installation recognise it by this mark.
  if (!isDryRun) {
    const at = new Date()
    const group = { mark, marks: [mark], at, isLate: false }
    await files.write(installation, nameOf({ mark, time: at, writer: 'restore' }), encodeGroup(group, []))
  }
  return report
}

/** The state that a dry run assumes of a database that no worker with a journal has used. */
const UNUSED = { id: '', mark: 0, refusedSince: null }

/** The operator may give the time when the backup was finished. */
const earlierOf = (time: Date, other = time) => (other < time ? other : time)

const BATCH = 1_000

async function storeChanges(db: Db, changes: Change[]): Promise<void> {
  for (let from = 0; from < changes.length; from += BATCH) {
    const batch = changes.slice(from, from + BATCH)
    await storeRestored(
      db,
      batch.map(({ delivery }) => delivery),
    )
  }
}

async function waitForLeases(db: Db): Promise<void> {
  for (let waitedMs = 0; (await countHeld(db)) > 0; waitedMs += POLL_EVERY_MS) {
    if (waitedMs > 2 * LEASE_MS) throw new RestoreError('A worker still sends: stop all workers, and try again')
    await pause(POLL_EVERY_MS)
  }
}

interface Plan {
  networks: Networks
  backupTaken: Date
  entries: Map<string, Entry[]>
  isComplete: boolean
  /** Workers wrote every call before they made it. */
  isWrittenAhead: boolean
  /** Whether the journal has marks that the database has not reached. */
  isAhead: boolean
  endedAt: Date | null
}

interface Change {
  platform: PlatformId
  outcome: Outcome
  delivery: RestoredDelivery
}

/** Decides the changes of the deliveries that the journal names. */
async function replayJournal(db: Db, plan: Plan): Promise<{ changes: Change[]; lost: RestoreReport['lost'] }> {
  const histories = [...plan.entries.values()]
  const changes: Change[] = []
  const found = new Set<string>()
  for (let from = 0; from < histories.length; from += BATCH) {
    const keys = histories.slice(from, from + BATCH).map(([entry]) => entry!)
    for (const row of await lockDeliveries(db, keys)) {
      found.add(keyOf(row))
      const known = replay(row, plan.entries.get(keyOf(row))!)
      if (known) changes.push(changeOf(row, known, plan))
    }
  }
  const lost = histories.filter(([entry]) => !found.has(keyOf(entry!))).map(lostDelivery)
  return { changes, lost }
}

/** Decides the changes of the deliveries that were due, and that the journal does not name. */
async function findUnrecorded(db: Db, plan: Plan, refusedSince: Date | null, recorded: Set<string>): Promise<Change[]> {
  const { isComplete, isWrittenAhead, isAhead, endedAt, backupTaken } = plan
  const now = new Date()
  const createdBefore = refusedSince ?? now
  // If the journal is incomplete, anything may have gone out between the backup and the first refusal.
  if (!isComplete && backupTaken >= createdBefore) return []
  const slackMs = isComplete && isWrittenAhead ? 0 : JOURNAL_SLACK_MS
  const until = endedAt ? new Date(endedAt.getTime() + slackMs) : createdBefore
  const rows = await lockClaimable(db, { until, createdBefore })
  return rows
    .filter((row) => !recorded.has(keyOf(row)))
    .flatMap((row) => {
      const isRecordable = isComplete && endedAt !== null && row.claimableAt! <= endedAt
      if (isRecordable && !isAhead) return []
      return [isRecordable ? unsent(row) : changeOf(row, uncertain(row, backupTaken), plan)]
    })
}

const NOT_SENT = {
  code: 'restored',
  message:
    'Its time passed before the database was restored from a backup, and it was not sent. It may have been deleted since the backup: retry it if it is still wanted',
  retryable: true,
}

const UNCERTAIN = {
  code: 'unknown_outcome',
  message: 'The database was restored from a backup, and this may have been sent since: look at the network',
  retryable: false,
}

/** The journal is complete, and has no call for it. */
function unsent(row: BackedUpDelivery): Change {
  const state = restored(false, null, false)
  const { userId, postId, accountId, platform, sent } = row
  const unchanged = { sent, intent: null, intendedAt: null, startedAt: null, publishedAt: null, calledAt: null }
  const delivery = { userId, postId, accountId, ...unchanged, state, error: NOT_SENT, attempts: [] }
  return { platform, outcome: state, delivery }
}

/** The next act may have been sent. */
function uncertain({ sent, startedAt }: BackedUpDelivery, at: Date): Replayed {
  const act = sent.length + 1
  const attempt = { act, startedAt: at, intendedAt: at, finishedAt: null, outcome: null, error: null }
  return {
    sent: [...sent],
    open: { act, at },
    last: 'publishing',
    error: null,
    startedAt,
    publishedAt: null,
    calledAt: null,
    attempts: [attempt],
    isEdited: false,
    removal: null,
  }
}

function changeOf(row: BackedUpDelivery, known: Replayed, plan: Plan): Change {
  const { userId, postId, accountId, platform } = row
  if (known.removal) return removalOf(row, known, known.removal)
  const isOver = known.last !== 'queued' && known.last !== 'publishing'
  // If the journal has gaps, the acts after its last one may be out as well.
  const acts =
    known.open || plan.isComplete || isOver ? known : { ...known, open: uncertain(row, plan.backupTaken).open }
  const open = acts.open && { ...acts.open, act: known.sent.length + 1 }
  const state = restored(open !== null, known.last, canAsk(row, known, plan))
  const error = state === 'unconfirmed' ? UNCERTAIN : known.error
  const delivery: RestoredDelivery = {
    userId,
    postId,
    accountId,
    state,
    sent: known.sent,
    intent: open?.act ?? null,
    intendedAt: open?.at ?? null,
    startedAt: known.startedAt ?? open?.at ?? null,
    publishedAt: known.publishedAt,
    error,
    attempts: known.attempts,
    calledAt: known.calledAt,
  }
  return { platform, outcome: open && state === 'queued' ? 'asked' : state, delivery }
}

/** The delivery was taken down, or is to be: nothing of it is sent. */
function removalOf(
  { userId, postId, accountId, platform }: BackedUpDelivery,
  known: Replayed,
  state: RemovalState,
): Change {
  const { sent, error, attempts, startedAt, publishedAt, calledAt } = known
  const delivery = { userId, postId, accountId, state, sent, error, attempts, startedAt, publishedAt, calledAt }
  return { platform, outcome: state, delivery: { ...delivery, intent: null, intendedAt: null } }
}

/**
 * Whether the network can be queried for acts that may have been sent. On an exactly-once network, names derive from
 * the time of the first attempt, so that it must be known. If the journal is incomplete, only the last act can be
 * queried: the others would be sent. Content that was changed since the backup would not be found, and the earlier
 * content would be sent.
 */
function canAsk(
  row: BackedUpDelivery,
  { startedAt, sent, isEdited }: Replayed,
  { networks, isComplete }: Plan,
): boolean {
  const adapter = networks[row.platform]
  if (!canQuery(adapter) || isEdited || (adapter.guarantee === 'exactly-once' && !startedAt)) return false
  return isComplete || planActs(row).length - sent.length <= 1
}
