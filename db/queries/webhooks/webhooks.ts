import { type ExpressionBuilder, sql } from 'kysely'
import type { Scope } from '../../../schemas/scopes.ts'
import type { Webhook } from '../../../schemas/webhook.ts'
import type { Db } from '../../client.ts'
import type { DB } from '../../types.ts'
import type { CredentialsRow } from '../credentials.ts'
import { isoTime } from '../iso-time.ts'
import type { Page } from '../page.ts'

/** Which events a webhook gets: those that match its types, its scopes and its accounts. Null does not restrict. */
export interface WebhookRights {
  types: string[] | null
  accountIds: string[] | null
  scopes: Scope[] | null
  /** Whether the events are those of all users. */
  allUsers: boolean
  /** The organisation whose accounts they concern. */
  organizationId: string | null
}

/** A webhook as it is stored, with times in the form of the API. */
export interface WebhookRow extends WebhookRights, CredentialsRow {
  id: string
  userId: string
  url: string
  payload: Webhook['payload']
  disabledReason: Webhook['disabledReason']
  failingSince: string | null
  secretStart: string
  secretCreatedAt: string
  previousCreatedAt: string | null
  /** Null if there is no previous secret, or if it has expired. */
  previousExpiresAt: string | null
  createdAt: string
  /** The API key. */
  createdBy: string | null
}

const columns = (eb: ExpressionBuilder<DB, 'webhooks'>) =>
  [
    ...(['id', 'userId', 'url', 'types', 'accountIds', 'allUsers', 'organizationId'] as const),
    ...(['keyId', 'dataKey', 'data', 'secretStart'] as const),
    eb.ref('scopes').$castTo<Scope[] | null>().as('scopes'),
    eb.ref('payload').$castTo<Webhook['payload']>().as('payload'),
    eb.ref('disabledReason').$castTo<Webhook['disabledReason']>().as('disabledReason'),
    isoTime<string | null>('failingSince').as('failingSince'),
    isoTime('secretCreatedAt').as('secretCreatedAt'),
    isoTime<string | null>('previousCreatedAt').as('previousCreatedAt'),
    sql<string | null>`case when previous_expires_at > now() then ${isoTime('previousExpiresAt')} end`.as(
      'previousExpiresAt',
    ),
    isoTime('createdAt').as('createdAt'),
    'createdBy',
  ] as const

interface Key {
  userId: string
  id: string
  /** The accounts that the key may use: other webhooks do not exist for it. Null for all webhooks. */
  listedAccountIds: readonly string[] | null
}

const isVisible = ({ listedAccountIds: ids }: Pick<Key, 'listedAccountIds'>) =>
  ids === null ? sql<boolean>`true` : sql<boolean>`coalesce(account_ids <@ ${[...ids]}::uuid[], false)`

const selectOne = (db: Db, { userId, id, ...key }: Key) =>
  db.selectFrom('webhooks').select(columns).where('id', '=', id).where('userId', '=', userId).where(isVisible(key))

/** A webhook of the user; undefined if the key sees none with this id. */
export const findWebhook = (db: Db, key: Key): Promise<WebhookRow | undefined> => selectOne(db, key).executeTakeFirst()

/** The same, locked until the transaction ends. */
export const lockWebhook = (db: Db, key: Key): Promise<WebhookRow | undefined> =>
  selectOne(db, key).forNoKeyUpdate().executeTakeFirst()

/** A page of the user's webhooks, newest first. */
export const listWebhooks = (
  db: Db,
  { userId, cursor, limit, offset, ...key }: Page & Pick<Key, 'listedAccountIds'>,
): Promise<WebhookRow[]> =>
  db
    .selectFrom('webhooks')
    .select(columns)
    .where('userId', '=', userId)
    .where('id', '<', cursor)
    .where(isVisible(key))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()

/** How many webhooks a user has. Locks the user, so that no other transaction adds one before this one ends. */
export async function countWebhooks(db: Db, userId: string): Promise<number> {
  await sql`select from users where id = ${userId} for no key update`.execute(db)
  const { rows } = await sql<{ count: number }>`select count(*) from webhooks where user_id = ${userId}`.execute(db)
  return Number(rows[0]!.count)
}

type NewWebhook = Pick<WebhookRow, 'id' | 'userId' | 'url' | 'payload' | 'secretStart' | 'createdBy'> &
  WebhookRights &
  CredentialsRow

export const insertWebhook = (db: Db, webhook: NewWebhook) => db.insertInto('webhooks').values(webhook).execute()

type WebhookChanges = Partial<Pick<WebhookRow, 'url' | 'types' | 'accountIds' | 'payload'> & CredentialsRow>

/** Changes a locked webhook. */
export const changeWebhook = (db: Db, id: string, changes: WebhookChanges) =>
  db.updateTable('webhooks').set(changes).where('id', '=', id).execute()

/**
 * Enables a webhook and forgets its failures. A worker that is sending to it loses its lease, so that it does not write
 * the failures back.
 */
export const enableWebhook = (db: Db, id: string) =>
  sql`
    update webhooks
    set disabled_at = null, disabled_reason = null, failing_since = null, failures = 0, warnings = 0, rests_until = null,
      healthy_at = now(), lease_token = null, leased_until = null
    where id = ${id}`.execute(db)

/** Disables a webhook in the name of its owner, unless it is disabled. */
export const disableWebhook = (db: Db, id: string) =>
  sql`
    update webhooks
    set disabled_at = now(), disabled_reason = 'owner', lease_token = null, leased_until = null
    where id = ${id} and disabled_at is null`.execute(db)

/** Stores a new secret. The one before it signs for `overlapSeconds` more. */
export const replaceSecret = (
  db: Db,
  id: string,
  {
    keyId,
    dataKey,
    data,
    secretStart,
    overlapSeconds,
  }: CredentialsRow & { secretStart: string; overlapSeconds: number },
) =>
  sql`
    update webhooks
    set key_id = ${keyId}, data_key = ${dataKey}, data = ${data}, secret_start = ${secretStart},
      secret_created_at = now(), previous_created_at = secret_created_at,
      previous_expires_at = now() + ${overlapSeconds}::float8 * interval '1 second'
    where id = ${id}`.execute(db)

/** Stores the secrets of a webhook without the previous one. */
export const dropPreviousSecret = (db: Db, id: string, { keyId, dataKey, data }: CredentialsRow) =>
  db
    .updateTable('webhooks')
    .set({ keyId, dataKey, data, previousCreatedAt: null, previousExpiresAt: null })
    .where('id', '=', id)
    .execute()

/** Deletes a webhook. Sweeps delete its deliveries. Returns false if the key sees none with this id. */
export async function deleteWebhook(db: Db, { userId, id, ...key }: Key): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webhooks')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where(isVisible(key))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
