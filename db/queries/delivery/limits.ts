import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { after, at, type Now } from '../clock.ts'
import { isoTime } from '../iso-time.ts'
import { endOfSharedRest } from './available.ts'

/**
 * Milliseconds until every rate limit of an account allows one more act, and no limit that it shares rests it. A rate
 * limit is a number of acts in a number of seconds.
 */
export const readRest = prepared<{ accountId: string; limits: number[]; windows: number[]; now: Now }, { ms: number }>(
  'read_rest',
  (_db, value) => {
    const now = at(value('now'))
    return sql`
      select greatest(0, ceil(extract(epoch from greatest(
          max(oldest.ends_at),
          (select ${endOfSharedRest} from accounts where accounts.id = ${value('accountId')})) - ${now}) * 1000))::float8 as ms
      from unnest(${value('limits')}::integer[], ${value('windows')}::integer[]) as rate(max, seconds),
        lateral (
          select intended_at + rate.seconds * interval '1 second' as ends_at
          from delivery_attempts
          where account_id = ${value('accountId')} and intended_at > ${now} - rate.seconds * interval '1 second'
          order by intended_at desc
          offset rate.max - 1 limit 1) as oldest`
  },
)

/**
 * Rests every account with this limit key for `ms`. `reason` says why somebody has to act. Also stores the key on this
 * account, because older versions did not. Removes rests that ended more than `keptMs` ago: until then, `readWaiting`
 * reads when they ended.
 */
export async function restSharedLimit(
  db: Db,
  {
    accountId,
    key,
    ms,
    reason,
    keptMs,
    now,
  }: {
    accountId: string
    key: string
    ms: number
    reason: { code: string; message: string } | null
    keptMs: number
    now: Now
  },
): Promise<void> {
  const since = sql`jsonb_build_object('since', ${isoTime(at(now))})`
  await sql`
    insert into limit_rests (key, until, reason)
    values (${key}, ${after(now, ms)}, ${reason && JSON.stringify(reason)}::jsonb || ${since})
    on conflict (key) do update
    set until = greatest(limit_rests.until, excluded.until),
      reason = case
        when excluded.reason is not null
        then excluded.reason || jsonb_build_object('since', coalesce(limit_rests.reason, excluded.reason) -> 'since')
        when limit_rests.until > ${at(now)} then limit_rests.reason end`.execute(db)
  await sql`
    update accounts set limit_key = ${key}
    where id = ${accountId} and limit_key is distinct from ${key} and platform <> ${key}`.execute(db)
  await sql`delete from limit_rests where until < ${after(now, -keptMs)}`.execute(db)
}

/**
 * Whether another delivery to the account, whose call was made after `since`, is known to have made this id. `isKnown`
 * is false if attempts since then may have been removed, because they are kept for `keptMs` only.
 */
export const isSentByAnother = prepared<
  { accountId: string; postId: string; id: string; since: Date; keptMs: number | null; now: Now },
  { isSent: boolean; isKnown: boolean }
>(
  'is_sent_by_another',
  (_db, value) => sql`
    select exists (
      select from delivery_attempts as attempt
      join post_targets as delivery
        on delivery.user_id = attempt.user_id and delivery.post_id = attempt.post_id
        and delivery.account_id = attempt.account_id
      where attempt.account_id = ${value('accountId')}
        and attempt.intended_at >= ${value('since')}
        and attempt.post_id <> ${value('postId')}
        and delivery.sent @> jsonb_build_array(jsonb_build_object('id', ${value('id')}::text))) as is_sent,
      ${value('keptMs')}::float8 is null
        or ${value('since')}::timestamptz > ${at(value('now'))} - ${value('keptMs')}::float8 * interval '1 ms' as is_known`,
)

/** The apps that their networks restrict at the moment, and how many connected accounts they have. */
export const listRestrictedApps = (db: Db) =>
  db
    .selectFrom('limitRests')
    .select((eb) => [
      'key',
      'until',
      sql<string>`reason ->> 'message'`.as('message'),
      eb
        .selectFrom('accounts')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .whereRef('accounts.limitKey', '=', 'limitRests.key')
        .where('accounts.disconnectedAt', 'is', null)
        .as('accounts'),
    ])
    .where('reason', 'is not', null)
    .where('until', '>', sql<Date>`now()`)
    .orderBy('key')
    .execute()
