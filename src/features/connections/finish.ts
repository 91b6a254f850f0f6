import { withDatabaseBudget } from '../../../db/budget.ts'
import { findReachableAccount } from '../../../db/queries/accounts.ts'
import { findSameProfiles } from '../../../db/queries/connected-accounts.ts'
import {
  type ConnectionFlow,
  failConnection,
  offerChoices,
  spendState,
  succeedConnection,
} from '../../../db/queries/connections.ts'
import { lockCurrentApp } from '../../../db/queries/oauth-apps.ts'
import { findRole } from '../../../db/queries/people.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { ERRORS } from '../../../schemas/errors.ts'
import { AppError, fail } from '../../base/errors.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import type { Log } from '../../base/log.ts'
import type { OAuthAccount } from '../../platforms/contract/oauth.ts'
import { PublishError } from '../../platforms/contract/publish-error.ts'
import { requireKeyring, storeAccount, tidy, toStoredProfile } from '../accounts/store.ts'
import { type FlowApp, findAppAgain } from './apps.ts'
import { requireOAuth } from './begin.ts'
import { type ConnectionContext, redirectUriOf } from './context.ts'
import { FlowFailure, toFlowFailure } from './failure.ts'
import { checkAccounts } from './granted-accounts.ts'
import { hashSecret } from './secrets.ts'

/** Limits all calls to the network together. */
const FINISH_TIMEOUT_MS = 30_000

/**
 * Ends a flow with the parameters that the network sent the browser back with. Throws 409 if the flow does not wait for
 * them. Whatever fails after that is stored as the error of the connection.
 */
export async function finishFlow(
  context: ConnectionContext,
  connection: ConnectionFlow,
  callback: URLSearchParams,
  log: Log,
): Promise<void> {
  const { db } = context
  const { id } = connection
  const keyring = await requireKeyring(context)
  // Throws if the secret cannot be decrypted: with the right key, the same callback works.
  const app = await findAppAgain(context, keyring, connection)
  const isOurs = await spendState(db, id, hashSecret(callback.get('state') ?? ''))
  if (!isOurs) throw fail('connection_not_opened')
  // The budget of the request does not hold here: a code can be exchanged once, so a busy database must not cost the
  // user the consent.
  await withDatabaseBudget(undefined, () => settle(context, keyring, { connection, app, callback }, log))
}

interface Return {
  connection: ConnectionFlow
  /** Undefined if the app was changed or deleted meanwhile. */
  app: FlowApp | undefined
  callback: URLSearchParams
}

async function settle(context: ConnectionContext, keyring: Keyring, flow: Return, log: Log): Promise<void> {
  const { connection } = flow
  const { id, platform } = connection
  try {
    const accounts = await selectAccounts(context, connection, await requestAccounts(context, keyring, flow))
    if (accounts.length === 1) await connectAccounts(context, keyring, connection, accounts)
    else await offer(context, keyring, connection, accounts)
  } catch (error) {
    if (error instanceof AppError) throw error
    const failure = toFailure(error, log, { connection: id, platform })
    await failConnection(context.db, id, { code: failure.code, message: failure.message })
  }
}

function toFailure(error: unknown, log: Log, facts: { connection: string; platform: string }): FlowFailure {
  if (error instanceof FlowFailure) {
    log.info({ ...facts, code: error.code }, 'a connection failed')
    return error
  }
  log.error({ ...facts, err: error }, 'a connection failed')
  return new FlowFailure('internal_error', 'An unexpected failure')
}

/** Exchanges the code for the accounts that the user consented to. */
async function requestAccounts(
  context: ConnectionContext,
  keyring: Keyring,
  { connection, app: found, callback }: Return,
): Promise<OAuthAccount[]> {
  const { id, platform, hint, secrets } = connection
  throwRefusal(platform, callback)
  const oauth = requireOAuth(context, platform)
  if (!found) throw appChanged(platform)
  const { app, scopes } = found
  const kept = JSON.parse(keyring.open(id, secrets!).kept!)
  try {
    const accounts = await oauth.finish(
      { app, redirectUri: redirectUriOf(context, oauth), hint, ...(scopes && { scopes }), callback, kept },
      { fetch: context.fetch, signal: AbortSignal.timeout(FINISH_TIMEOUT_MS) },
    )
    return checkAccounts(platform, oauth, accounts)
  } catch (error) {
    throw error instanceof PublishError ? toFlowFailure(platform, error) : error
  }
}

/** The words with which networks say that the user refused. access_denied: RFC 6749, 4.1.2.1. */
const DENIED = [
  'access_denied',
  // https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow
  'user_cancelled_login',
  'user_cancelled_authorize',
  // The `error_reason` of Meta: https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow
  'user_denied',
]

