import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { after, at, type Now } from './clock.ts'

/** The encrypted credentials of an account. The key `keyId` encrypts `dataKey`, which encrypts `data`. */
export interface CredentialsRow {
  keyId: string
  dataKey: Buffer
  data: Buffer
}

/** The columns of a row that may have no secret, as one value; null if it has none. */
export const credentialsRow = ({
  keyId,
  dataKey,
  data,
}: { [Column in keyof CredentialsRow]: CredentialsRow[Column] | null }) =>
  keyId !== null && dataKey && data ? { keyId, dataKey, data } : null

/** When the access token of credentials expires, and whether they can be refreshed. */
export interface CredentialsLife {
  /** Null if it does not expire, or if the network does not say. */
  expiresAt: Date | null
  isRefreshable: boolean
}

/** Part of the life of an access token after which it is refreshed. */
const REFRESH_SHARE = 0.8
/** A token that lives for no time at all is not refreshed in a loop. */
const REFRESH_MIN_MS = 60_000

/** When tokens that are stored now are refreshed. */
export const refreshAt = (now: Now, { expiresAt, isRefreshable }: CredentialsLife) => {
  return sql<Date | null>`case
    when not ${isRefreshable}::boolean then null
    when ${expiresAt}::timestamptz is null then 'infinity'
    else greatest(
      ${at(now)} + (${expiresAt}::timestamptz - ${at(now)}) * ${REFRESH_SHARE}::float8, ${after(now, REFRESH_MIN_MS)}) end`
}

/** Inserts or replaces the credentials of an account. A refresh that runs meanwhile no longer stores anything. */
export function replaceCredentials(
  db: Db,
  accountId: string,
  row: CredentialsRow,
  life: CredentialsLife = { expiresAt: null, isRefreshable: false },
) {
  const written = { ...row, refreshAt: refreshAt(null, life) }
  return db
    .insertInto('accountCredentials')
    .values({ accountId, ...written })
    .onConflict((conflict) =>
      conflict.column('accountId').doUpdateSet((eb) => ({
        ...written,
        generation: eb('accountCredentials.generation', '+', 1),
        refreshLeaseUntil: null,
        refreshIntendedAt: null,
        refreshFailures: 0,
        updatedAt: sql<Date>`now()`,
      })),
    )
    .execute()
}

/** The credentials of an account; undefined if it has none. */
export function findCredentials(db: Db, accountId: string): Promise<CredentialsRow | undefined> {
  return db
    .selectFrom('accountCredentials')
    .select(['keyId', 'dataKey', 'data'])
    .where('accountId', '=', accountId)
    .executeTakeFirst()
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

/** The stored credentials of the next accounts after this id, in the order of ids. */
export function listCredentialsAfter(db: Db, accountId: string, limit: number) {
  return db
    .selectFrom('accountCredentials')
    .select(['accountId as id', 'keyId', 'dataKey', 'data'])
    .where('accountId', '>', accountId)
    .orderBy('accountId')
    .limit(limit)
    .execute()
}

/** The keys other than `keyIds` that encrypt credentials, with the number of accounts of each. */
export function listOtherKeys(db: Db, keyIds: string[]) {
  return db
    .selectFrom('accountCredentials')
    .select((eb) => ['keyId', eb.cast<number>(eb.fn.countAll(), 'integer').as('accounts')])
    .where('keyId', '!=', sql<string>`all(${keyIds}::text[])`)
    .groupBy('keyId')
    .orderBy('keyId')
    .execute()
}

/** Whether another key than `keyIds` encrypts any credentials. */
export async function isOtherKeyInUse(db: Db, keyIds: string[]): Promise<boolean> {
  const row = await db
    .selectFrom('accountCredentials')
    .select('accountId')
    .where('keyId', '!=', sql<string>`all(${keyIds}::text[])`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether one of the keys encrypts some credentials, or none are stored. */
export async function isKeyUsable(db: Db, keyIds: string[]): Promise<boolean> {
  const { rows } = await sql<{ isUsable: boolean }>`
    select exists (select from account_credentials where key_id = any(${keyIds}::text[]))
      or not exists (select from account_credentials) as is_usable`.execute(db)
  return rows[0]!.isUsable
}

/** Deletes the credentials that other keys than `keyIds` encrypt. Returns their number. */
export async function deleteCredentialsOfOtherKeys(db: Db, keyIds: string[]): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('accountCredentials')
    .where('keyId', '!=', sql<string>`all(${keyIds}::text[])`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/**
 * Replaces the encrypted data key of `before` by that of `row`, unless the credentials were replaced in the meantime.
 */
export function updateDataKey(db: Db, accountId: string, before: CredentialsRow, row: CredentialsRow) {
  return db
    .updateTable('accountCredentials')
    .set({ keyId: row.keyId, dataKey: row.dataKey })
    .where('accountId', '=', accountId)
    .where('dataKey', '=', before.dataKey)
    .execute()
}

/**
 * Stores the new credentials and the new id of an account on its network, unless its credentials were replaced
 * meanwhile. The old id stays if the user has connected the account under its new one, too.
 */
export async function moveAccount(
  db: Db,
  { accountId, generation, externalId }: { accountId: string; generation: number; externalId: string },
  { keyId, dataKey, data }: CredentialsRow,
): Promise<void> {
  await sql`
    with account as (select id from accounts where id = ${accountId} for no key update),
    stored as (
      update account_credentials as credentials
      set key_id = ${keyId}, data_key = ${dataKey}, data = ${data}, generation = credentials.generation + 1
      from account
      where credentials.account_id = account.id and credentials.generation = ${generation}
      returning account_id
    )
    update accounts
    set external_id = ${externalId},
      -- A group without a name is called by its id.
      username = case when username = external_id then ${externalId} else username end
    from stored
    where accounts.id = stored.account_id and not exists (
      select from accounts as other
      where other.user_id = accounts.user_id and other.platform = accounts.platform
        and other.external_id = ${externalId} and other.disconnected_at is null)`.execute(db)
}
