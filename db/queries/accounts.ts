import { type Expression, type RawBuilder, sql } from 'kysely'
import { type AccountAttention, EXPIRING, RECONNECT_REQUIRED, REFRESH_FAILED } from '../../schemas/account.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { isoTime } from './iso-time.ts'

/**
 * Whether a row of `accounts` is connected and the user may post to it: their own, and those of their organisations.
 * With `in (…)` instead of `= any(array(…))`, Postgres cannot use the indexes of both sides of the `or`.
 */
export const reachableBy = (userId: string | Expression<string>) => sql<boolean>`(
  accounts.disconnected_at is null
  and (accounts.user_id = ${userId}
    or accounts.organization_id = any(array(
      select memberships.organization_id from memberships where memberships.user_id = ${userId}))))`

const warning = ({ code, message }: { code: string; message: string }, since: RawBuilder<unknown>) => sql`
  jsonb_build_object('code', ${sql.lit(code)}, 'message', ${sql.lit(message)}, 'since', ${isoTime(since)})`

/**
 * Why an account needs its owner: the stored reason, or else an access token that expires within 7 days and cannot be
 * refreshed, or that has expired and was not refreshed. Computed, so that nothing has to notice that a day has come.
 */
const attention = sql<AccountAttention | null>`coalesce(accounts.attention, (
  select case
    when refresh_at is not null then
      case when expires_at <= now() - interval '1 hour' then ${warning(REFRESH_FAILED, sql`expires_at`)} end
    when expires_at <= now() then ${warning(RECONNECT_REQUIRED, sql`expires_at`)}
    when expires_at <= now() + interval '1 day' then ${warning(EXPIRING, sql`(expires_at - interval '1 day')`)}
    else ${warning(EXPIRING, sql`(expires_at - interval '7 days')`)} end
  from (
    select accounts.credentials_expire_at as expires_at, refresh_at from account_credentials
    where account_credentials.account_id = accounts.id) as tokens
  where expires_at <= now() + interval '7 days'))`

const selectListed = (db: Db) =>
  db.selectFrom('accounts').select((eb) => [
    'id',
    eb.ref('platform').$castTo<PlatformId>().as('platform'),
    'username',
    'displayName',
    'textLengthMax',
    'scopes',
    isoTime<string | null>('credentialsExpireAt').as('credentialsExpireAt'),
    'externalReference',
    attention.as('attention'),
    eb
      .exists(
        eb
          .selectFrom('accountCredentials')
          .select('accountId')
          .whereRef('accountCredentials.accountId', '=', 'accounts.id'),
      )
      .$castTo<boolean>()
      .as('isConnected'),
  ])

/** The accounts that the user may post to, oldest connection first. */
export const listAccounts = prepared<{ userId: string }, ListedAccount>('list_accounts', (db, value) =>
  selectListed(db)
    .where(reachableBy(value('userId')))
    .orderBy('id'),
)

/** Those of these accounts that the user may post to, oldest connection first. */
export const listTheseAccounts = (db: Db, { userId, ids }: { userId: string; ids: string[] }) =>
  selectListed(db).where('id', '=', sql<string>`any(${ids}::uuid[])`).where(reachableBy(userId)).orderBy('id').execute()

/** Counts the connected accounts that have a stored reason why nothing can be published to them. */
export const countAttention = prepared<object, { platform: string; code: string; count: number }>(
  'count_attention',
  () => sql`
    select platform, attention ->> 'code' as code, count(*)::integer as count from accounts
    where attention is not null and disconnected_at is null
    group by platform, attention ->> 'code'`,
)

export interface AccountFilter {
  userId?: string | undefined
  platform?: PlatformId | undefined
  /** Only accounts whose owner has to act, or without credentials. */
  needsAttention: boolean
  limit: number
}

/** Accounts of all users that are not disconnected, newest first. */
export function listAllAccounts(db: Db, { userId, platform, needsAttention, limit }: AccountFilter) {
  return db
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.userId')
    .leftJoin('accountCredentials', 'accountCredentials.accountId', 'accounts.id')
    .select((eb) => [
      'accounts.id',
      eb.ref('accounts.platform').$castTo<PlatformId>().as('platform'),
      'accounts.username',
      sql<boolean>`account_credentials.account_id is not null`.as('connected'),
      attention.as('attention'),
      'accounts.userId',
      'users.name as userName',
      'accounts.organizationId',
      isoTime('accounts.createdAt').as('createdAt'),
    ])
    .where('accounts.disconnectedAt', 'is', null)
    .$if(userId !== undefined, (query) => query.where('accounts.userId', '=', userId!))
    .$if(platform !== undefined, (query) => query.where('accounts.platform', '=', platform!))
    .$if(needsAttention, (query) =>
      query.where((eb) => eb.or([eb(attention, 'is not', null), eb('accountCredentials.accountId', 'is', null)])),
    )
    .orderBy('accounts.id', 'desc')
    .limit(limit)
    .execute()
}

