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
  /** What the API key of the request allows: see `digestRights`. */
  rights: string
}

/** A stored response. Its `rights` are null if an earlier version stored it. */
type FoundResponse = Omit<KeyedResponse, 'rights'> & { rights: string | null }

/** What is stored under one of several keys. */
interface KeysOfUser {
  userId: string
  keys: readonly string[]
}

/** Keys that are older are expired. */
export const OLDEST = sql<Date>`now() - interval '24 hours'`

/**
 * Returns nothing for unknown or expired keys. The rows are locked because a lock is a write, and waits for a
 * synchronous standby as every write does. A response that only this server has (after a crash, or because the wait was
 * cancelled) is therefore not replayed before the standby has it, too.
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
 * inserted. A row is left out if its key has a response, or if its `ownKey` has one that outlived the response of the key.
 * Waits for concurrent transactions that store one. All statements lock keys in one order, so that none deadlocks with
 * another.
 */
export const insertResponses = (items: RawBuilder<unknown>) => sql`
  insert into idempotency_keys (user_id, key, request_hash, status, body, rights)
  select user_id, key, request_hash, status, body, rights
  from ${items} as item
  where not exists (
    select from idempotency_keys as own
    where own.user_id = item.user_id and own.key = item.rights || ' ' || item.key and own.created_at >= ${OLDEST})
  order by user_id, key
  on conflict (user_id, key) do update
    set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
      rights = excluded.rights, created_at = excluded.created_at, rights_at = excluded.rights_at
    where idempotency_keys.created_at < ${OLDEST}
  returning user_id, key`

/** Stores a response under its key: see `insertResponses`. Returns nothing, and stores nothing, if the key is taken. */
export const storeResponse = prepared<KeyedResponse & { userId: string }, { key: string }>(
  'store_response',
  (_db, value) =>
    insertResponses(sql`(
      select ${value('userId')}::uuid as user_id, ${value('key')}::text as key, ${value('requestHash')}::bytea as request_hash,
        ${value('status')}::integer as status, ${value('body')}::text as body, ${value('rights')}::text as rights)`),
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
