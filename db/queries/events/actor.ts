import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Db } from '../../client.ts'

/** Who changes something. */
export interface Actor {
  /** The key of the request; null for the operator. */
  keyId: string | null
}

/** The property `actor` of an event; null for the operator. */
export const actorJson = (keyId: string | null | RawBuilder<string | null>) =>
  sql`case when ${keyId}::text is not null then jsonb_build_object('keyId', ${keyId}::text) end`

/** Makes the triggers name the key in events of this transaction. */
export const setActor = (keyId: string | null | Expression<string | null>) =>
  sql<string>`set_config('postroom.key_id', coalesce(${keyId}::text, ''), true)`

/** Makes the triggers name the key in events of this transaction. */
export async function actAs(db: Db, { keyId }: Actor): Promise<void> {
  await sql`select ${setActor(keyId)}`.execute(db)
}

/** Runs `work` in a transaction without a key: events name none, and deliveries keep the keys that pay for them. */
export async function withoutActor(db: Db, work: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ keyId: string | null }>`
    select nullif(current_setting('postroom.key_id', true), '') as key_id`.execute(db)
  await actAs(db, { keyId: null })
  await work()
  await actAs(db, rows[0]!)
}