function throwRefusal(platform: string, callback: URLSearchParams): void {
  const error = callback.get('error')
  const isRepeated = [...callback.keys()].some((name) => callback.getAll(name).length > 1)
  if (error === null && callback.get('code') && !isRepeated) return
  if (error !== null && [error, callback.get('error_reason')].some((word) => DENIED.includes(word ?? ''))) {
    throw new FlowFailure('denied', `The access was refused at ${platform}`)
  }
  const words = callback.get('error_description') ?? error ?? 'the browser came back without a code'
  throw new FlowFailure('network_refused', `${platform}: ${tidy(words)}`)
}

/** The accounts to connect or to choose from: the one to connect again, or else all. */
async function selectAccounts(
  { db }: ConnectionContext,
  { platform, userId, accountId }: ConnectionFlow,
  accounts: OAuthAccount[],
): Promise<OAuthAccount[]> {
  if (accountId === null) return accounts
  const known = await findReachableAccount(db, { userId, id: accountId })
  if (!known) throw disconnected()
  const same = accounts.filter(({ profile }) => toStoredProfile(profile).externalId === known.externalId)
  if (same.length > 0) return same
  throw new FlowFailure('other_account', `The consent is for another account on ${platform}`)
}

const appChanged = (platform: string) =>
  new FlowFailure('app_changed', `The app of ${platform} was changed or deleted: begin another connection`)

/** Stores the accounts, and ends the connection, both or neither. */
export async function connectAccounts(
  context: ConnectionContext,
  keyring: Keyring,
  connection: ConnectionFlow & { state: string },
  accounts: OAuthAccount[],
): Promise<void> {
  const { id, platform, userId, organizationId, accountId, externalReference, metadata, appId, clientId } = connection
  const refresh = requireOAuth(context, platform).refresh
  const pictures = await inTransaction(context.db, async (transaction) => {
    if (appId !== null && !(await lockCurrentApp(transaction, appId))) throw appChanged(platform)
    const [role] = organizationId === null ? [] : await findRole(transaction, { userId, organizationId })
    if (organizationId !== null && !role?.mayConnect) {
      throw new FlowFailure('not_organization_admin', ERRORS.not_organization_admin.message)
    }
    const profiles = accounts.map(({ profile }) => toStoredProfile(profile))
    const externalIds = profiles.map(({ externalId }) => externalId)
    const known = await findSameProfiles(transaction, { userId, platform, externalIds })
    if (known.some((account) => account.userId !== userId && account.id !== accountId)) throw ownedElsewhere()
    const named = known.find((account) => account.id === accountId)
    if (accountId !== null && !named) throw disconnected()
    const owner = named?.userId ?? userId
    if (owner !== userId && !named?.isAdministered) {
      throw new FlowFailure('not_organization_admin', ERRORS.not_organization_admin.message)
    }
    const ids: string[] = []
    for (const [index, { tokens }] of accounts.entries()) {
      const { credentials, scopes, expiresAt } = tokens
      const grant = {
        scopes: [...scopes],
        credentialsExpireAt: expiresAt,
        clientId,
        appId,
        externalReference,
        metadata,
      }
      const stored = await storeAccount(transaction, keyring, {
        platform,
        userId: owner,
        organizationId: organizationId ?? undefined,
        profile: profiles[index]!,
        credentials,
        isRefreshable: refresh?.isPossible(credentials) ?? false,
        grant,
      })
      // It was disconnected meanwhile, so that this is another one.
      if (named && stored.account.id !== named.id) throw disconnected()
      ids.push(stored.account.id)
    }
    const before = connection.state === 'choosing' ? 'choosing' : 'opened'
    if (!(await succeedConnection(transaction, id, before, ids))) {
      throw fail('connection_not_opened')
    }
    return profiles.map(({ avatarUrl }, index) => ({ account: { userId: owner, id: ids[index]! }, avatarUrl }))
  })
  for (const { account, avatarUrl } of pictures) if (avatarUrl) void context.avatars?.keep(account, avatarUrl)
}

const ownedElsewhere = () =>
  new FlowFailure('owned_elsewhere', ERRORS.account_not_connectable.cases.ownedElsewhere.message)

const disconnected = () =>
  new FlowFailure('account_disconnected', 'The account was disconnected: begin a connection without accountId')

/** Stores what the user can choose from. */
async function offer(
  { db }: ConnectionContext,
  keyring: Keyring,
  { id, platform, userId }: ConnectionFlow,
  accounts: OAuthAccount[],
): Promise<void> {
  const externalIds = accounts.map(({ profile }) => toStoredProfile(profile).externalId)
  const known = await findSameProfiles(db, { userId, platform, externalIds })
  const choices = accounts.map(({ profile, kind }) => {
    const { externalId, username, displayName } = toStoredProfile(profile)
    const own = known.find((account) => account.userId === userId && account.externalId === externalId)
    return {
      id: externalId,
      kind,
      username,
      ...(displayName !== null && { displayName }),
      ...(own && { connectedAs: own.id }),
    }
  })
  await offerChoices(db, id, { choices, secrets: keyring.seal(id, { accounts: JSON.stringify(accounts) }) })
}
