import { isDeepStrictEqual } from 'node:util'
import { type Expression, sql } from 'kysely'
import { type AccountAttention, PAUSED } from '../../schemas/account.ts'
import type { AccountFacts } from '../../schemas/account-facts.ts'
import type { CaptionSuffix } from '../../schemas/caption-suffix.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { accountEvents } from './events/account.ts'
import { type Actor, actorJson } from './events/actor.ts'
import { isoTime } from './iso-time.ts'
import { scopesOfApp } from './oauth-apps.ts'
import { isAdministeredBy } from './roles.ts'
import { userNow } from './user-now.ts'

/** Whether a row of `accounts` is connected and the user may post to it: their own, or those of their organisations. */
export const reachableBy = (userId: string | Expression<string>) =>
  sql<boolean>`(accounts.disconnected_at is null and ${isOwnOrShared(userId)})`

/** If `= any(array(…))` were `in (…)`, Postgres could not use the indexes of both sides of the `or`. */
const isOwnOrShared = (userId: string | Expression<string>) => sql<boolean>`(
  accounts.user_id = ${userId}
    or accounts.organization_id = any(array(
      select memberships.organization_id from memberships where memberships.user_id = ${userId})))`

/**
 * Whether workers refresh the credentials of an account, as a column. Null if the account has no credentials. Needs a
 * left join of `account_credentials`: a subquery reads the whole table for each account while the table is small.
 */
export const storedCredentials = sql<StoredCredentials | null>`
  case when account_credentials.account_id is null then null
    when account_credentials.refresh_at is null then 'fixed'
    else 'refreshed' end`

/** Whether an account can be published to. In JSON, times are texts. */
export interface AccountReadiness {
  /** Why nothing can be published to the account. */
  attention: AccountAttention | null
  /** Null if the account has no credentials. */
  credentials: StoredCredentials | null
  credentialsExpireAt: Date | string | null
}

/** Why an account needs somebody: its own reason, why its app rests, or else that it is paused. */
const attentionNow = sql<AccountAttention | null>`coalesce(accounts.attention, (
  select reason from limit_rests where limit_rests.key = accounts.limit_key and limit_rests.until > now()),
  case when accounts.paused_at is not null then
    ${sql.lit(JSON.stringify(PAUSED))}::jsonb || jsonb_build_object('since', ${isoTime('accounts.paused_at')}) end)`

/** `AccountReadiness` as parts of a JSON object. */
export const readiness = {
  attention: attentionNow,
  credentials: storedCredentials,
  credentialsExpireAt: sql`accounts.credentials_expire_at`,
}

/** Whether nothing stops publishing to an account at the moment. Needs the join that `storedCredentials` needs. */
export const isReady = sql<boolean>`(${attentionNow} is null and account_credentials.account_id is not null
  and coalesce(accounts.credentials_expire_at > now(), true))`

const selectListed = (db: Db, userId: string | Expression<string>) =>
  db
    .selectFrom('accounts')
    .leftJoin('accountCredentials', 'accountCredentials.accountId', 'accounts.id')
    .select((eb) => [
      'id',
      eb.ref('platform').$castTo<PlatformId>().as('platform'),
      'username',
      'displayName',
      'textLengthMax',
      'altTextLengthMax',
      'ownDisplayName',
      eb.ref('defaultFields').$castTo<DefaultFields | null>().as('defaultFields'),
      eb.ref('captionSuffix').$castTo<CaptionSuffix | null>().as('captionSuffix'),
      'tags',
      isoTime<string | null>('accounts.pausedAt').as('pausedAt'),
      'scopes',
      'credentialsExpireAt',
      'externalReference',
      eb.ref('metadata').$castTo<Record<string, string> | null>().as('metadata'),
      'userId',
      'organizationId',
      'externalId',
      scopesOfApp.as('appScopes'),
      attentionNow.as('attention'),
      storedCredentials.as('credentials'),
      sql<boolean>`exists (select from avatars where avatars.account_id = accounts.id)`.as('hasAvatar'),
      isAdministeredBy(userId).as('isAdministered'),
    ])

