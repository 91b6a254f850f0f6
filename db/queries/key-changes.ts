import { sql } from 'kysely'
import type { ApiKey } from '../../schemas/key.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { Db } from '../client.ts'
import type { Actor } from './events/actor.ts'
import { deleteWebhooksOfApp, type KeyRights, revokeKeyWhere, shownKey } from './keys.ts'
import type { Page } from './page.ts'

// Operations of a user on the user's own keys.

/** A page of the user's keys that are not revoked, newest first. */
export const listOwnKeys = (db: Db, { userId, cursor, limit, offset }: Page): Promise<ApiKey[]> =>
  db
    .selectFrom('apiKeys')
    .select(shownKey)
    .where('userId', '=', userId)
    .where('id', '<', cursor)
    .where('revokedAt', 'is', null)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()

export interface LockedKey extends KeyRights {
  id: string
  name: string | null
  expiresAt: Date | null
  isExpired: boolean
}

/** Locks a key of the user until the transaction ends. Undefined if the key is revoked or unknown. */
export const lockKey = (db: Db, { userId, id }: { userId: string; id: string }): Promise<LockedKey | undefined> =>
  db
    .selectFrom('apiKeys')
    .select((eb) => [
      'id',
      'name',
      eb.ref('scopes').$castTo<Scope[] | null>().as('scopes'),
      'accountIds',
      'expiresAt',
      sql<boolean>`coalesce(expires_at <= now(), false)`.as('isExpired'),
    ])
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** The most active keys of a user, those of connected apps included: each has quotas of its own. */
export const KEYS_MAX = 500

/** Whether the user has as many active keys as one may have. Others create no keys until the transaction ends. */
export async function hasMostKeys(db: Db, userId: string): Promise<boolean> {
  await sql`select from users where id = ${userId} for no key update`.execute(db)
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from api_keys
    where user_id = ${userId} and revoked_at is null and (expires_at is null or expires_at > now())`.execute(db)
  return rows[0]!.count >= KEYS_MAX
}

interface KeyChanges {
  name?: string
  scopes?: Scope[]
  accountIds?: string[]
  expiresAt?: Date
}

/** Changes a locked key. */
export const changeKey = (db: Db, id: string, changes: KeyChanges) =>
  db.updateTable('apiKeys').set(changes).where('id', '=', id).execute()

/** Whether another key replaces a locked key. */
export async function isReplaced(db: Db, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('apiKeys')
    .select('id')
    .where('replaces', '=', id)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
  return found !== undefined
}

/** Lets a locked key expire after some seconds, unless it expires before. */
export const expireKeyAfter = (db: Db, id: string, seconds: number) =>
  db
    .updateTable('apiKeys')
    .set({ expiresAt: sql<Date>`least(expires_at, now() + ${seconds}::integer * interval '1 second')` })
    .where('id', '=', id)
    .execute()

/** Revokes a key of the user. Returns false if the key is revoked already or unknown. */
export async function revokeOwnKey(
  db: Db,
  { userId, id }: { userId: string; id: string },
  actor: Actor,
): Promise<boolean> {
  const isRevoked = await revokeKeyWhere(db, sql`id = ${id} and user_id = ${userId}`, actor)
  await deleteWebhooksOfApp(db, id)
  return isRevoked
}
