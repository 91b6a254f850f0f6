import { sql } from 'kysely'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { after, at, msSince, type Now } from './clock.ts'
import { type CredentialsLife, type CredentialsRow, refreshAt } from './credentials.ts'
import { isoTime } from './iso-time.ts'
import type { AppOfAccount } from './oauth-apps.ts'

/** Credentials that a worker refreshes now. */
export interface ClaimedRefresh extends CredentialsRow, AppOfAccount {
  accountId: string
  generation: number
  /** Identifies the claim. */
  intendedAt: Date
  failures: number
  /** An earlier call may have spent the refresh token. */
  wasLost: boolean
  /**
   * Milliseconds since the access token expired: negative until then, null if it never expires or its end is unknown.
   */
  expiredForMs: number | null
  scopes: string[] | null
}

/** Which credentials a worker can refresh. */
interface ClaimValues {
  platforms: PlatformId[]
  keyIds: string[]
  leaseMs: number
  now: Now
}

/**
 * Claims the credentials that have been due for refreshing the longest. Commits the lease and the intent together: an
 * intent without an outcome means that the call may have been made.
 */
export const claimRefresh = prepared<ClaimValues, ClaimedRefresh>('claim_refresh', (_db, value) => {
  const now = value('now')
  return sql`
    with due as (
      select account_id, refresh_intended_at is not null as was_lost
      from account_credentials join accounts on accounts.id = account_credentials.account_id
      where refresh_at <= ${at(now)} and coalesce(refresh_lease_until, '-infinity') <= ${at(now)}
        and key_id = any(${value('keyIds')}::text[]) and platform = any(${value('platforms')}::text[])
      order by refresh_at limit 1
      for no key update of account_credentials skip locked
    ),
    claimed as (
      update account_credentials as credentials
      set refresh_lease_until = ${after(now, value('leaseMs'))},
        -- JavaScript has milliseconds.
        refresh_intended_at = date_trunc('milliseconds', ${at(now)})
      from due
      where credentials.account_id = due.account_id
      returning credentials.*, due.was_lost
    )
    select claimed.account_id, claimed.key_id, claimed.data_key, claimed.data, claimed.generation,
      claimed.refresh_intended_at as intended_at, claimed.refresh_failures as failures, claimed.was_lost,
      accounts.platform, accounts.scopes, ${msSince(now, 'accounts.credentials_expire_at')} as expired_for_ms,
      accounts.client_id, accounts.app_id,
      oauth_apps.key_id as app_key_id, oauth_apps.data_key as app_data_key, oauth_apps.data as app_data
    from claimed
    join accounts on accounts.id = claimed.account_id
    left join oauth_apps on oauth_apps.id = accounts.app_id`
})

type Claim = Pick<ClaimedRefresh, 'accountId' | 'generation' | 'intendedAt'>

interface NewTokens extends CredentialsLife, CredentialsRow {
  /** Null leaves them as they are. */
  scopes: string[] | null
  /** Those without which nothing can be published; null leaves an attention because of them as it is. */
  missingScopes: string[] | null
}

/** Locks the account first, as connecting it again does. */
const lockAccount = (accountId: string) => sql`
  account as (select id from accounts where id = ${accountId} for no key update)`

const attentionOf = ({ code, message }: { code: string; message: string }, now: Now) => sql`
  jsonb_build_object('code', ${code}::text, 'message', ${message}::text, 'since', ${isoTime(at(now))})`

/**
 * Stores refreshed tokens. Returns undefined if the credentials were replaced or deleted meanwhile. The lease may have
 * ended: tokens that were received are stored unless there are newer ones. `updated_at` stays, since Meta's callbacks
 * compare it with the time of a removal: only a new consent is later.
 */
