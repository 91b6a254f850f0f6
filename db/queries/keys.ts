import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { ApiKey, CurrentApiKey } from '../../schemas/key.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import type { DB } from '../types.ts'
import type { Actor } from './events/actor.ts'
import { insertKeyEvents } from './events/key.ts'
import { isoTime } from './iso-time.ts'

/** The rights of a key. */
export interface KeyRights {
  /** Null allows all scopes that act for its user. */
  scopes: readonly Scope[] | null
  /** The accounts that it may use; null if these are all of its user. */
  accountIds: readonly string[] | null
}

interface FoundKey extends KeyRights {
  id: string
  userId: string
  expiresAt: Date | null
  /** The address that an access token is for. Absent of an API key, which is for all. */
  resource?: string
}

/** The key with this SHA-256, unless it is revoked. The caller compares `expiresAt`. */
export const findKey = prepared<{ hash: Buffer }, FoundKey>('find_key', (db, value) =>
  db
    .selectFrom('apiKeys')
    .select((eb) => [
      'id',
      'userId',
      'expiresAt',
      eb.ref('scopes').$castTo<Scope[] | null>().as('scopes'),
      'accountIds',
    ])
    .where('hash', '=', value('hash'))
    .where('revokedAt', 'is', null),
)

/** The key of the grant that has this access token, with the earlier expiry of the two, and the resource. */
export const findKeyByToken = prepared<{ hash: Buffer }, FoundKey>(
  'find_key_by_token',
  (_db, value) => sql`
    select api_keys.id, api_keys.user_id, least(oauth_tokens.expires_at, api_keys.expires_at) as expires_at,
      case when oauth_tokens.scopes is null then api_keys.scopes
        else array(select unnest(oauth_tokens.scopes) intersect select unnest(api_keys.scopes)) end as scopes,
      api_keys.account_ids, oauth_grants.resource
    from oauth_tokens
      join api_keys on api_keys.id = oauth_tokens.key_id
      join oauth_grants on oauth_grants.key_id = oauth_tokens.key_id
    where oauth_tokens.hash = ${value('hash')} and oauth_tokens.type = 'access' and api_keys.revoked_at is null`,
)

/** The key with this id, unless it is revoked. The caller compares `expiresAt`. */
export const findKeyById = prepared<{ id: string }, KeyRights & { expiresAt: Date | null }>(
  'find_key_by_id',
  (db, value) =>
    db
      .selectFrom('apiKeys')
      .select((eb) => [eb.ref('scopes').$castTo<Scope[] | null>().as('scopes'), 'accountIds', 'expiresAt'])
      .where('id', '=', value('id'))
      .where('revokedAt', 'is', null),
)

/** Those of these keys that are revoked or expired. */
export const listEndedKeys = prepared<{ ids: string[] }, { id: string }>(
  'list_ended_keys',
  (_db, value) => sql`
    select wanted.id
    from unnest(${value('ids')}::uuid[]) as wanted(id)
    left join api_keys on api_keys.id = wanted.id
    where api_keys.id is null or api_keys.revoked_at is not null or api_keys.expires_at <= now()`,
)

export interface NewKey {
  id: string
  userId: string
  name: string | null
  hash: Buffer
  start: string
  expiresAt: Date | null
  scopes?: readonly Scope[] | null
  accountIds?: readonly string[] | null
  /** The key that this one replaces. */
  replaces?: string | null
  /** The key whose budget this one shares. */
  budgetId?: string | null
  /** The key of the request; absent for the operator. */
  createdBy?: string
}

/** Stores a key, and writes its event. Throws a foreign key violation if the user does not exist. */
export async function insertKey(
  db: Db,
  { scopes = null, accountIds = null, createdBy, ...key }: NewKey,
): Promise<void> {
  const created = db
    .insertInto('apiKeys')
    .values({ ...key, scopes: scopes && [...scopes], accountIds: accountIds && [...accountIds], eventCount: 1 })
    .returningAll()
  await sql`
    with created as (${created})
    ${insertKeyEvents('created', key.replaces ? 'key.rotated' : 'key.created', { keyId: createdBy ?? null })}`.execute(
    db,
  )
}

