import { sql } from 'kysely'
import type { Db } from '../client.ts'

/** The encrypted credentials of an account. The key `keyId` encrypts `dataKey`, which encrypts `data`. */
export interface CredentialsRow {
  keyId: string
  dataKey: Buffer
  data: Buffer
}

/** Inserts or replaces the credentials of an account. */
export function replaceCredentials(db: Db, accountId: string, row: CredentialsRow) {
  return db
    .insertInto('accountCredentials')
    .values({ accountId, ...row })
    .onConflict((conflict) => conflict.column('accountId').doUpdateSet({ ...row, updatedAt: sql<Date>`now()` }))
    .execute()
}

/** All credentials whose data key is encrypted by another key than `keyId`. */
export function listCredentialsNotUnder(db: Db, keyId: string) {
  return db
    .selectFrom('accountCredentials')
    .select(['accountId', 'keyId', 'dataKey', 'data'])
    .where('keyId', '!=', keyId)
    .orderBy('accountId')
    .execute()
}

/** Replaces the encrypted data key of `before` by that of `row`, unless the credentials were replaced in the meantime. */
export function updateDataKey(db: Db, accountId: string, before: CredentialsRow, row: CredentialsRow) {
  return db
    .updateTable('accountCredentials')
    .set({ keyId: row.keyId, dataKey: row.dataKey })
    .where('accountId', '=', accountId)
    .where('dataKey', '=', before.dataKey)
    .execute()
}
