import { sql } from 'kysely'
import type { Db } from '../client.ts'

/** The credentials of an account as they are stored: encrypted, by the key `keyId`. */
export interface CredentialsRow {
  keyId: string
  dataKey: Buffer
  data: Buffer
}

/** Stores the credentials of an account in the place of those that it had. */
export function replaceCredentials(db: Db, accountId: string, row: CredentialsRow) {
  return db
    .insertInto('accountCredentials')
    .values({ accountId, ...row })
    .onConflict((conflict) => conflict.column('accountId').doUpdateSet({ ...row, updatedAt: sql<Date>`now()` }))
    .execute()
}

/** All credentials that another key than this one has wrapped. */
export function listCredentialsNotUnder(db: Db, keyId: string) {
  return db
    .selectFrom('accountCredentials')
    .select(['accountId', 'keyId', 'dataKey', 'data'])
    .where('keyId', '!=', keyId)
    .orderBy('accountId')
    .execute()
}

/** Puts `row`, which holds the same data, in the place of one that was `before`, unless that has been replaced since. */
export function updateDataKey(db: Db, accountId: string, before: CredentialsRow, row: CredentialsRow) {
  return db
    .updateTable('accountCredentials')
    .set({ keyId: row.keyId, dataKey: row.dataKey })
    .where('accountId', '=', accountId)
    .where('dataKey', '=', before.dataKey)
    .execute()
}
