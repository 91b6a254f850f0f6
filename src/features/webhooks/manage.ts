import type { Db } from '../../../db/client.ts'
import { isId, newId } from '../../../db/id.ts'
import { listTheseAccounts } from '../../../db/queries/accounts.ts'
import { isOtherKeyInUse } from '../../../db/queries/credentials.ts'
import { lockKey } from '../../../db/queries/key-changes.ts'
import { findOrganization } from '../../../db/queries/tenants.ts'
import {
  changeWebhook,
  countWebhooks,
  deleteWebhook,
  disableWebhook,
  dropPreviousSecret,
  enableWebhook,
  findWebhook,
  insertWebhook,
  lockWebhook,
  replaceSecret,
  type WebhookRow,
} from '../../../db/queries/webhooks/webhooks.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { NOT_WITH_ALL_USERS } from '../../../schemas/messages.ts'
import {
  type CreateWebhook,
  type RotateWebhookSecret,
  type UpdateWebhook,
  WEBHOOKS_MAX,
  type Webhook,
  type WebhookWithSecret,
} from '../../../schemas/webhook.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { truncate } from '../../base/http/json.ts'
import { requireScope } from '../../base/http/rights.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import { checkHeaders } from './check-headers.ts'
import { checkUrl } from './check-url.ts'
import type { Manager, WebhookContext } from './context.ts'
import { findUnreadableType, requireReadable, scopesOf } from './rights.ts'
import { openSecrets, sealSecrets } from './secrets.ts'
import { generateSecret, startOfSecret } from './sign.ts'

const notFound = () => fail('webhook_not_found')

const keyOf = ({ userId, rights }: Manager, id: string) => ({ userId, id, listedAccountIds: rights.accountIds })

/** A webhook that the key of the request sees. Throws 404 for any other one. */
export async function readWebhook(db: Db, manager: Manager, id: string): Promise<WebhookRow> {
  const row = isId(id) ? await findWebhook(db, keyOf(manager, id)) : undefined
  if (!row) throw notFound()
  return row
}

/** The same, locked until the transaction ends. Throws 403 if it gets events that the key may not read. */
async function lockOwn(db: Db, manager: Manager, id: string): Promise<WebhookRow> {
  const row = isId(id) ? await lockWebhook(db, keyOf(manager, id)) : undefined
  if (!row) throw notFound()
  requireReadable(manager.rights, row)
  return row
}

/** The keyring. Throws 503 if it is missing, or if other processes may be unable to decrypt what it encrypts. */
async function requireKeyring({ db, keyring }: WebhookContext): Promise<Keyring> {
  if (!keyring) throw fail('credentials_key_missing')
  if (await isOtherKeyInUse(db, keyring.keyIds)) throw otherKey()
  return keyring
}

const otherKey = () => fail('credentials_key_mismatch')

/** Creates a webhook that gets no more than the key of the request may read. */
export async function createWebhook(
  context: WebhookContext,
  manager: Manager,
  body: CreateWebhook,
): Promise<WebhookWithSecret> {
  const { userId, keyId, rights } = manager
  const types = body.types ? [...new Set(body.types)] : null
  const { organizationId = null } = body
  // A malformed address is a mistake whatever the key may do.
  const url = await checkUrl(context, body.url)
  const headers = checkHeaders(body.headers ?? {})
  const allUsers = body.allUsers || organizationId !== null
  if (allUsers) requireForAllUsers(manager, body.accountIds ?? null)
  if (types) requireTypes(manager, types)
  const keyring = await requireKeyring(context)
  const secret = generateSecret()
  const id = newId()
  return inTransaction(context.db, async (db) => {
    // The process may know the key for a second longer than it is valid, and a webhook lasts.
    if (!(await lockKey(db, { userId, id: keyId }))) throw fail('invalid_api_key')
    if ((await countWebhooks(db, userId)) >= WEBHOOKS_MAX) {
      throw fail('webhook_limit', WEBHOOKS_MAX)
    }
    if (organizationId !== null) await requireOrganization(db, organizationId)
    const accountIds = await readAccountIds(db, manager, body.accountIds ?? null)
    const rest = {
      payload: body.payload,
      secretStart: startOfSecret(secret),
      ...sealSecrets(keyring, id, { secret, headers }),
    }
    const gets = { types, accountIds, allUsers, organizationId, scopes: scopesOf(rights) }
    await insertWebhook(db, { id, userId, url, ...gets, createdBy: keyId, ...rest })
    return { ...toWebhook(await readWebhook(db, manager, id)), secret }
  })
}

/** Throws 403 if the key is not for all users, and 400 for accounts, which are those of one user. */
function requireForAllUsers({ rights }: Manager, accountIds: string[] | null): void {
  requireScope(rights, 'admin')
  if (accountIds === null) return
  throw invalidRequest([{ code: 'custom', path: ['accountIds'], message: NOT_WITH_ALL_USERS }])
}

async function requireOrganization(db: Db, id: string): Promise<void> {
  if (!isId(id) || !(await findOrganization(db, id))) throw fail('organization_not_found')
}

function requireTypes({ rights }: Manager, types: string[]): void {
  const excess = findUnreadableType(rights, types)
  if (excess !== undefined) throw fail('webhook_too_wide', excess)
}

/**
 * The accounts of a webhook: those of the key if it asks for none. Throws 403 for accounts that the key may not use.
 */
