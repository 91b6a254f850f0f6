import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'

/** The key with this SHA-256, unless it is revoked. The caller compares `expiresAt`. */
export const findKey = prepared<{ hash: Buffer }, { id: string; userId: string; expiresAt: Date | null }>(
  'find_key',
  (db, value) =>
    db
      .selectFrom('apiKeys')
      .select(['id', 'userId', 'expiresAt'])
      .where('hash', '=', value('hash'))
      .where('revokedAt', 'is', null),
)

export interface NewKey {
  id: string
  userId: string
  name: string | null
  hash: Buffer
  start: string
  expiresAt: Date | null
}

/** Stores a key. Throws a foreign key violation if the user does not exist. */
export function insertKey(db: Db, key: NewKey) {
  return db.insertInto('apiKeys').values(key).execute()
}

/** The user's keys without their hashes, oldest first. */
export function listKeys(db: Db, userId: string) {
  return db
    .selectFrom('apiKeys')
    .select(['id', 'name', 'start', 'expiresAt', 'revokedAt', 'createdAt'])
    .where('userId', '=', userId)
    .orderBy('id')
    .execute()
}

/** Revokes the key, unless it is revoked already. Returns false if it does not exist. */
export async function revokeKey(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('apiKeys')
    .set((eb) => ({ revokedAt: eb.fn.coalesce('revokedAt', sql<Date>`now()`) }))
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
