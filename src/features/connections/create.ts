import type { Db } from '../../../db/client.ts'
import { isId, newId } from '../../../db/id.ts'
import { findReachableAccount } from '../../../db/queries/accounts.ts'
import { insertConnection } from '../../../db/queries/connections.ts'
import type { CreateConnection, CreatedConnection } from '../../../schemas/connection.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { type AppError, fail, invalidRequest } from '../../base/errors.ts'
import { truncate } from '../../base/http/json.ts'
import { findLongNames } from '../../base/http/metadata.ts'
import { PublishError } from '../../platforms/contract/publish-error.ts'
import { requireKeyring, tidy } from '../accounts/store.ts'
import { requireMayConnect } from '../auth/roles.ts'
import { findAppFor } from './apps.ts'
import { BEGIN_TIMEOUT_MS, beginFlow, type Flow, requireOAuth } from './begin.ts'
import { type ConnectionContext, redirectUriOf } from './context.ts'
import { isListedReturnUrl } from './return-url.ts'
import { hashSecret, newSecret } from './secrets.ts'
import { toConnection } from './view.ts'

interface Prepared {
  id: string
  organizationId: string | null
  hint: string | null
  /** Undefined if the flow begins when the link is opened. */
  flow: Flow | undefined
}

/**
 * Checks what `storeConnection` stores, and begins the flow of a `manual` connection. Throws 400 for a network, a
 * `returnUrl`, a hint, metadata or an app that cannot be used. Throws 403 for an organisation or an account of others,
 * and 502 if the network cannot be reached.
 */
export async function prepareConnection(
  context: ConnectionContext,
  userId: string,
  { platform, returnUrl, accountId, organizationId, hint, metadata, manual = false }: CreateConnection,
): Promise<Prepared> {
  const { db, returnUrls } = context
  const issues = findLongNames(metadata)
  if (issues.length > 0) throw invalidRequest(issues)
  const oauth = requireOAuth(context, platform)
  if (returnUrl !== undefined && !isListedReturnUrl(returnUrl, returnUrls)) {
    throw fail('return_url_not_allowed')
  }
  const problem = hint === undefined ? undefined : oauth.hintProblem?.(hint)
  if (problem !== undefined) throw invalidRequest([{ code: 'custom', path: ['hint'], message: problem }])
  await requireMayConnect(db, userId, organizationId)
  const account =
    accountId === undefined ? undefined : await findKnownAccount(db, userId, { platform, accountId, organizationId })
  const connection = {
    id: newId(),
    platform,
    userId,
    organizationId: organizationId ?? (account && !account.isOwn ? account.organizationId : null),
    hint: hint ?? (account && oauth.hintOf?.(account)) ?? null,
  }
  const prepared = { id: connection.id, hint: connection.hint, organizationId: connection.organizationId }
  try {
    if (manual) return { ...prepared, flow: await beginFlow(context, { ...connection, isBound: false }) }
    const signal = AbortSignal.timeout(BEGIN_TIMEOUT_MS)
    await findAppFor(context, await requireKeyring(context), connection, { oauth, signal })
    return { ...prepared, flow: undefined }
  } catch (error) {
    throw error instanceof PublishError ? toAppError(platform, error) : error
  }
}

/** The account to connect again: one of the user, or of an organisation that the user administers. */
async function findKnownAccount(
  db: Db,
  userId: string,
  {
    platform,
    accountId: id,
    organizationId,
  }: { platform: PlatformId; accountId: string; organizationId?: string | undefined },
) {
  const account = isId(id) ? await findReachableAccount(db, { userId, id }) : undefined
  if (!account) throw fail('no_access', 'accountId', truncate(id))
  const isOwn = account.userId === userId
  if (!isOwn && !account.isAdministered) throw fail('not_account_owner.connected')
  const problem = (message: string, path = 'accountId') => invalidRequest([{ code: 'custom', path: [path], message }])
  if (account.platform !== platform) throw problem(`The account is on ${account.platform}, not on ${platform}`)
  if (account.externalId === null) {
    throw problem('The account was added without credentials: leave accountId out, to connect another account')
  }
  if (!isOwn && organizationId !== undefined && organizationId !== account.organizationId) {
    throw problem('Only its owner can move the account to another organisation', 'organizationId')
  }
  return { ...account, externalId: account.externalId, isOwn }
}

function toAppError(platform: PlatformId, { message, retryable }: PublishError): AppError {
  const text = `${platform}: ${tidy(message)}`
  return retryable ? fail('platform_unavailable', text) : fail('platform_refused', text)
}

/** Stores a connection. The response is the only one that contains its link. */
export async function storeConnection(
  context: ConnectionContext,
  userId: string,
  { platform, returnUrl, accountId, externalReference, metadata }: CreateConnection,
  { id, organizationId, hint, flow }: Prepared,
): Promise<CreatedConnection> {
  const token = flow ? undefined : newSecret()
  const connection = {
    id,
    userId,
    organizationId,
    platform,
    tokenHash: token === undefined ? null : hashSecret(token),
    returnUrl: returnUrl ?? null,
    accountId: accountId ?? null,
    hint,
    externalReference: externalReference ?? null,
    metadata: metadata ?? null,
  }
  const row = await insertConnection(context.db, connection, flow?.opened)
  // The callback has to reach the host that the cookie was set for.
  const link = new URL(`./${token}`, redirectUriOf(context, requireOAuth(context, platform)))
  return { ...(await toConnection(context, row)), url: (flow?.url ?? link).href }
}
