import { withDatabaseBudget } from '../../db/budget.ts'
import type { Db } from '../../db/client.ts'
import { credentialsRow } from '../../db/queries/credentials.ts'
import { type DisconnectedAccount, isConnectedElsewhere } from '../../db/queries/disconnect.ts'
import type { Networks } from '../platforms/adapters.ts'
import { withTimeout } from '../with-timeout.ts'
import { appOf, type DeploymentApps } from './app.ts'
import type { Keyring } from './keyring.ts'
import type { RefreshDeps } from './refresh.ts'

export interface RevokeDeps {
  db: Db
  networks: Networks
  keyring: Keyring | undefined
  oauthApps: DeploymentApps
  fetch: typeof fetch
}

const REVOKE_MAX_MS = 10_000

/**
 * Asks the network once to end the tokens of an account that was disconnected. Never throws: the account is disconnected
 * whatever becomes of this.
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

/** Returns false where there is nothing to revoke. */
async function revoke(
  { db, networks, keyring, oauthApps, fetch }: RevokeDeps,
  account: DisconnectedAccount,
): Promise<boolean> {
  const { accountId, platform, externalId } = account
  const sealed = credentialsRow(account)
  const oauth = networks[platform]?.oauth
  // Without a client id, the user made the token, and may use it elsewhere.
  if (!oauth?.revoke || !keyring || !sealed || account.clientId === null || externalId === null) return false
  // Mastodon gives an app the same token for each consent of a user:
  // https://github.com/mastodon/mastodon/blob/main/config/initializers/doorkeeper.rb
  if (await isConnectedElsewhere(db, { platform, externalId })) return false
  const app = appOf({ keyring, oauthApps }, account)
  if (!app) return false
  const io = { fetch, signal: AbortSignal.timeout(REVOKE_MAX_MS) }
  await withTimeout(REVOKE_MAX_MS + 1_000, oauth.revoke(keyring.open(accountId, sealed), app, io))
  return true
}
