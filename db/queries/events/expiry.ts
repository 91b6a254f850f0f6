import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { at, type Now } from '../clock.ts'
import { accountEvents } from './account.ts'

interface Values {
  now: Now
  limit: number
}

/**
 * Writes the events of accounts whose credentials expire and cannot be refreshed: 7 days before, 1 day before, and when
 * they have expired. Each is written once for an expiry. Returns for how many accounts.
 */
export async function announceAccountExpiries(db: Db, { now, limit }: Values): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with due as (
      select accounts.id, left_days.days
      from accounts
      join account_credentials on account_credentials.account_id = accounts.id
      cross join lateral (
        select case
          when credentials_expire_at <= ${at(now)} then 0
          when credentials_expire_at <= ${at(now)} + interval '1 day' then 1
          else 7 end as days) as left_days
      where credentials_expire_at <= ${at(now)} + interval '7 days' and disconnected_at is null
        and account_credentials.refresh_at is null and attention is null
        and (expiry_announced_for is distinct from credentials_expire_at or expiry_announced_days > left_days.days)
      order by accounts.id limit ${limit}
      for no key update of accounts skip locked
    ),
    announced as (
      update accounts
      set expiry_announced_for = credentials_expire_at, expiry_announced_days = due.days
      from due
      where accounts.id = due.id
      returning accounts.*
    ),
    event as (
      insert into event_outbox (user_id, type, account_ids, data)
      ${accountEvents('announced', {
        type: sql`case expiry_announced_days when 0 then 'account.reconnect_required' else 'account.expiring' end`,
        facts: sql`jsonb_build_object(
          'reason', case expiry_announced_days when 0 then 'reconnect_required' end,
          'expiresAt', case when expiry_announced_days > 0 then api_time(credentials_expire_at) end)`,
      })}
    )
    select count(*) as count from announced`.execute(db)
  return rows[0]!.count
}

/** Writes an event for each key that expires within 7 days and is not replaced. Returns for how many keys. */
export async function announceKeyExpiries(db: Db, { now, limit }: Values): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with due as (
      select id from api_keys
      where expires_at <= ${at(now)} + interval '7 days' and expires_at > ${at(now)} and revoked_at is null
        and expiry_announced_at is null
        and not exists (
          select from api_keys as successor where successor.replaces = api_keys.id and successor.revoked_at is null)
      order by id limit ${limit}
      for no key update skip locked
    ),
    announced as (
      update api_keys set expiry_announced_at = ${at(now)} from due where api_keys.id = due.id returning api_keys.*
    ),
    event as (
      insert into event_outbox (user_id, type, data)
      select user_id, 'key.expiring', jsonb_strip_nulls(jsonb_build_object(
        'keyId', id, 'name', name, 'expiresAt', api_time(expires_at)))
      from announced
    )
    select count(*) as count from announced`.execute(db)
  return rows[0]!.count
}
