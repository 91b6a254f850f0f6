import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import type { CredentialsRow } from '../credentials.ts'

const COLUMNS = ['id', 'keyId', 'dataKey', 'data'] as const

/** The encrypted secrets of the next webhooks after this id, in the order of ids. */
export const listWebhookSecretsAfter = (db: Db, id: string, limit: number) =>
  db.selectFrom('webhooks').select(COLUMNS).where('id', '>', id).orderBy('id').limit(limit).execute()

/** All secrets of webhooks whose data key is encrypted by another key than `keyId`. */
export const listWebhookSecretsNotUnder = (db: Db, keyId: string) =>
  db.selectFrom('webhooks').select(COLUMNS).where('keyId', '!=', keyId).orderBy('id').execute()

/** Replaces the encrypted data key of `before` by that of `row`, unless the secret was replaced in the meantime. */
export const updateWebhookDataKey = (db: Db, id: string, before: CredentialsRow, row: CredentialsRow) =>
  db
    .updateTable('webhooks')
    .set({ keyId: row.keyId, dataKey: row.dataKey })
    .where('id', '=', id)
    .where('dataKey', '=', before.dataKey)
    .execute()

/** Deletes the webhooks whose secrets other keys than `keyIds` encrypt. Returns their number. */
export async function deleteWebhooksOfOtherKeys(db: Db, keyIds: string[]): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('webhooks')
    .where('keyId', '!=', sql<string>`all(${keyIds}::text[])`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
