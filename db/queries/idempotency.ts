import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'

/** The response to the request that used a key first. */
export interface StoredResponse {
  /** SHA-256 of the request. */
  requestHash: Buffer
  status: number
  /** The bytes that were sent, as text. */
  body: string
}

/** A response with the key that it is stored under. */
export interface KeyedResponse extends StoredResponse {
  key: string
  /** A digest of the rights of the request's API key: see `digestRights`. */
  rights: string
}

/** A stored response. Its `rights` are null if an earlier version stored it. */
type FoundResponse = Omit<KeyedResponse, 'rights'> & { rights: string | null }

/** Several keys of a user. */
interface KeysOfUser {
  userId: string
  keys: readonly string[]
}

/** Keys that are older are expired. */
export const OLDEST = sql<Date>`now() - interval '24 hours'`

/**
 * Returns nothing for unknown or expired keys. The rows are locked because a lock is a write, and waits for a
 * synchronous standby as every write does. After a crash or a cancelled wait, only this server may have a response. It
 * is therefore not replayed before the standby has it, too.
 */
export const findStoredResponses = prepared<KeysOfUser, FoundResponse>('find_stored_responses', (db, value) =>
  db
    .selectFrom('idempotencyKeys')
    .select([
      'key',
      'requestHash',
      'status',
      'body',
      sql<string | null>`case when rights_at = created_at then rights end`.as('rights'),
    ])
    .where('userId', '=', value('userId'))
    .where('key', '=', sql<string>`any(${value('keys')}::text[])`)
    .where('createdAt', '>=', OLDEST)
    .forKeyShare(),
)

/**
 * The key under which a response is stored if API keys that allow something else have used the `Idempotency-Key`. The header
 * cannot contain the space.
 */
export const ownKey = (rights: string, key: string): string => `${rights} ${key}`

/**
 * Inserts the rows of `items`, which has the columns of the table, in place of expired ones. Returns the keys of those that it
 * inserted: a row is left out if its key has a response. Waits for concurrent transactions that store one. All statements
 * lock keys in one order, so that none deadlocks with another.
 */
export const insertResponses = (items: RawBuilder<unknown>) => sql`
  insert into idempotency_keys (user_id, key, request_hash, status, body, rights)
  select user_id, key, request_hash, status, body, rights
  from ${items} as item
  order by user_id, key
  on conflict (user_id, key) do update
    set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
      rights = excluded.rights, created_at = excluded.created_at, rights_at = excluded.rights_at
    where idempotency_keys.created_at < ${OLDEST}
  returning user_id, key`

/**
 * Stores a response under its key: see `insertResponses`. Returns nothing, and stores nothing, if the key is taken.
 *
 * Under an `ownKey`, `takenKey` is the key of the request. Its response is kept for as long as this one: otherwise, a repeated
 * request would find the key free. Stores nothing if that response has expired.
 */
export const storeResponse = prepared<KeyedResponse & { userId: string; takenKey: string | null }, { key: string }>(
  'store_response',
  (_db, value) => sql`
    with taken as (
      update idempotency_keys
      set created_at = now(), rights_at = case when rights_at = created_at then now() end
      where user_id = ${value('userId')}::uuid and key = ${value('takenKey')}::text and created_at >= ${OLDEST}
      returning key
    ),
    stored as (${insertResponses(sql`(
      select ${value('userId')}::uuid as user_id, ${value('key')}::text as key, ${value('requestHash')}::bytea as request_hash,
        ${value('status')}::integer as status, ${value('body')}::text as body, ${value('rights')}::text as rights
      where ${value('takenKey')}::text is null or exists (select from taken))`)}
    )
    select key from stored`,
)

/** Deletes up to `limit` expired keys, the oldest first. Returns how many it deleted. */
export async function sweepIdempotencyKeys(db: Db, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotencyKeys')
    .using((eb) =>
      eb
        .selectFrom('idempotencyKeys')
        .select(['userId', 'key'])
        .where('createdAt', '<', OLDEST)
        .orderBy('createdAt')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .as('expired'),
    )
    .whereRef('idempotencyKeys.userId', '=', 'expired.userId')
    .whereRef('idempotencyKeys.key', '=', 'expired.key')
    .executeTakeFirst()
  return Number(numDeletedRows)
}
