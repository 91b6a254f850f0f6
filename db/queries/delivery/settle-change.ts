import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { after } from '../clock.ts'
import type { HeldDelivery } from './delivery.ts'
import { type AccountNote, noteAccount } from './note-account.ts'

/** The fate of the price that is reserved for a call. `kept`: the outcome of the call is unknown. */
export type Payment = 'spent' | 'kept' | 'returned'

/** The consequences of a call for the change that it belongs to, and for its account. */
export interface ChangeSettlement extends AccountNote {
  /** Nothing of the change is left to do. */
  isOver: boolean
  /** The worker goes on with the next act. */
  keepsLease?: boolean
  payment: Payment
  failures: number
  retryInMs: number
}

/** Locks the delivery, and settles the call of its change. Returns false if another worker holds the change by now. */
export async function settleChange(
  db: Db,
  { userId, postId, accountId, leaseToken }: HeldDelivery,
  { isOver, keepsLease = false, payment, failures, retryInMs, now, ...account }: ChangeSettlement,
): Promise<boolean> {
  const isKey = sql`change.user_id = ${userId} and change.post_id = ${postId} and change.account_id = ${accountId}`
  await sql`select from post_targets as change where ${isKey} for no key update`.execute(db)
  const { numAffectedRows } = await sql`
    update delivery_changes as change
    set intent = null,
      failures = ${failures},
      lease_token = case when ${keepsLease} then lease_token end,
      next_at = case when ${keepsLease} then next_at else ${after(now, retryInMs)} end,
      spent_micros = case when ${payment === 'spent'} and intent_micros is not null
        then coalesce(spent_micros, 0) + intent_micros else spent_micros end,
      intent_micros = case when ${payment === 'kept'} then intent_micros end
    where ${isKey} and lease_token = ${leaseToken}`.execute(db)
  if (!numAffectedRows) return false
  if (isOver) {
    await sql`
      with ended as (delete from delivery_changes as change where ${isKey} returning *)
      update post_targets as delivery
      set spent_micros = coalesce(delivery.spent_micros, 0) + ended.spent_micros
      from ended
      where delivery.user_id = ended.user_id and delivery.post_id = ended.post_id
        and delivery.account_id = ended.account_id and ended.spent_micros is not null`.execute(db)
  }
  await noteAccount(db, accountId, { ...account, now })
  return true
}
