import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { insertKeyEvents } from '../events/key.ts'

/** The tables of OAuth whose rows end by themselves. */
export const EXPIRING = ['oauth_tokens', 'oauth_codes', 'oauth_approvals', 'oauth_clients'] as const

/** Deletes rows of a table that have expired. Returns how many. */
export async function deleteExpired(db: Db, table: (typeof EXPIRING)[number], limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)}
    where ctid = any(array(
      select ctid from ${sql.table(table)} where expires_at <= now() limit ${limit} for update skip locked))`.execute(
    db,
  )
  return Number(numAffectedRows)
}

/**
 * Ends grants that no app can use: those without tokens, and those whose key has expired. Their webhooks end with them.
 * Returns the number of grants.
 */
export async function endUnusedGrants(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with unused as (
      select key_id, user_id, coalesce(expires_at <= now(), false) as is_expired
      from oauth_grants join api_keys on api_keys.id = oauth_grants.key_id
      where expires_at <= now()
        or not exists (select from oauth_tokens where oauth_tokens.key_id = oauth_grants.key_id)
      limit ${limit} for update of oauth_grants skip locked
    ),
    revoked as (
      update api_keys set revoked_at = now(), event_count = event_count + 1 from unused
      where api_keys.id = unused.key_id and api_keys.revoked_at is null and not is_expired
      returning api_keys.*
    ),
    event as (${insertKeyEvents('revoked', 'key.revoked', { keyId: null })}),
    ended as (
      delete from webhooks using unused
      where webhooks.user_id = unused.user_id and webhooks.created_by = unused.key_id
    )
    delete from oauth_grants using unused where oauth_grants.key_id = unused.key_id`.execute(db)
  return Number(numAffectedRows)
}
