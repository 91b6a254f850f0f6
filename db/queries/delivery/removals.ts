import { sql } from 'kysely'
import type { DeliveryError, DeliveryState } from '../../../schemas/delivery.ts'
import { each } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { inTransaction } from '../../transaction.ts'
import { at } from '../clock.ts'
import type { Actor } from '../events/actor.ts'
import { isoTime } from '../iso-time.ts'
import { userNow } from '../user-now.ts'
import { endOfFlight, type HeldDelivery } from './delivery.ts'
import type { OwnKey } from './owner.ts'
import { requestChanges } from './request-changes.ts'
import { type ChangeSettlement, settleChange } from './settle-change.ts'

// Statements for posts that are taken down. `src/engine/delivery/machine.ts` decides the states.

export interface ChangedAccount {
  id: string
  /** Its id on the network; null if the account has no credentials yet. */
  externalId: string | null
  /** The scopes that its owner has granted; null if it was not connected by OAuth. */
  scopes: string[] | null
}

/** The facts of accounts that decide whether their networks remove a post. */
export const readChangedAccounts = (db: Db, ids: string[]): Promise<ChangedAccount[]> =>
  db
    .selectFrom('accounts')
    .select(['id', 'externalId', 'scopes'])
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()

interface WantedRemoval extends OwnKey {
  next: DeliveryState
}

interface RequestedRemovals extends Actor {
  removals: WantedRemoval[]
  inFlightMs: number
  /** The error of a delivery whose earlier call may still arrive. */
  waiting: DeliveryError
}

/** Stores that the owner wants locked deliveries to be taken down, and lets workers do it. */
export async function requestRemovals(
  db: Db,
  userId: string,
  { removals, inFlightMs, waiting, keyId }: RequestedRemovals,
): Promise<void> {
  const wanted = sql`
    unnest(${each(removals, 'postId')}::uuid[], ${each(removals, 'accountId')}::uuid[],
      ${each(removals, 'next')}::text[]) as wanted(post_id, account_id, next)`
  await sql`
    update post_targets
    set state = wanted.next, edit = null,
      error = case when ${endOfFlight('post_targets', inFlightMs)} > ${userNow(userId)} then ${JSON.stringify(waiting)}::jsonb end
    from ${wanted}
    where post_targets.user_id = ${userId} and post_targets.post_id = wanted.post_id
      and post_targets.account_id = wanted.account_id`.execute(db)
  await requestChanges(db, userId, 'remove', { keys: removals, inFlightMs, keyId })
}

/** The outcome of the call for an act, and what follows from it. */
export interface RemovalSettlement extends Omit<ChangeSettlement, 'isOver'> {
  state: 'removing' | 'removed' | 'remove_failed'
  /** The acts that are no longer on the network, by their numbers. */
  removed: number[]
  error: DeliveryError | null
}

/**
 * Commits the outcome of the call for an act. Returns false if another worker holds the removal by now. Numbers of a
 * removed post are not read any more.
 */
export const settleRemoval = (db: Db, held: HeldDelivery, settlement: RemovalSettlement): Promise<boolean> =>
  inTransaction(db, async (db) => {
    const { userId, postId, accountId } = held
    const { state, removed, error, ...change } = settlement
    const isKey = sql`user_id = ${userId} and post_id = ${postId} and account_id = ${accountId}`
    if (!(await settleChange(db, held, { ...change, isOver: state !== 'removing' }))) return false
    await sql`
      update post_targets
      set state = ${state}, error = ${error && JSON.stringify(error)}::jsonb,
        sent = (
          select coalesce(jsonb_agg(case when ordinal = any(${removed}::integer[])
            then act || jsonb_build_object('removedAt', ${isoTime(at(change.now))}) else act end order by ordinal), '[]')
          from jsonb_array_elements(sent) with ordinality as acts(act, ordinal))
      where ${isKey}`.execute(db)
    if (state === 'removed') await sql`update delivery_metrics set next_at = null where ${isKey}`.execute(db)
    return true
  })
