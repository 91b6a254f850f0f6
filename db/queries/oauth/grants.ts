import { sql } from 'kysely'
import type { ConnectedApp } from '../../../schemas/connected-app.ts'
import type { Scope } from '../../../schemas/scopes.ts'
import type { Db } from '../../client.ts'
import { isoTime } from '../iso-time.ts'
import type { Page } from '../page.ts'

const ACCESS_TOKEN = sql`interval '1 hour'`
/** A refresh token that is not used for this long expires, and its grant with it. */
const REFRESH_TOKEN = sql`interval '30 days'`
const CODE = sql`interval '1 minute'`

/**
 * For how long a refresh token may be used again: the response may have been lost, and programs that share a token may
 * refresh it at the same time.
 */
const REPEATABLE = sql`interval '1 minute'`

/** A code is kept for longer than it is valid, to recognise a second use. */
const CODE_KEPT = sql`interval '1 day'`

interface ApprovedRequest {
  /** The key whose owner approved. */
  keyId: string
  clientId: string
  clientName: string
  redirectUri: string
  codeChallenge: string
  resource: string
  scopes: Scope[]
  /** Null means all accounts. */
  accountIds: string[] | null
}

export const insertCode = (db: Db, { hash, ...request }: ApprovedRequest & { hash: Buffer }) =>
  db
    .insertInto('oauthCodes')
    .values({ hash, ...request, expiresAt: sql<Date>`now() + ${CODE_KEPT}` })
    .execute()

export interface LockedCode extends ApprovedRequest {
  userId: string
  /** The key that the code was exchanged for. */
  grantKeyId: string | null
  isExpired: boolean
}

/** Locks a code until the transaction ends. Undefined if it is unknown. */
export async function lockCode(db: Db, hash: Buffer): Promise<LockedCode | undefined> {
  const { rows } = await sql<LockedCode>`
    select oauth_codes.key_id, api_keys.user_id, client_id, client_name, redirect_uri, code_challenge, resource,
      oauth_codes.scopes, oauth_codes.account_ids, grant_key_id,
      oauth_codes.expires_at - ${CODE_KEPT} + ${CODE} <= now() as is_expired
    from oauth_codes join api_keys on api_keys.id = oauth_codes.key_id
    where oauth_codes.hash = ${hash}
    for update of oauth_codes`.execute(db)
  return rows[0]
}

/** Notes that a locked code was exchanged for a key, which becomes a grant. */
export async function insertGrant(db: Db, hash: Buffer, keyId: string, request: ApprovedRequest): Promise<void> {
  const { clientId, redirectUri, resource } = request
  await db.insertInto('oauthGrants').values({ keyId, clientId, redirectUri, resource }).execute()
  await db.updateTable('oauthCodes').set({ grantKeyId: keyId }).where('hash', '=', hash).execute()
}

interface LockedToken {
  keyId: string
  userId: string
  clientId: string
  resource: string
  scopes: Scope[]
  /** The key is revoked or expired. */
  isEnded: boolean
  isExpired: boolean
  /** It has a successor. */
  isSuperseded: boolean
  /** It has had one for too long to be used again. */
  isSpent: boolean
  /** How many tokens the grant got within the last hour. */
  recentTokens: number
}

/** Locks the key of a token until the transaction ends. Undefined if the token is unknown. */
export async function lockToken(db: Db, hash: Buffer): Promise<LockedToken | undefined> {
  await sql`
    select from api_keys where id = (select key_id from oauth_tokens where hash = ${hash}) for update`.execute(db)
  // A second statement sees what another transaction has committed while this one waited for the lock.
  const { rows } = await sql<LockedToken>`
    select api_keys.id as key_id, api_keys.user_id, grants.client_id, grants.resource, api_keys.scopes,
      api_keys.revoked_at is not null or coalesce(api_keys.expires_at <= now(), false) as is_ended,
      token.expires_at <= now() as is_expired,
      token.superseded_at is not null as is_superseded,
      coalesce(token.superseded_at + ${REPEATABLE} <= now(), false) as is_spent,
      (select count(*) from oauth_tokens
        where key_id = token.key_id and created_at > now() - interval '1 hour')::integer as recent_tokens
    from oauth_tokens as token
      join oauth_grants as grants on grants.key_id = token.key_id
      join api_keys on api_keys.id = token.key_id
    where token.hash = ${hash}`.execute(db)
  return rows[0]
}

/** Notes that the refresh tokens of a grant have a successor. */
export const supersedeTokens = (db: Db, keyId: string) =>
  sql`
    update oauth_tokens set superseded_at = now()
    where key_id = ${keyId} and type = 'refresh' and superseded_at is null`.execute(db)

/** Returns for how many seconds the access token is valid: no longer than its key. */
export async function insertTokens(
  db: Db,
  keyId: string,
  { access, refresh, scopes }: { access: Buffer; refresh: Buffer; scopes: readonly Scope[] | null },
): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    with inserted as (
      insert into oauth_tokens (hash, key_id, type, expires_at, scopes)
      values (${access}, ${keyId}, 'access', now() + ${ACCESS_TOKEN}, ${scopes}::text[]),
        (${refresh}, ${keyId}, 'refresh', now() + ${REFRESH_TOKEN}, null)
    )
    select floor(extract(epoch from least(now() + ${ACCESS_TOKEN}, expires_at) - now()))::integer as seconds
    from api_keys where id = ${keyId}`.execute(db)
  return rows[0]!.seconds
}

/** A page of the connected apps of a user, newest first. */
export const listGrants = (db: Db, { userId, cursor, limit, offset }: Page): Promise<ConnectedApp[]> =>
  grants(db)
    .where('apiKeys.userId', '=', userId)
    .where('apiKeys.id', '<', cursor)
    .orderBy('apiKeys.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()

const grants = (db: Db) =>
  db
    .selectFrom('oauthGrants')
    .innerJoin('apiKeys', 'apiKeys.id', 'oauthGrants.keyId')
    .select((eb) => [
      'apiKeys.id',
      eb.fn.coalesce('apiKeys.name', sql.lit('')).as('name'),
      'oauthGrants.clientId',
      'oauthGrants.redirectUri',
      eb.ref('apiKeys.scopes').$castTo<Scope[]>().as('scopes'),
      'apiKeys.accountIds',
      isoTime<string | null>('apiKeys.expiresAt').as('expiresAt'),
      isoTime<string | null>('apiKeys.lastUsedAt').as('lastUsedAt'),
      isoTime('apiKeys.createdAt').as('createdAt'),
    ])
    .where('apiKeys.revokedAt', 'is', null)
    .where(sql<boolean>`(api_keys.expires_at is null or api_keys.expires_at > now())`)

/** Whether an app that is still connected has this key. */
export const isGrant = async (db: Db, keyId: string): Promise<boolean> =>
  (await grants(db).where('apiKeys.id', '=', keyId).executeTakeFirst()) !== undefined
