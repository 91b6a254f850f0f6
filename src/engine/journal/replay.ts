import { isDeepStrictEqual } from 'node:util'
import type { SentAct } from '../../../db/queries/delivery/delivery.ts'
import type { BackedUpDelivery, RestoredAttempt } from '../../../db/queries/delivery/restore.ts'
import type { Decision } from '../../../db/queries/delivery/settlement.ts'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { RemovalState } from '../delivery/transitions.ts'
import type { Entry } from './journal-text.ts'

/** The state of a delivery according to the backup and the journal together. */
export interface Replayed {
  sent: SentAct[]
  /** The act whose call may have been carried out. */
  open: { act: number; at: Date } | null
  /** The last state that the journal has. */
  last: Decision['state']
  error: DeliveryError | null
  startedAt: Date | null
  publishedAt: Date | null
  calledAt: Date | null
  attempts: RestoredAttempt[]
  /** Other content was sent than the backup has. */
  isEdited: boolean
  /** The last state that the journal has of taking the delivery down; null if it has none. */
  removal: RemovalState | null
}

/** Adds the entries of a delivery, in order, to what the backup has of it. Returns undefined if they add nothing. */
export function replay(delivery: BackedUpDelivery, entries: Entry[]): Replayed | undefined {
  const { state, sent, intent, attempts, startedAt, token } = delivery
  const known: Replayed = {
    sent: [...sent],
    open: null,
    last: 'queued',
    error: null,
    startedAt,
    publishedAt: null,
    calledAt: null,
    attempts: [],
    isEdited: entries.some((entry) => entry.token !== undefined && entry.token !== token),
    removal: null,
  }
  // The backup has the intents of all its attempts. It lacks at most the outcome of the last one, whose call is open.
  const isInBackup = ({ startedAt, attempt = Number.POSITIVE_INFINITY }: Entry) =>
    attempt < attempts || (attempt === attempts && (startedAt !== undefined || intent === null))
  const isHeldOrQueued = state === 'queued' || state === 'publishing'
  // A delivery that was late made no attempt: its entry has the number that the next attempt gets.
  const isLateInBackup = ({ startedAt, attempt, outcome }: Entry) =>
    attempt !== undefined && !startedAt && !outcome && (attempt === attempts || !isHeldOrQueued)
  // The backup has the intent, but not its outcome.
  const isIntended = ({ act, attempt }: Entry) => attempt === undefined && act === intent && known.attempts.length === 0
  let isChanged = false
  for (const entry of entries) {
    if (entry.removal) {
      addRemoval(known, entry, entry.removal)
      continue
    }
    // `restoreEdits` reads them.
    if (entry.edit) continue
    if (isOut(known, entry.act) || isInBackup(entry) || isLateInBackup(entry)) continue
    isChanged = true
    if (entry.startedAt) addIntent(known, entry, entry.startedAt, isIntended(entry))
    if (entry.state) addOutcome(known, { ...entry, state: entry.state, at: entry.endedAt ?? entry.at })
  }
  const isTakenDown =
    known.removal !== null && (known.removal !== delivery.state || !isDeepStrictEqual(known.sent, sent))
  return isChanged || isTakenDown ? known : undefined
}

/** Whether nothing more is known of an act. A retry repeats one that was left out, and those after it. */
const isOut = ({ sent }: Replayed, act: number) => act <= sent.length && sent[act - 1]!.error === undefined

function addIntent(known: Replayed, { act, at }: Entry, startedAt: Date, isInBackup: boolean): void {
  const isRepeated = known.attempts.some(
    (attempt) => attempt.act === act && attempt.startedAt.getTime() === at.getTime(),
  )
  if (isRepeated) return
  forgetLeftOut(known, act)
  known.open = { act, at }
  known.last = 'publishing'
  known.startedAt = startedAt
  known.calledAt ??= at
  if (!isInBackup) {
    known.attempts.push({ act, startedAt: at, intendedAt: at, finishedAt: null, outcome: null, error: null })
  }
}

/** Like a retry, which begins with the first act that was left out. */
function forgetLeftOut({ sent }: Replayed, act: number): void {
  if (sent[act - 1]?.error) sent.length = act - 1
}

/** A removal that was begun goes on: what is gone already counts as removed. */
function addRemoval(known: Replayed, { act, at, isGone, error }: Entry, removal: RemovalState): void {
  const sent = known.sent[act - 1]
  if (sent && isGone) known.sent[act - 1] = { ...sent, removedAt: sent.removedAt ?? at.toISOString() }
  known.removal = removal
  known.error = error ?? null
}

function addOutcome(
  known: Replayed,
  { act, at, state, sent, isOpen, error, outcome }: Entry & { state: Decision['state'] },
): void {
  forgetLeftOut(known, act)
  const isVisible = sent !== undefined && !sent.error
  if (sent) {
    // The ids of acts before it are unknown if the journal has a gap.
    while (known.sent.length < act - 1) known.sent.push({ id: null, url: null })
    known.sent.push(sent)
    known.publishedAt ??= at
    known.calledAt ??= at
  }
  if (isOpen) known.open ??= { act, at }
  // The call of a later act may be open.
  else if (known.open && known.open.act <= act) known.open = null
  known.last = state
  known.error = error ?? null
  const attempt = known.attempts.findLast((attempt) => attempt.act === act && attempt.outcome === null)
  if (attempt && outcome) Object.assign(attempt, { finishedAt: at, outcome, error: isVisible ? null : known.error })
}
