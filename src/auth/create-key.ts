import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertKey } from '../../db/queries/keys.ts'
import { generateKey, hashKey, startOfKey } from './key.ts'

export interface CreatedKey {
  id: string
  /** The secret itself, which cannot be read again. */
  key: string
  start: string
  expiresAt: Date | null
}

/** Creates a key for the user. Throws a foreign key violation if the user does not exist. */
export async function createKey(
  db: Db,
  { userId, name, expiresAt }: { userId: string; name: string | null; expiresAt: Date | null },
): Promise<CreatedKey> {
  const key = generateKey()
  const id = newId()
  const start = startOfKey(key)
  await insertKey(db, { id, userId, name, hash: hashKey(key), start, expiresAt })
  return { id, key, start, expiresAt }
}