/** The accounts that the user may post to, oldest connection first. */
export const listAccounts = prepared<{ userId: string }, ListedAccount>('list_accounts', (db, value) =>
  selectListed(db, value('userId'))
    .where(reachableBy(value('userId')))
    .orderBy('id'),
)

/** Those of these accounts that the user may post to, oldest connection first. */
export const listTheseAccounts = (db: Db, { userId, ids }: { userId: string; ids: string[] }) =>
  selectListed(db, userId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where(reachableBy(userId))
    .orderBy('id')
    .execute()

/** The ids of the accounts with a tag: the user's own and those of their organisations, disconnected ones too. */
export async function listTaggedAccountIds(db: Db, { userId, tag }: { userId: string; tag: string }) {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where(sql<boolean>`${isOwnOrShared(userId)} and ${tag}::text = any(tags)`)
    .execute()
  return rows.map(({ id }) => id)
}

/** The account as `listTheseAccounts` returns it, with its facts, locked for the rest of the transaction. */
export const lockAccount = (db: Db, { userId, id }: { userId: string; id: string }) =>
  selectListed(db, userId)
    .select((eb) => eb.ref('facts').$castTo<AccountFacts | null>().as('facts'))
    .where('id', '=', id)
    .where(reachableBy(userId))
    .forNoKeyUpdate('accounts')
    .executeTakeFirst()

/** Stores the settings of a locked account, and writes the event of a change. */
export async function storeSettings(
  db: Db,
  id: string,
  { before, after, keyId }: { before: AccountSettings; after: AccountSettings } & Actor,
): Promise<void> {
  const { ownDisplayName, defaultFields, captionSuffix, tags, pausedAt } = after
  const changed = [
    ...(ownDisplayName === before.ownDisplayName ? [] : ['displayName']),
    ...(isDeepStrictEqual(defaultFields, before.defaultFields) ? [] : ['defaultFields']),
    ...(isDeepStrictEqual(captionSuffix, before.captionSuffix) ? [] : ['captionSuffix']),
    ...(isDeepStrictEqual(tags, before.tags) ? [] : ['tags']),
    ...(pausedAt === before.pausedAt ? [] : ['paused']),
  ]
  await sql`
    with account as (
      update accounts
      set own_display_name = ${ownDisplayName},
        default_fields = ${defaultFields && JSON.stringify(defaultFields)}::jsonb,
        caption_suffix = ${captionSuffix && JSON.stringify(captionSuffix)}::jsonb,
        tags = ${tags}::text[],
        paused_at = ${pausedAt}::timestamptz,
        resumed_at = case when ${pausedAt === null && before.pausedAt !== null} then ${userNow(sql.ref<string>('accounts.user_id'))}
          else resumed_at end,
        event_count = event_count + 1
      where id = ${id}
      returning *
    )
    insert into event_outbox (user_id, type, account_ids, data)
    ${accountEvents('account', {
      type: sql`'account.updated'`,
      facts: sql`jsonb_build_object('changed', ${JSON.stringify(changed)}::jsonb, 'actor', ${actorJson(keyId)})`,
    })}`.execute(db)
}

interface AccountFilter {
  userId?: string | undefined
  platform?: PlatformId | undefined
  /** Only accounts with a stored reason, without credentials, or whose credentials expire by these times. */
  needsAttention?: Record<StoredCredentials, Date> | undefined
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
      attentionNow.as('attention'),
      'accounts.credentialsExpireAt',
      storedCredentials.as('credentials'),
      'accounts.userId',
      'users.name as userName',
      'accounts.organizationId',
      isoTime('accounts.createdAt').as('createdAt'),
    ])
    .where('accounts.disconnectedAt', 'is', null)
    .$if(userId !== undefined, (query) => query.where('accounts.userId', '=', userId!))
    .$if(platform !== undefined, (query) => query.where('accounts.platform', '=', platform!))
    .$if(needsAttention !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb(attentionNow, 'is not', null),
          eb(storedCredentials, 'is', null),
          eb(
            'accounts.credentialsExpireAt',
            '<=',
            sql<Date>`case ${storedCredentials} when 'fixed' then ${needsAttention!.fixed}::timestamptz else ${needsAttention!.refreshed} end`,
          ),
        ]),
      ),
    )
    .orderBy('accounts.id', 'desc')
    .limit(limit)
    .execute()
}

