import { type Expression, sql } from 'kysely'
import type { Db } from '../../client.ts'

/** Who changes something. */
export interface Actor {
  /** The key of the request; null for the operator. */
  keyId: string | null
}

/** Makes the triggers name the key in events of this transaction. */
export const setActor = (keyId: string | null | Expression<string | null>) =>
  sql<string>`set_config('postroom.key_id', coalesce(${keyId}::text, ''), true)`

/** Makes the triggers name the key in events of this transaction. */
export async function actAs(db: Db, { keyId }: Actor): Promise<void> {
  await sql`select ${setActor(keyId)}`.execute(db)
}
