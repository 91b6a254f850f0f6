import { withDatabaseBudget } from '../../../db/budget.ts'
import type { Db } from '../../../db/client.ts'
import { credentialsRow } from '../../../db/queries/credentials.ts'
import { type DisconnectedAccount, isConnectedElsewhere } from '../../../db/queries/disconnect.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import { withTimeout } from '../../base/with-timeout.ts'
import type { Networks } from '../../platforms/adapters.ts'
import { appOf, type DeploymentApps } from './app.ts'
import type { RefreshDeps } from './refresh.ts'

export interface RevokeDeps {
  db: Db
  networks: Networks
  keyring: Keyring | undefined
  oauthApps: DeploymentApps
  fetch: typeof fetch
}

const REVOKE_MAX_MS = 10_000

/** For all accounts of a deleted user. */
const AT_A_TIME = 4
const REVOKE_ALL_MAX_MS = 60_000

/**
 * Asks the network once to end the tokens of an account that was disconnected. Never throws: the account is
 * disconnected also if this fails.
 */
export async function revokeTokens(
  deps: RevokeDeps,
  account: DisconnectedAccount,
  log: RefreshDeps['log'],
): Promise<void> {
  const { accountId, platform } = account
  try {
    // The request that disconnected the account is over.
    const isRevoked = await withDatabaseBudget(undefined, () => revoke(deps, account))
    if (isRevoked) log.info({ accountId, platform }, 'tokens revoked')
  } catch (error) {
    log.warn({ err: error, accountId, platform }, 'tokens could not be revoked')
  }
}

/** The same for all accounts of a user who is deleted. After a minute, those that are left keep their tokens. */
export async function revokeAllTokens(
  deps: RevokeDeps,
  accounts: readonly DisconnectedAccount[],
  log: RefreshDeps['log'],
): Promise<void> {
  const left = [...accounts]
  const endsAt = performance.now() + REVOKE_ALL_MAX_MS
  const revokeNext = async () => {
    while (left.length > 0 && performance.now() < endsAt) await revokeTokens(deps, left.shift()!, log)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, revokeNext))
  if (left.length > 0) log.warn({ accounts: left.length }, 'the time for revoking tokens is over')
}

/** Returns false if there is nothing to revoke. */
async function revoke(
  { db, networks, keyring, oauthApps, fetch }: RevokeDeps,
  account: DisconnectedAccount,
): Promise<boolean> {
  const { accountId, platform, externalId, clientId } = account
  const sealed = credentialsRow(account)
  const oauth = networks[platform].oauth
  // A token without a client id was made by the user, who may use it elsewhere.
  if (!oauth?.revoke || !keyring || !sealed || clientId === null || externalId === null) return false
  // Mastodon gives an app the same token for each consent of a user:
  // https://github.com/mastodon/mastodon/blob/main/config/initializers/doorkeeper.rb
  if (await isConnectedElsewhere(db, { platform, externalId, clientId })) return false
  const app = appOf({ keyring, oauthApps }, account)
  if (!app) return false
  const io = { fetch, signal: AbortSignal.timeout(REVOKE_MAX_MS) }
  await withTimeout(REVOKE_MAX_MS + 1_000, oauth.revoke(keyring.open(accountId, sealed), app, io))
  return true
}
