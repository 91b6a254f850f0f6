import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { after, type Now } from '../clock.ts'

/**
 * Makes deliveries due that wait to query their network after a failure, because their account was read for `readForMs`
 * just now. Leaves out deliveries whose call may have arrived after the reading began: it was lost less than
 * `callInFlightMs` before. The deliveries are due `marginMs` before the reading began.
 */
export async function wakeWaiting(
  db: Db,
  { accountId, readForMs, callInFlightMs, marginMs, now }: WakeTerms & { accountId: string },
): Promise<void> {
  await sql`
    update post_targets as delivery set claimable_at = ${after(now, -readForMs - marginMs)}
    from (
      select queued.ctid as row_id
      from post_targets as queued
      where queued.account_id = ${accountId} and queued.state = 'queued' and queued.intent is not null
        and queued.waiting_since is null and queued.claimable_at > ${after(now, -readForMs)}
        and queued.lost_call_at < ${after(now, -readForMs - callInFlightMs)}
      order by queued.user_id, queued.post_id, queued.account_id
      for no key update of queued skip locked) as waiting
    where delivery.ctid = waiting.row_id`.execute(db)
}

interface WakeTerms {
  readForMs: number
  callInFlightMs: number
  marginMs: number
  now: Now
}
