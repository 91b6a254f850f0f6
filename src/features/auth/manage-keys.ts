import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { listTheseAccounts } from '../../../db/queries/accounts.ts'
import { findPayer, readKeyBudget, storeKeyBudget } from '../../../db/queries/budgets.ts'
import type { Actor } from '../../../db/queries/events/actor.ts'
import {
  changeKey,
  expireKeyAfter,
  hasMostKeys,
  isReplaced,
  KEYS_MAX,
  type LockedKey,
  lockKey,
  revokeOwnKey,
} from '../../../db/queries/key-changes.ts'
import { findOwnKey, type KeyRights } from '../../../db/queries/keys.ts'
import { isGrant } from '../../../db/queries/oauth/grants.ts'
import { userExists } from '../../../db/queries/people.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { Budget, PutBudget } from '../../../schemas/budget.ts'
import type { ApiKey, CreateApiKey, CreatedApiKey, RotateApiKey, UpdateApiKey } from '../../../schemas/key.ts'
import { EXPIRED_FROM_THE_START, scopeWithAccounts } from '../../../schemas/messages.ts'
import type { Scope } from '../../../schemas/scopes.ts'
import type { Deleted } from '../../../schemas/shared.ts'
import { timeOf } from '../../../schemas/time.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { truncate } from '../../base/http/json.ts'
import { createKey } from './create-key.ts'
import { type Allowance, findExcess } from './excess.ts'

/** Who manages keys: a user, by one of the user's keys. */
export interface Manager {
  userId: string
  keyId: string
}

const notFound = () => fail('api_key_not_found')

/** A key of the user. Throws 404 if it is revoked or unknown. */
export async function getKey(db: Db, userId: string, id: string): Promise<ApiKey> {
  const key = isId(id) ? await findOwnKey(db, { userId, id }) : undefined
  if (!key) throw notFound()
  return key
}

/** Creates a key that allows no more than the key of the request. */
export const createOwnKey = (db: Db, manager: Manager, body: CreateApiKey): Promise<CreatedApiKey> =>
  inTransaction(db, async (db) => {
    const own = await lockManager(db, manager)
    const payer = await findPayer(db, manager.keyId)
    const budgetId = payer?.isLimited ? payer.id : null
    return createKeyWithin(db, own, manager.userId, { body, createdBy: manager.keyId, budgetId })
  })

/** Creates a key for any user, by the key of an administrator: with every scope that users have. */
export const createUserKey = (db: Db, manager: Manager, userId: string, body: CreateApiKey): Promise<CreatedApiKey> =>
  inTransaction(db, async (db) => {
    const { expiresAt } = await lockManager(db, manager)
    if (!(await userExists(db, userId))) throw fail('user_not_found')
    // An administrator gives every right of the user, for no longer than the key of the request.
    const own = { scopes: null, accountIds: null, expiresAt }
    return createKeyWithin(db, own, userId, { body, createdBy: manager.keyId })
  })

async function createKeyWithin(
  db: Db,
  own: Allowance,
  userId: string,
  { body, createdBy, budgetId = null }: { body: CreateApiKey; createdBy: string; budgetId?: string | null },
): Promise<CreatedApiKey> {
  const wanted = readBody(body, own)
  requireNoAdmin(wanted)
  requireGivable(own, wanted)
  requireFutureExpiry(wanted)
  await checkAccounts(db, userId, wanted)
  await requireRoom(db, userId)
  const { id, key } = await createKey(db, { ...wanted, userId, budgetId, createdBy })
  return { ...(await getKey(db, userId, id)), key }
}

const readBody = (body: CreateApiKey, own: Allowance) => ({
  name: body.name,
  scopes: [...new Set(body.scopes)],
  accountIds: body.accountIds ? [...new Set(body.accountIds)] : own.accountIds,
  expiresAt: body.expiresAt === undefined ? own.expiresAt : timeOf(body.expiresAt),
})

/** Throws 400 for a key that would never be valid. */
export function requireFutureExpiry({ expiresAt }: Pick<Allowance, 'expiresAt'>): void {
  if (expiresAt && expiresAt.getTime() <= Date.now()) throw invalidRequest([EXPIRED_FROM_THE_START])
}

/** A key with one of these scopes could make others that reach all accounts. */
const NOT_WITH_ACCOUNTS: Scope[] = ['keys:manage', 'admin']

/**
 * Throws 400 for a list of accounts together with scopes that would get round it, and 403 for accounts that the user
 * may not use.
 */
export async function checkAccounts(db: Db, userId: string, { scopes, accountIds }: KeyRights): Promise<void> {
  if (!accountIds) return
  const scope = NOT_WITH_ACCOUNTS.find((scope) => scopes === null || scopes.includes(scope))
  if (scope) throw invalidRequest([{ code: 'custom', path: ['accountIds'], message: scopeWithAccounts(scope) }])
  const found = await listTheseAccounts(db, { userId, ids: accountIds.filter(isId) })
  const missing = accountIds.find((id) => !found.some((account) => account.id === id))
  if (missing !== undefined) {
    throw fail('no_access', 'accountId', truncate(missing))
  }
}

/**
 * Renames a key of the user, or takes rights away from it. Throws 403 if it allows more than the key of the request.
 */
