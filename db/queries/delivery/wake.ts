import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { after, type Now } from '../clock.ts'

/**
 * Makes the deliveries of an account due whose network is to be queried later, after a failure: it was just read, for
 * `readForMs`. Leaves out those whose call could still arrive when the reading began. `marginMs`: they are due so long before
 * the reading.
 */
export async function wakeWaiting(
  db: Db,
  { accountId, readForMs, callInFlightMs, marginMs, now }: WakeTerms & { accountId: string },
): Promise<void> {
  await sql`
    update post_targets as delivery set claimable_at = ${after(now, -readForMs - marginMs)}
    from (
      select ctid as row_id from post_targets
      where account_id = ${accountId} and state = 'queued' and intent is not null and waiting_since is null
        and claimable_at > ${after(now, -readForMs)} and intended_at < ${after(now, -readForMs - callInFlightMs)}
      order by user_id, post_id, account_id
      for no key update skip locked) as waiting
    where delivery.ctid = waiting.row_id`.execute(db)
}

interface WakeTerms {
  readForMs: number
  callInFlightMs: number
  marginMs: number
  now: Now
}