export interface AccountRow {
  id: string
  platform: PlatformId
  username: string
  displayName: string | null
}

/** An account as its network describes it. */
export interface AccountProfile extends AccountRow {
  /** The text limit of the account's own server, in the unit of its network; null if the network's limit applies. */
  textLengthMax: number | null
}

/** What a consent says of an account; null where there was none. */
export interface AccountConsent {
  scopes: string[] | null
  /** As ISO 8601. */
  credentialsExpireAt: string | null
  externalReference: string | null
}

export interface ListedAccount extends AccountProfile, AccountConsent {
  /** Why the owner has to act. */
  attention: AccountAttention | null
  /** Whether credentials are stored. */
  isConnected: boolean
}

export interface NewAccount extends AccountRow {
  userId: string
  organizationId: string | null
}

/** Adds an account. Throws a foreign key violation if the user or the organisation does not exist. */
export function insertAccount(db: Db, account: NewAccount) {
  return db.insertInto('accounts').values(account).execute()
}

/** An account whose credentials were checked with its network. */
export interface ConnectedAccount extends NewAccount, AccountProfile, Omit<AccountConsent, 'credentialsExpireAt'> {
  externalId: string
  limitKey: string | null
  credentialsExpireAt: Date | null
  /** The app that a refresh needs: a stored one if `appId` is set, or else one of the deployment. */
  clientId: string | null
  appId: string | null
}

/**
 * Adds an account, or updates the one that the user has connected before. An account keeps its organisation and its
 * external reference if none is given. Returns the new or existing account. Waits for a concurrent transaction that adds the
 * same account. Throws a foreign key violation if the app does not exist.
 */
export function upsertConnectedAccount(db: Db, account: ConnectedAccount): Promise<AccountProfile & AccountConsent> {
  return db
    .insertInto('accounts')
    .values(account)
    .onConflict((conflict) =>
      conflict
        .columns(['userId', 'platform', 'externalId'])
        .where('disconnectedAt', 'is', null)
        .doUpdateSet((eb) => ({
          username: eb.ref('excluded.username'),
          displayName: eb.ref('excluded.displayName'),
          textLengthMax: eb.ref('excluded.textLengthMax'),
          limitKey: eb.ref('excluded.limitKey'),
          organizationId: eb.fn.coalesce('excluded.organizationId', 'accounts.organizationId'),
          scopes: eb.ref('excluded.scopes'),
          credentialsExpireAt: eb.ref('excluded.credentialsExpireAt'),
          clientId: eb.ref('excluded.clientId'),
          appId: eb.ref('excluded.appId'),
          externalReference: eb.fn.coalesce('excluded.externalReference', 'accounts.externalReference'),
          attention: null,
        })),
    )
    .returning((eb) => [
      'accounts.id',
      eb.ref('accounts.platform').$castTo<PlatformId>().as('platform'),
      'accounts.username',
      'accounts.displayName',
      'accounts.textLengthMax',
      'accounts.scopes',
      isoTime<string | null>('accounts.credentialsExpireAt').as('credentialsExpireAt'),
      'accounts.externalReference',
    ])
    .executeTakeFirstOrThrow()
}

/** An account that the user may post to, with its owner and its id on the network; undefined if there is none. */
export function findReachableAccount(db: Db, { userId, id }: { userId: string; id: string }) {
  return db
    .selectFrom('accounts')
    .select(['userId', 'platform', 'externalId', 'username'])
    .where('id', '=', id)
    .where(reachableBy(userId))
    .executeTakeFirst()
}

/** The connected accounts with these ids on the network that the user may post to, and who owns them. */
export function findSameProfiles(
  db: Db,
  { userId, platform, externalIds }: { userId: string; platform: PlatformId; externalIds: string[] },
) {
  return db
    .selectFrom('accounts')
    .select(['id', 'userId', 'externalId'])
    .where('platform', '=', platform)
    .where('externalId', '=', sql<string>`any(${externalIds}::text[])`)
    .where(reachableBy(userId))
    .execute()
}

/** The owner of an account that the user may post to; undefined if there is no such account. */
export async function findAccountOwner(db: Db, { userId, id }: { userId: string; id: string }) {
  const account = await db
    .selectFrom('accounts')
    .select('userId')
    .where('id', '=', id)
    .where(reachableBy(userId))
    .executeTakeFirst()
  return account?.userId
}

/**
 * Disconnects the account, unless it is disconnected already, and deletes its credentials. Returns false if it does not
 * exist.
 */
export async function disconnectAccount(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .with('deletedCredentials', (db) => db.deleteFrom('accountCredentials').where('accountId', '=', id))
    .updateTable('accounts')
    .set((eb) => ({ disconnectedAt: eb.fn.coalesce('disconnectedAt', sql<Date>`now()`) }))
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