export function updateKey(db: Db, manager: Manager, id: string, body: UpdateApiKey): Promise<ApiKey> {
  const { userId } = manager
  return inTransaction(db, async (db) => {
    const before = await lockChangeable(db, manager, id)
    const { name } = body
    const scopes = body.scopes && [...new Set(body.scopes)]
    const expiresAt = body.expiresAt === undefined ? undefined : timeOf(body.expiresAt)
    const accountIds = body.accountIds && [...new Set(body.accountIds)]
    const changes = {
      ...(name !== undefined && { name }),
      ...(scopes && { scopes }),
      ...(accountIds && { accountIds }),
      ...(expiresAt && { expiresAt }),
    }
    const after = { ...before, ...changes }
    const excess = findExcess(before, after)
    if (excess) throw fail('api_key_too_wide.widened', excess)
    // A key keeps accounts that were disconnected since.
    if (accountIds) await checkAccounts(db, userId, before.accountIds ? { ...after, accountIds: [] } : after)
    if (Object.keys(changes).length > 0) await changeKey(db, id, changes)
    return getKey(db, userId, id)
  })
}

/**
 * Creates a key in place of another one of the user, which expires after the overlap. Throws 403 if the key allows more
 * than the key of the request, which would otherwise gain these rights. Throws 409 if it is expired, is replaced, or
 * belongs to an app, or if the user may have no further key.
 */
export function rotateKey(
  db: Db,
  manager: Manager,
  id: string,
  { overlapSeconds }: RotateApiKey,
): Promise<CreatedApiKey> {
  const { userId } = manager
  return inTransaction(db, async (db) => {
    const own = await lockManager(db, manager)
    const { isExpired, ...before } = await lockOwn(db, userId, id)
    requireGivable(own, before)
    if (isExpired) throw fail('api_key_not_rotatable')
    // The app would not get the successor, which would outlive its access.
    if (await isGrant(db, id)) throw fail('api_key_not_rotatable.app')
    if (await isReplaced(db, id)) throw fail('api_key_rotated')
    await requireRoom(db, userId)
    const payer = await findPayer(db, id)
    const budgetId = payer?.id ?? id
    const successor = { ...before, userId, replaces: id, budgetId, createdBy: manager.keyId }
    const { id: newId, key } = await createKey(db, successor)
    await expireKeyAfter(db, id, overlapSeconds)
    return { ...(await getKey(db, userId, newId)), key }
  })
}

/** The budget of a key of the user. Throws 404 if the key is revoked or unknown. */
export async function getKeyBudget(db: Db, userId: string, id: string): Promise<Budget> {
  await getKey(db, userId, id)
  return readKeyBudget(db, id)
}

/** Sets the limit of a key. Throws 403 if the key of the request has one, or if the key allows more than it. */
export const putKeyBudget = (db: Db, manager: Manager, id: string, { limitUsdMicros }: PutBudget): Promise<Budget> =>
  inTransaction(db, async (db) => {
    await lockChangeable(db, manager, id)
    if ((await findPayer(db, manager.keyId))?.isLimited) throw fail('budget_limited')
    await storeKeyBudget(db, id, limitUsdMicros)
    return readKeyBudget(db, id)
  })

/**
 * Revokes a key of the user. Throws 404 if it is revoked or unknown, and 403 if it allows more than the key of the
 * request.
 */
export const revokeKey = (db: Db, manager: Manager, id: string): Promise<Deleted> =>
  inTransaction(db, async (db) => {
    await lockChangeable(db, manager, id)
    await revokeOwnKey(db, { userId: manager.userId, id }, manager)
    return { success: true }
  })

/** Revokes a key of any user, by the key of an administrator. Throws 404 as `revokeKey` does. */
export async function revokeUserKey(db: Db, actor: Actor, userId: string, id: string): Promise<Deleted> {
  const isRevoked =
    isId(userId) && isId(id) && (await inTransaction(db, (db) => revokeOwnKey(db, { userId, id }, actor)))
  if (!isRevoked) throw notFound()
  return { success: true }
}

/**
 * The key of the request as it is now. What a process knows of it may be a second old, and a key that is created lasts
 * longer.
 */
async function lockManager(db: Db, { userId, keyId }: Manager): Promise<LockedKey> {
  const own = await lockKey(db, { userId, id: keyId })
  if (!own) throw fail('invalid_api_key')
  return own
}

async function lockOwn(db: Db, userId: string, id: string): Promise<LockedKey> {
  const key = isId(id) ? await lockKey(db, { userId, id }) : undefined
  if (!key) throw notFound()
  return key
}

/** Locks a key that the key of the request may change: one that allows no more. Either may last longer. */
async function lockChangeable(db: Db, manager: Manager, id: string): Promise<LockedKey> {
  const own = await lockManager(db, manager)
  const key = await lockOwn(db, manager.userId, id)
  const excess = findExcess({ ...own, expiresAt: null }, key)
  if (excess) throw fail('api_key_too_wide.changed', excess)
  return key
}

function requireNoAdmin({ scopes }: Allowance): void {
  if (scopes?.includes('admin')) throw fail('api_key_too_wide.admin')
}

/** Throws 409 if the user may have no further key. */
async function requireRoom(db: Db, userId: string): Promise<void> {
  if (await hasMostKeys(db, userId)) throw fail('api_key_limit', KEYS_MAX)
}

function requireGivable(own: Allowance, wanted: Allowance): void {
  const excess = findExcess(own, wanted)
  if (excess) throw fail('api_key_too_wide', excess)
}
