import { sql } from 'kysely'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Db } from '../client.ts'
import { inTransaction } from '../transaction.ts'
import type { CredentialsRow } from './credentials.ts'

/** A stored app of a network. */
export interface AppRow extends CredentialsRow {
  id: string
  clientId: string
  scopes: string[] | null
}

/** The app that an account was connected with: a stored one, or else one of the deployment. */
export interface AppOfAccount {
  platform: PlatformId
  /** Null if the account was connected with credentials. */
  clientId: string | null
  appId: string | null
  appKeyId: string | null
  appDataKey: Buffer | null
  appData: Buffer | null
}

const COLUMNS = ['id', 'clientId', 'scopes', 'keyId', 'dataKey', 'data'] as const

/** The app for new connections: that of the organisation, or else that of the user. */
export function findApp(
  db: Db,
  { platform, userId, organizationId }: { platform: PlatformId; userId: string; organizationId: string | null },
): Promise<AppRow | undefined> {
  return db
    .selectFrom('oauthApps')
    .select(COLUMNS)
    .where('platform', '=', platform)
    .where('replacedAt', 'is', null)
    .where((eb) => eb.or([eb('userId', '=', userId), eb('organizationId', '=', organizationId)]))
    .orderBy('organizationId', (order) => order.asc().nullsLast())
    .executeTakeFirst()
}

/**
 * The scopes of the app that `findApp` finds for the owner of an account. Null if there is no app, if it asks for those
 * of its network, and for an account without scopes.
 */
export const scopesOfApp = sql<string[] | null>`case when accounts.scopes is not null then (
  select scopes from oauth_apps where platform = accounts.platform and replaced_at is null
    and (user_id = accounts.user_id or organization_id = accounts.organization_id)
  order by organization_id nulls last limit 1) end`

/** A server that an app is registered with, and the redirect URI that the app is valid for. */
interface ServerOfApp {
  platform: PlatformId
  server: string
  redirectUri: string
}

/** The current app that Postroom has registered with a server. */
export const findServerApp = (db: Db, key: ServerOfApp): Promise<AppRow | undefined> =>
  selectServerApp(db, key).executeTakeFirst()

const selectServerApp = (db: Db, { platform, server, redirectUri }: ServerOfApp) =>
  db
    .selectFrom('oauthApps')
    .select(COLUMNS)
    .where('platform', '=', platform)
    .where('server', '=', server)
    .where('redirectUri', '=', redirectUri)
    .where('replacedAt', 'is', null)

/**
 * Adds an app that was registered with a server, in place of the app with the id `before`. Returns the current app:
 * that of another process if it was faster.
 */
export async function replaceServerApp(db: Db, app: AppRow & ServerOfApp, before: string | undefined): Promise<AppRow> {
  await inTransaction(db, async (transaction) => {
    if (before !== undefined) await retireApp(transaction, before)
    await transaction
      .insertInto('oauthApps')
      .values(app)
      .onConflict((conflict) =>
        conflict
          .columns(['platform', 'server', 'redirectUri'])
          .where('server', 'is not', null)
          .where('replacedAt', 'is', null)
          .doNothing(),
      )
      .execute()
  })
  return selectServerApp(db, app).executeTakeFirstOrThrow()
}

/** An app by its id, unless it was replaced or deleted. */
export function findCurrentApp(db: Db, id: string): Promise<AppRow | undefined> {
  return db
    .selectFrom('oauthApps')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('replacedAt', 'is', null)
    .executeTakeFirst()
}

