import { sql } from 'kysely'
import type { ConnectionChoice, ConnectionError, ConnectionState } from '../../schemas/connection.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Db } from '../client.ts'
import { type CredentialsRow, credentialsRow } from './credentials.ts'
import { isoTime } from './iso-time.ts'

/** The time for which a connection can be read. */
const KEPT = sql`interval '24 hours'`

/** How long the user has from the request to the end of the flow. */
const LIFETIME = sql`interval '15 minutes'`

const OPEN = ['pending', 'opened', 'choosing'] as const satisfies ConnectionState[]

interface NewConnection {
  id: string
  userId: string
  organizationId: string | null
  platform: PlatformId
  tokenHash: Buffer | null
  returnUrl: string | null
  accountId: string | null
  hint: string | null
  externalReference: string | null
  metadata: Record<string, string> | null
}

export interface ConnectionRow extends Omit<NewConnection, 'tokenHash'> {
  state: ConnectionState
  choices: ConnectionChoice[] | null
  accountIds: string[] | null
  error: ConnectionError | null
  createdAt: string
  expiresAt: string
}

/** The further columns that the steps of the flow need. */
export interface ConnectionFlow extends ConnectionRow {
  cookieHash: Buffer | null
  appId: string | null
  clientId: string | null
  /** Null unless the flow has begun and not ended. */
  secrets: CredentialsRow | null
}

/** An open connection expires without a write. */
const state = sql<ConnectionState>`
  case when state in ('pending', 'opened', 'choosing') and expires_at <= now() then 'expired' else state end`

const SHOWN = [
  'id',
  'userId',
  'organizationId',
  sql<PlatformId>`platform`.as('platform'),
  'returnUrl',
  'accountId',
  'hint',
  'externalReference',
  sql<Record<string, string> | null>`metadata`.as('metadata'),
  state.as('state'),
  sql<ConnectionChoice[] | null>`choices`.as('choices'),
  'accountIds',
  sql<ConnectionError | null>`error`.as('error'),
  isoTime('createdAt').as('createdAt'),
  isoTime('expiresAt').as('expiresAt'),
] as const

const FLOW = [...SHOWN, 'cookieHash', 'appId', 'clientId', 'keyId', 'dataKey', 'data'] as const

interface FlowColumns extends Omit<ConnectionFlow, 'secrets'> {
  keyId: string | null
  dataKey: Buffer | null
  data: Buffer | null
}

function toFlow(row: FlowColumns | undefined): ConnectionFlow | undefined {
  if (!row) return undefined
  const { keyId, dataKey, data, ...flow } = row
  return { ...flow, secrets: credentialsRow({ keyId, dataKey, data }) }
}

/**
 * Adds a connection, whose flow has begun if `opened` is given. Throws a foreign key violation if the user or the
 * organisation does not exist.
 */
export function insertConnection(
  db: Db,
  { metadata, ...connection }: NewConnection,
  opened: OpenedConnection | undefined,
): Promise<ConnectionRow> {
  const values = opened ? toColumns(opened) : { state: 'pending' }
  return db
    .insertInto('connections')
    .values({
      ...connection,
      ...values,
      metadata: metadata && JSON.stringify(metadata),
      expiresAt: sql<Date>`now() + ${LIFETIME}`,
    })
    .returning(SHOWN)
    .executeTakeFirstOrThrow()
}

const rows = (db: Db) => db.selectFrom('connections').select(FLOW).where('createdAt', '>', sql<Date>`now() - ${KEPT}`)

export const findConnection = async (db: Db, id: string) =>
  toFlow(await rows(db).where('id', '=', id).executeTakeFirst())

export const findConnectionByToken = async (db: Db, tokenHash: Buffer) =>
  toFlow(await rows(db).where('tokenHash', '=', tokenHash).executeTakeFirst())

/** The connection whose flow has this `state`, which has not come back yet. */
export const findConnectionByState = async (db: Db, stateHash: Buffer) =>
  toFlow(await rows(db).where('stateHash', '=', stateHash).executeTakeFirst())

const NO_SECRETS = { stateHash: null, keyId: null, dataKey: null, data: null }

export interface OpenedConnection {
  stateHash: Buffer
  /** Null if no browser is bound to the flow. */
  cookieHash: Buffer | null
  appId: string | null
  clientId: string
  secrets: CredentialsRow
}

/** Notes that the flow has begun. Returns false if it had begun or ended before. */
export function openConnection(db: Db, id: string, opened: OpenedConnection): Promise<boolean> {
  return change(db, id, 'pending', toColumns(opened))
}

/** Replaces a flow that a browser has begun. Returns false if that one has come back, or the connection has ended. */
export async function reopenConnection(db: Db, id: string, opened: OpenedConnection): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('connections')
    .set(toColumns(opened))
    .where('id', '=', id)
    .where('state', '=', 'opened')
    .where('stateHash', 'is not', null)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const toColumns = ({ secrets, ...opened }: OpenedConnection) => ({ state: 'opened', ...opened, ...secrets })

/** Spends the `state` of the flow. Returns false if it was spent before, or the connection has ended. */
export async function spendState(db: Db, id: string, stateHash: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('connections')
    .set({ stateHash: null })
    .where('id', '=', id)
    .where('stateHash', '=', stateHash)
    .where('state', '=', 'opened')
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Offers accounts to choose from. Returns false if the connection has ended. */
export function offerChoices(
  db: Db,
  id: string,
  { choices, secrets }: { choices: ConnectionChoice[]; secrets: CredentialsRow },
): Promise<boolean> {
  return change(db, id, 'opened', { state: 'choosing', choices: JSON.stringify(choices), ...secrets })
}

/** Ends the connection with these accounts, and forgets its secrets. Returns false if it has ended before. */
export function succeedConnection(
  db: Db,
  id: string,
  before: 'opened' | 'choosing',
  accountIds: string[],
): Promise<boolean> {
  return change(db, id, before, { ...NO_SECRETS, state: 'connected', choices: null, accountIds })
}

/** Ends the connection with an error, and forgets its secrets, unless it has ended before. */
export function failConnection(db: Db, id: string, error: ConnectionError): Promise<boolean> {
  return change(db, id, [...OPEN], { ...NO_SECRETS, state: 'failed', choices: null, error: JSON.stringify(error) })
}

async function change(
  db: Db,
  id: string,
  before: ConnectionState | ConnectionState[],
  values: Record<string, unknown>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('connections')
    .set(values)
    .where('id', '=', id)
    .where('state', 'in', [before].flat())
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a connection of the user. Returns false if the id is unknown. */
export async function deleteConnection(db: Db, { userId, id }: { userId: string; id: string }): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('connections')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('createdAt', '>', sql<Date>`now() - ${KEPT}`)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Forgets the secrets of connections that have expired. Returns how many. */
export async function expireConnections(db: Db, limit: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('connections')
    .set({ ...NO_SECRETS, state: 'expired', choices: null })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('connections')
        .select('id')
        .where('state', 'in', OPEN)
        .where('expiresAt', '<=', sql<Date>`now()`)
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Deletes connections that can no longer be read. Returns how many. */
export async function deleteOldConnections(db: Db, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('connections')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('connections')
        .select('id')
        .where('createdAt', '<=', sql<Date>`now() - ${KEPT}`)
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
