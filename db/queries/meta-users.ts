import { sql } from 'kysely'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Db } from '../client.ts'
import { type CredentialsRow, credentialsRow } from './credentials.ts'

/** All stored apps with this client id, also those that were replaced. */
export const listAppsOfClient = (db: Db, { platform, clientId }: { platform: PlatformId; clientId: string }) =>
  db
    .selectFrom('oauthApps')
    .select(['id', 'keyId', 'dataKey', 'data'])
    .where('platform', '=', platform)
    .where('clientId', '=', clientId)
    .orderBy('id')
    .execute()

interface AccountOfApp {
  accountId: string
  externalId: string | null
  /** Null for an account without credentials. */
  sealed: CredentialsRow | null
}

/** The next accounts after this id that were connected with an app; without `appId`, with that of the deployment. */
export async function listAccountsOfApp(
  db: Db,
  app: { platform: PlatformId; clientId: string; appId: string | null; after: string; limit: number },
): Promise<AccountOfApp[]> {
  const rows = await db
    .selectFrom('accounts')
    .leftJoin('accountCredentials', 'accountCredentials.accountId', 'accounts.id')
    .select(['accounts.id', 'externalId', 'keyId', 'dataKey', 'data'])
    .where('platform', '=', app.platform)
    .where('clientId', '=', app.clientId)
    .where('appId', app.appId === null ? 'is' : '=', app.appId)
    .where('disconnectedAt', 'is', null)
    .where('accounts.id', '>', app.after)
    .orderBy('accounts.id')
    .limit(app.limit)
    .execute()
  return rows.map(({ id: accountId, externalId, ...secret }) => ({
    accountId,
    externalId,
    sealed: credentialsRow(secret),
  }))
}

/** Deletes credentials that were stored until a time: the owner may have connected the accounts again since. */
export async function deleteCredentialsUntil(db: Db, accountIds: string[], time: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('accountCredentials')
    .where('accountId', '=', sql<string>`any(${accountIds}::uuid[])`)
    .where('updatedAt', '<=', time)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Disconnects accounts, and deletes their credentials, names and ids. */
export async function forgetAccounts(db: Db, accountIds: string[]): Promise<number> {
  const ids = sql<string>`any(${accountIds}::uuid[])`
  const { numUpdatedRows } = await db
    .with('deletedCredentials', (db) => db.deleteFrom('accountCredentials').where('accountId', '=', ids))
    .updateTable('accounts')
    .set((eb) => ({
      disconnectedAt: eb.fn.coalesce('disconnectedAt', sql<Date>`now()`),
      username: 'deleted',
      displayName: null,
      externalId: null,
      limitKey: null,
    }))
    .where('id', '=', ids)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