export async function storeRefreshedTokens(
  db: Db,
  { accountId, generation }: Claim,
  { keyId, dataKey, data, scopes, missingScopes, ...life }: NewTokens,
  now: Now,
): Promise<{ nextInMs: number | null } | undefined> {
  const hasMissing = missingScopes !== null && missingScopes.length > 0
  const message = `The network no longer grants the scopes ${missingScopes?.join(', ')}: connect the account again`
  const { rows } = await sql<{ nextInMs: number | null }>`
    with ${lockAccount(accountId)},
    stored as (
      update account_credentials as credentials
      set key_id = ${keyId}, data_key = ${dataKey}, data = ${data},
        generation = credentials.generation + 1,
        refresh_at = ${refreshAt(now, life)},
        refresh_lease_until = null,
        refresh_intended_at = null,
        refresh_failures = 0
      from account
      where credentials.account_id = account.id and credentials.generation = ${generation}
      returning account_id, case when isfinite(refresh_at) then refresh_at end as next_at
    )
    update accounts
    set credentials_expire_at = ${life.expiresAt}::timestamptz,
      scopes = coalesce(${scopes}::text[], accounts.scopes),
      attention = case
        when ${hasMissing}::boolean
          then case when attention ->> 'code' = 'scopes_missing' then attention else ${attentionOf({ code: 'scopes_missing', message }, now)} end
        when attention ->> 'code' = 'scopes_missing' and ${missingScopes !== null}::boolean then null
        -- Another worker found the old refresh token spent, before these tokens could be stored.
        when attention ->> 'code' in ('reconnect_required', 'app_missing') then null
        else attention end
    from stored
    where accounts.id = stored.account_id
    returning (extract(epoch from stored.next_at - ${at(now)}) * 1000)::float8 as next_in_ms`.execute(db)
  return rows[0]
}

export interface Postponement {
  retryInMs: number
  /** Tries again no sooner than when the access token expires. */
  isHeld: boolean
  /** A call may have spent the refresh token, this time or before. */
  isLost: boolean
}

/** Ends the claim without new tokens. Changes nothing if another worker has claimed or written since. */
export async function postponeRefresh(
  db: Db,
  { accountId, generation, intendedAt }: Claim,
  { retryInMs, isHeld, isLost }: Postponement,
  now: Now,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update account_credentials as credentials
    set refresh_at = ${
      isHeld
        ? sql`greatest(${after(now, retryInMs)}, coalesce(accounts.credentials_expire_at, 'infinity'))`
        : after(now, retryInMs)
    },
      refresh_lease_until = null,
      refresh_intended_at = case when ${isLost}::boolean then refresh_intended_at end,
      refresh_failures = refresh_failures + 1
    from accounts
    where accounts.id = credentials.account_id and credentials.account_id = ${accountId}
      and generation = ${generation} and refresh_intended_at = ${intendedAt}`.execute(db)
  return numAffectedRows > 0n
}

/** Tells why credentials were not refreshed, unless the account shows another reason. */
export async function explainPostponement(
  db: Db,
  accountId: string,
  reason: { code: string; message: string },
  now: Now,
): Promise<void> {
  await sql`
    update accounts set attention = ${attentionOf(reason, now)}
    where id = ${accountId} and attention is null and disconnected_at is null`.execute(db)
}

/**
 * Gives up refreshing until the account is connected again. Changes nothing if another worker has claimed or written
 * since.
 */
export async function endRefresh(
  db: Db,
  { accountId, generation, intendedAt }: Claim,
  attention: { code: string; message: string },
  now: Now,
): Promise<boolean> {
  const { rows } = await sql`
    with ${lockAccount(accountId)},
    ended as (
      update account_credentials as credentials
      set refresh_at = null, refresh_lease_until = null, refresh_intended_at = null
      from account
      where credentials.account_id = account.id and generation = ${generation} and refresh_intended_at = ${intendedAt}
      returning account_id
    )
    update accounts set attention = ${attentionOf(attention, now)}
    from ended
    where accounts.id = ended.account_id
    returning accounts.id`.execute(db)
  return rows.length > 0
}

/**
 * Marks an access token as expired, because its network has refused it, so that it is refreshed now. Changes nothing if
 * it cannot be refreshed, or was replaced since `generation` was read.
 */
export async function expireAccessToken(
  db: Db,
  { accountId, generation, now }: { accountId: string; generation: number; now: Now },
): Promise<void> {
  await sql`
    with ${lockAccount(accountId)},
    expired as (
      update account_credentials as credentials set refresh_at = least(refresh_at, ${at(now)})
      from account
      where credentials.account_id = account.id and generation = ${generation} and refresh_at is not null
      returning account_id
    )
    update accounts set credentials_expire_at = least(credentials_expire_at, ${at(now)})
    from expired
    where accounts.id = expired.account_id`.execute(db)
}
