import type { Db } from '../../../db/client.ts'
import { newId } from '../../../db/id.ts'
import { insertKey, type NewKey } from '../../../db/queries/keys.ts'
import { generateKey, hashKey, startOfKey } from './key.ts'

interface CreatedKey {
  id: string
  /** The secret itself, which cannot be read again. */
  key: string
  start: string
  expiresAt: Date | null
}

/** Creates a key for the user. Throws a foreign key violation if the user does not exist. */
export async function createKey(db: Db, values: Omit<NewKey, 'id' | 'hash' | 'start'>): Promise<CreatedKey> {
  const key = generateKey()
  const id = newId()
  const start = startOfKey(key)
  await insertKey(db, { ...values, id, hash: hashKey(key), start })
  return { id, key, start, expiresAt: values.expiresAt }
}