/** Prevents that the app is replaced or deleted before the transaction ends. Returns false if it was. */
export async function lockCurrentApp(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('oauthApps')
    .select('id')
    .where('id', '=', id)
    .where('replacedAt', 'is', null)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

/** Who stores an app: a user, or an organisation. */
export type AppOwner = { userId: string } | { organizationId: string }

/** The current apps of the user and of the organisations that the user belongs to. */
export async function listApps(db: Db, userId: string) {
  const { rows } = await sql<{
    platform: PlatformId
    organizationId: string | null
    clientId: string
    scopes: string[] | null
  }>`
    select platform, organization_id, client_id, scopes from oauth_apps
    where replaced_at is null and (
      user_id = ${userId}
      or organization_id in (select organization_id from memberships where memberships.user_id = ${userId}))
    order by id`.execute(db)
  return rows
}

/**
 * Locks the owner, so that no other transaction stores or deletes an app of the owner before this one ends. Returns the
 * current app of the network, and whether connected accounts need it.
 */
export async function lockApp(
  db: Db,
  owner: AppOwner,
  platform: PlatformId,
): Promise<{ id: string; clientId: string; isUsed: boolean } | undefined> {
  const isUser = 'userId' in owner
  const id = isUser ? owner.userId : owner.organizationId
  await sql`select from ${sql.table(isUser ? 'users' : 'organizations')} where id = ${id} for no key update`.execute(db)
  const { rows } = await sql<{ id: string; clientId: string }>`
    select id, client_id from oauth_apps
    where ${sql.ref(isUser ? 'user_id' : 'organization_id')} = ${id} and platform = ${platform} and replaced_at is null
    for update`.execute(db)
  const [app] = rows
  if (!app) return undefined
  // A statement of its own: the first may have waited for a connection that ends with another account of the app.
  const used = await db
    .selectFrom('accounts')
    .select('id')
    .where('appId', '=', app.id)
    .where('disconnectedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return { ...app, isUsed: used !== undefined }
}

type NewApp = AppRow & AppOwner & { platform: PlatformId }

export const insertApp = (db: Db, app: NewApp) => db.insertInto('oauthApps').values(app).execute()

/** Replaces the secret and the scopes of an app. */
export const updateApp = (db: Db, id: string, app: CredentialsRow & Pick<AppRow, 'scopes'>) =>
  db.updateTable('oauthApps').set(app).where('id', '=', id).execute()

/** Keeps the app for the accounts that were connected with it, and for no new ones. */
export const retireApp = (db: Db, id: string) =>
  db.updateTable('oauthApps').set({ replacedAt: sql<Date>`now()` }).where('id', '=', id).execute()

export const deleteApp = (db: Db, id: string) => db.deleteFrom('oauthApps').where('id', '=', id).execute()

/**
 * Deletes apps that no connected account and no open connection needs: those that were replaced, and those that
 * Postroom registered with a server more than a day ago. Returns how many.
 */
export async function deleteUnneededApps(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from oauth_apps
    where id in (
      select id from oauth_apps
      where (replaced_at is not null or server is not null and created_at < now() - interval '1 day')
        and not exists (select from accounts where app_id = oauth_apps.id and disconnected_at is null)
        and not exists (
          select from connections
          where app_id = oauth_apps.id and state in ('opened', 'choosing') and expires_at > now())
      limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}

/** The stored secrets of the next apps after this id, in the order of ids. */
export const listAppsAfter = (db: Db, id: string, limit: number) =>
  db
    .selectFrom('oauthApps')
    .select(['id', 'keyId', 'dataKey', 'data'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()

/** All secrets of apps whose data key is encrypted by another key than `keyId`. */
export function listAppsNotUnder(db: Db, keyId: string) {
  return db
    .selectFrom('oauthApps')
    .select(['id', 'keyId', 'dataKey', 'data'])
    .where('keyId', '!=', keyId)
    .orderBy('id')
    .execute()
}

/** Replaces the encrypted data key of `before` by that of `row`, unless the secret was replaced in the meantime. */
export function updateAppDataKey(db: Db, id: string, before: CredentialsRow, row: CredentialsRow) {
  return db
    .updateTable('oauthApps')
    .set({ keyId: row.keyId, dataKey: row.dataKey })
    .where('id', '=', id)
    .where('dataKey', '=', before.dataKey)
    .execute()
}

/** Deletes the apps whose secrets other keys than `keyIds` encrypt. Returns their number. */
export async function deleteAppsOfOtherKeys(db: Db, keyIds: string[]): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('oauthApps')
    .where('keyId', '!=', sql<string>`all(${keyIds}::text[])`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