/** The columns of a key in the API. */
export const shownKey = (eb: ExpressionBuilder<DB, 'apiKeys'>) =>
  [
    'id',
    'userId',
    'name',
    'start',
    eb.ref('scopes').$castTo<Scope[] | null>().as('scopes'),
    'accountIds',
    isoTime<string | null>('expiresAt').as('expiresAt'),
    isoTime<string | null>('lastUsedAt').as('lastUsedAt'),
    isoTime('createdAt').as('createdAt'),
    'replaces',
    eb
      .selectFrom('apiKeys as successor')
      .select('successor.id')
      .whereRef('successor.replaces', '=', 'apiKeys.id')
      .where('successor.revokedAt', 'is', null)
      .as('replacedBy'),
  ] as const

/** A key of the user that is not revoked. Undefined if the id is unknown. */
export const findOwnKey = (db: Db, { userId, id }: { userId: string; id: string }): Promise<ApiKey | undefined> =>
  db
    .selectFrom('apiKeys')
    .select(shownKey)
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()

/** The key of a request, with the name of its user. Undefined if it was revoked. */
export const findCurrentKey = (db: Db, id: string): Promise<CurrentApiKey | undefined> =>
  db
    .selectFrom('apiKeys')
    .select(shownKey)
    .select((eb) =>
      eb
        .selectFrom('users')
        .select('users.name')
        .whereRef('users.id', '=', 'apiKeys.userId')
        .$asScalar()
        .$notNull()
        .as('userName'),
    )
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()

/** The user's keys without their hashes, revoked ones included, oldest first. */
export function listKeys(db: Db, userId: string) {
  return db
    .selectFrom('apiKeys')
    .select(['id', 'name', 'start', 'scopes', 'accountIds', 'expiresAt', 'lastUsedAt', 'revokedAt', 'createdAt'])
    .where('userId', '=', userId)
    .orderBy('id')
    .execute()
}

/**
 * Deletes the webhooks that a revoked key has created, if it is that of an app. A statement of its own sees those that
 * were created while the revocation waited for the lock of the key.
 */
export const deleteWebhooksOfApp = (db: Db, keyId: string) =>
  sql`
    delete from webhooks using oauth_grants join api_keys on api_keys.id = oauth_grants.key_id
    where api_keys.id = ${keyId} and webhooks.user_id = api_keys.user_id and webhooks.created_by = api_keys.id`.execute(
    db,
  )

/** Revokes the key, unless it is revoked already. Returns false if it does not exist. */
export async function revokeKey(db: Db, id: string): Promise<boolean> {
  const found = await db.selectFrom('apiKeys').select('id').where('id', '=', id).executeTakeFirst()
  await revokeKeyWhere(db, sql`id = ${id}`, { keyId: null })
  await deleteWebhooksOfApp(db, id)
  return found !== undefined
}

/** Revokes the key that meets a condition and is not revoked, and writes its event. Returns whether there was one. */
export async function revokeKeyWhere(db: Db, condition: RawBuilder<unknown>, actor: Actor): Promise<boolean> {
  const { rows } = await sql`
    with revoked as (
      update api_keys set revoked_at = now(), event_count = event_count + 1
      where ${condition} and revoked_at is null
      returning *
    ),
    event as (${insertKeyEvents('revoked', 'key.revoked', actor)})
    select from revoked`.execute(db)
  return rows.length > 0
}

/**
 * Notes that these keys were used just now, except for those that were noted within the last minute. Rows that another
 * process writes are skipped: it notes the same.
 */
export const noteKeyUse = prepared<{ ids: string[] }, never>(
  'note_key_use',
  (_db, value) => sql`
    update api_keys set last_used_at = now()
    where id in (
      select id from api_keys
      where id = any(${value('ids')}::uuid[])
        and (last_used_at is null or last_used_at <= now() - interval '1 minute')
      for no key update skip locked)`,
)