interface AccountRow {
  id: string
  platform: PlatformId
  username: string
  displayName: string | null
}

/** An account as its network describes it. */
export interface AccountProfile extends AccountRow {
  /** The text limit of the account's own server, in the unit of its network; null if the network's limit applies. */
  textLengthMax: number | null
  /** The longest alternative text that the account's own server keeps; null if the network's limit applies. */
  altTextLengthMax: number | null
}

/** For comparison. Null without facts. */
export const digestOfFacts = sql<string | null>`md5(accounts.facts::text)`

/** The facts about an account that its consent states; null if it has no consent. */
export interface AccountConsent {
  scopes: string[] | null
  credentialsExpireAt: Date | null
  externalReference: string | null
  metadata: Record<string, string> | null
}

/** The options of a network that new posts for an account get. */
export type DefaultFields = Record<string, unknown>

/** The settings of an account, which its network does not know. */
export interface AccountSettings {
  ownDisplayName: string | null
  defaultFields: DefaultFields | null
  captionSuffix: CaptionSuffix | null
  /** Null without any. */
  tags: string[] | null
  /** Since when its owner has paused it; null if it is not paused. */
  pausedAt: string | null
}

/** Whose an account is. */
export interface AccountOwner {
  userId: string
  organizationId: string | null
  /** Whether the user whom it is shown to is an admin of its organisation. */
  isAdministered?: boolean
}

/** Workers renew `refreshed` credentials; `fixed` ones end when they expire. */
export type StoredCredentials = 'fixed' | 'refreshed'

export interface ListedAccount
  extends AccountProfile,
    AccountConsent,
    AccountSettings,
    AccountOwner,
    Pick<AccountReadiness, 'attention' | 'credentials'> {
  hasAvatar: boolean
  /** Null for an account without credentials. */
  externalId: string | null
  appScopes: string[] | null
}

export interface NewAccount extends AccountRow {
  userId: string
  organizationId: string | null
}

/** Adds an account. Throws a foreign key violation if the user or the organisation does not exist. */
export function insertAccount(db: Db, account: NewAccount) {
  return db.insertInto('accounts').values(account).execute()
}

/**
 * An account that the user may post to, with its owner and its id on the network. Undefined if it is unknown or not
 * theirs.
 */
export function findReachableAccount(db: Db, { userId, id }: { userId: string; id: string }) {
  return db
    .selectFrom('accounts')
    .select([
      'userId',
      'platform',
      'externalId',
      'username',
      'organizationId',
      isAdministeredBy(userId).as('isAdministered'),
    ])
    .where('id', '=', id)
    .where(reachableBy(userId))
    .executeTakeFirst()
}

/** An account, as the addresses of its posts name it. */
export function findAddressedAccount(db: Db, id: string) {
  return db.selectFrom('accounts').select(['username', 'externalId']).where('id', '=', id).executeTakeFirstOrThrow()
}

/**
 * An account that the user may post to, with its encrypted credentials if it has some; undefined if there is no such
 * account.
 */
export function findReachableCredentials(db: Db, { userId, id }: { userId: string; id: string }) {
  return db
    .selectFrom('accounts')
    .leftJoin('accountCredentials', 'accountCredentials.accountId', 'accounts.id')
    .select((eb) => [eb.ref('platform').$castTo<PlatformId>().as('platform'), 'generation', 'keyId', 'dataKey', 'data'])
    .where('id', '=', id)
    .where(reachableBy(userId))
    .executeTakeFirst()
}