async function readAccountIds(db: Db, { userId, rights }: Manager, wanted: string[] | null): Promise<string[] | null> {
  if (wanted === null) return rights.accountIds && [...rights.accountIds]
  const ids = [...new Set(wanted)]
  const found = await listTheseAccounts(db, { userId, ids: ids.filter(isId) })
  const isAllowed = (id: string) =>
    found.some((account) => account.id === id) && (rights.accountIds?.includes(id) ?? true)
  const missing = ids.find((id) => !isAllowed(id))
  if (missing !== undefined) {
    throw fail('no_access', 'accountId', truncate(missing))
  }
  return ids
}

/** Changes a webhook. What it gets afterwards, the key of the request may read. */
export async function updateWebhook(
  context: WebhookContext,
  manager: Manager,
  id: string,
  { state, headers: named, ...body }: UpdateWebhook,
): Promise<Webhook> {
  const types = body.types && [...new Set(body.types)]
  if (types) requireTypes(manager, types)
  // Before the transaction: name servers may take seconds.
  const url = body.url === undefined ? undefined : await checkUrl(context, body.url)
  const headers = named && checkHeaders(named)
  return inTransaction(context.db, async (db) => {
    const before = await lockOwn(db, manager, id)
    if (before.allUsers) requireForAllUsers(manager, body.accountIds ?? null)
    if (url !== undefined && !headers) requireSameHost(context, before, url)
    const changes = {
      ...(url !== undefined && { url }),
      ...(types !== undefined && { types }),
      ...(body.payload !== undefined && { payload: body.payload }),
      ...(headers && (await sealHeaders(context, before, headers))),
      ...(body.accountIds !== undefined && { accountIds: await readAccountIds(db, manager, body.accountIds) }),
    }
    requireReadable(manager.rights, { ...before, ...changes })
    if (Object.keys(changes).length > 0) await changeWebhook(db, id, changes)
    if (state === 'active') await enableWebhook(db, id)
    if (state === 'disabled') await disableWebhook(db, id)
    return toWebhook(await readWebhook(db, manager, id))
  })
}

async function sealHeaders(context: WebhookContext, row: WebhookRow, headers: Record<string, string>) {
  const keyring = await requireKeyring(context)
  return sealSecrets(keyring, row.id, { ...open(keyring, row), headers })
}

/** Throws 400 if a host would get headers that its owner has entered for another one, which a key may not read. */
function requireSameHost({ keyring }: WebhookContext, row: WebhookRow, url: string): void {
  if (new URL(url).origin === new URL(row.url).origin) return
  if (!keyring) throw fail('credentials_key_missing')
  if (!open(keyring, row).headers) return
  throw invalidRequest([{ code: 'custom', path: ['headers'], message: HEADERS_OF_ANOTHER_HOST }])
}

const HEADERS_OF_ANOTHER_HOST =
  'The webhook has headers, and the URL leads to another host: send the headers too, or {} to remove them'

export async function removeWebhook(db: Db, manager: Manager, id: string): Promise<void> {
  if (!isId(id) || !(await deleteWebhook(db, keyOf(manager, id)))) throw notFound()
}

/** Gives a webhook a new secret. Throws 409 if two are valid already, unless `force` ends the older one. */
export async function rotateSecret(
  context: WebhookContext,
  manager: Manager,
  id: string,
  { overlapSeconds, force }: RotateWebhookSecret,
): Promise<WebhookWithSecret> {
  const keyring = await requireKeyring(context)
  return inTransaction(context.db, async (db) => {
    const row = await lockOwn(db, manager, id)
    if (row.previousExpiresAt !== null && !force) throw fail('webhook_secret_rotated')
    const { secret: previousSecret, headers } = open(keyring, row)
    const secret = generateSecret()
    const secrets = { secret, ...(overlapSeconds > 0 && { previousSecret }), ...(headers && { headers }) }
    const sealed = sealSecrets(keyring, id, secrets)
    await replaceSecret(db, id, { ...sealed, secretStart: startOfSecret(secret), overlapSeconds })
    return { ...toWebhook(await readWebhook(db, manager, id)), secret }
  })
}

/** Ends the previous secret of a webhook before its time. */
export async function removePreviousSecret(context: WebhookContext, manager: Manager, id: string): Promise<void> {
  const keyring = await requireKeyring(context)
  await inTransaction(context.db, async (db) => {
    const row = await lockOwn(db, manager, id)
    if (row.previousExpiresAt === null) throw fail('webhook_secret_not_found')
    const { previousSecret: _, ...secrets } = open(keyring, row)
    await dropPreviousSecret(db, id, sealSecrets(keyring, id, secrets))
  })
}

function open(keyring: Keyring, row: WebhookRow) {
  if (!keyring.keyIds.includes(row.keyId)) throw otherKey()
  return openSecrets(keyring, row)
}

/** A webhook as the API shows it. */
export function toWebhook(row: WebhookRow): Webhook {
  const {
    id,
    url,
    types,
    accountIds,
    allUsers,
    organizationId,
    payload,
    disabledReason,
    failingSince,
    createdAt,
    createdBy,
  } = row
  const secrets: Webhook['secrets'] = [{ createdAt: row.secretCreatedAt, expiresAt: null }]
  if (row.previousExpiresAt !== null) {
    secrets.push({ createdAt: row.previousCreatedAt!, expiresAt: row.previousExpiresAt })
  }
  return {
    id,
    url,
    types: types as Webhook['types'],
    accountIds,
    allUsers,
    organizationId,
    payload,
    state: disabledReason === null ? 'active' : 'disabled',
    disabledReason,
    failingSince,
    secretHint: row.secretStart,
    secrets,
    createdAt,
    createdBy,
  }
}
