import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { jsonColumns } from './json-columns.ts'

/** The response to the request that used a key first. */
interface StoredResponse {
  /** SHA-256 of the request. */
  requestHash: Buffer
  status: number
  /** The bytes that were sent, as text. */
  body: string
}

/** A response with the key that it is stored under. */
export interface KeyedResponse extends StoredResponse {
  key: string
  /** The key of the request, if `key` is an `ownKey` in its place. */
  takenKey: string | null
  /** A digest of the rights of the request's API key: see `digestRights`. */
  rights: string
}

/** A stored response. Its `rights` are null if an earlier version stored it. */
type FoundResponse = Omit<KeyedResponse, 'rights' | 'takenKey'> & { rights: string | null }

/** Several keys of a user. */
interface KeysOfUser {
  userId: string
  keys: readonly string[]
}

/** Keys that are older are expired. */
const OLDEST = sql<Date>`now() - interval '24 hours'`

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
 * The key under which a response is stored if API keys that allow something else have used the `Idempotency-Key`. The
 * header cannot contain the space.
 */
export const ownKey = (rights: string, key: string): string => `${rights} ${key}`

/** The columns of a `KeyedResponse`. */
const RESPONSE = jsonColumns({
  key: 'text',
  takenKey: 'text',
  requestHash: 'bytea',
  status: 'integer',
  body: 'text',
  rights: 'text',
})

/** The row of a response that `toJson` has written. */
export const responseOf = (json: RawBuilder<unknown>) =>
  sql`jsonb_to_record(${json}) as response(${RESPONSE.definitions})`

export const toJson = ({ requestHash, ...response }: KeyedResponse) =>
  RESPONSE.toJson({ ...response, requestHash: `\\x${requestHash.toString('hex')}` })

/**
 * The queries `taken` and `stored` of a statement, which store the responses of `items`: rows of `responseOf` with a
 * `user_id`. `stored` has the keys of those that it inserted, in place of expired ones: a row is left out if its key
 * has a response. Waits for concurrent transactions that store one. All statements lock keys in one order, so that none
 * deadlocks with another; a statement with a taken key has no other item.
 *
 * The response of a taken key is kept for as long as that of the `ownKey`: otherwise, a repeated request would find the
 * key free. Nothing is stored if that response has expired.
 */
export const responsesWithTakenKeys = (items: RawBuilder<unknown>) => sql`
  taken as (
    update idempotency_keys as other
    set created_at = now(), rights_at = case when other.rights_at = other.created_at then now() end
    from ${items} as item
    where other.user_id = item.user_id and other.key = item.taken_key and other.created_at >= ${OLDEST}
    returning other.user_id, other.key
  ),
  ${storedResponses(sql`(
    select * from ${items} as item
    where taken_key is null or (user_id, taken_key) in (select user_id, key from taken)) as item`)}`

/**
 * The same for responses whose keys are free. A look for taken keys would cost each of them a fifth of its throughput.
 */
export const storedResponses = (items: RawBuilder<unknown>) => sql`
  stored as (
    insert into idempotency_keys (user_id, key, request_hash, status, body, rights)
    select user_id, key, request_hash, status, body, rights
    from ${items}
    order by user_id, key
    on conflict (user_id, key) do update
      set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
        rights = excluded.rights, created_at = excluded.created_at, rights_at = excluded.rights_at
      where idempotency_keys.created_at < ${OLDEST}
    returning user_id, key
  )`

const insertResponse = prepared<{ userId: string; response: string }, { key: string }>(
  'store_response',
  (_db, value) => sql`
    with item as (
      select ${value('userId')}::uuid as user_id, response.* from ${responseOf(sql`${value('response')}::jsonb`)}
    ),
    ${responsesWithTakenKeys(sql`item`)}
    select key from stored`,
)

/** Stores a response under its key, and returns whether it did: see `responsesWithTakenKeys`. */
export const storeResponse = async (db: Db, userId: string, response: KeyedResponse): Promise<boolean> =>
  (await insertResponse(db, { userId, response: JSON.stringify(toJson(response)) })).length === 1

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
