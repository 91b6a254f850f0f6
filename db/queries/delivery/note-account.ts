import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { after, at, type Now } from '../clock.ts'
import { isoTime } from '../iso-time.ts'

/** The consequences of a call for its account. */
export interface AccountNote {
  accountRestsMs: number
  attention: { code: string; message: string } | null
  now: Now
}

/** Stores a rest. An account that publishing holds gets its own when its next call is refused. */
export async function noteAccount(
  db: Db,
  accountId: string,
  { accountRestsMs, attention, now }: AccountNote,
): Promise<void> {
  if (accountRestsMs <= 0 && !attention) return
  await sql`
    update accounts
    set available_at = case
        when ${accountRestsMs}::float8 > 0 and coalesce(available_at, '-infinity') <= ${at(now)}
        then ${after(now, accountRestsMs)} else available_at end,
      attention = case
        when attention ->> 'code' = 'reconnect_required' or ${attention === null} then attention
        else ${attention && JSON.stringify(attention)}::jsonb || jsonb_build_object('since',
          coalesce(attention ->> 'since', ${isoTime(at(now))})) end
    where id = ${accountId}`.execute(db)
}
