import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'

interface KeyOfUser {
  userId: string
  key: string
}

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
}

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
export const findStoredResponses = prepared<KeysOfUser, KeyedResponse>('find_stored_responses', (db, value) =>
  db
    .selectFrom('idempotencyKeys')
    .select(['key', 'requestHash', 'status', 'body'])
    .where('userId', '=', value('userId'))
    .where('key', '=', sql<string>`any(${value('keys')}::text[])`)
    .where('createdAt', '>=', OLDEST)
    .forKeyShare(),
)

/**
 * Stores a response under its key, in place of an expired one. Returns nothing, and stores nothing, where the key has a
 * response already. Waits for a concurrent transaction that stores one.
 */
export const storeResponse = prepared<KeyOfUser & StoredResponse, { key: string }>('store_response', (db, value) =>
  db
    .insertInto('idempotencyKeys')
    .values({
      userId: value('userId'),
      key: value('key'),
      requestHash: value('requestHash'),
      status: value('status'),
      body: value('body'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['userId', 'key'])
        .doUpdateSet((eb) => ({
          requestHash: eb.ref('excluded.requestHash'),
          status: eb.ref('excluded.status'),
          body: eb.ref('excluded.body'),
          createdAt: eb.ref('excluded.createdAt'),
        }))
        .where('idempotencyKeys.createdAt', '<', OLDEST),
    )
    .returning('key'),
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
