import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { type ConnectedAccount, type ListedAccount, upsertConnectedAccount } from '../../db/queries/accounts.ts'
import { isOtherKeyInUse, replaceCredentials } from '../../db/queries/credentials.ts'
import { isMember } from '../../db/queries/people.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type Account, NOT_CONNECTED, NOT_SUPPORTED } from '../../schemas/account.ts'
import { NO_CREDENTIALS_KEY, OTHER_CREDENTIALS_KEY } from '../../schemas/error.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Keyring } from '../credentials/keyring.ts'
import { AppError } from '../errors.ts'
import { truncate } from '../http/json.ts'
import type { Credentials, Profile } from '../platforms/adapter.ts'
import type { Networks } from '../platforms/adapters.ts'
import { storable } from '../platforms/publish-error.ts'

/*
 * What connecting by credentials and by OAuth have in common.
 */

export interface NetworkContext {
  db: Db
  /** The networks that posts can be sent to. */
  networks: Networks
  /** Encrypts credentials; undefined if the operator has configured no key. */
  keyring: Keyring | undefined
  /** For calls to networks. */
  fetch: typeof fetch
}

/** Throws 403 if the user does not belong to the organisation that a request names. */
export async function requireMembership(db: Db, userId: string, organizationId: string | undefined): Promise<void> {
  if (organizationId !== undefined && !(await isMember(db, { userId, organizationId }))) {
    throw new AppError(403, 'no_access', `You have no access to this organizationId: ${truncate(organizationId)}`)
  }
}

/**
 * The keyring. Throws 503 if there is none, or if it lacks a key of stored credentials: other processes could not decrypt
 * what it encrypts.
 */
export async function requireKeyring({ db, keyring }: Pick<NetworkContext, 'db' | 'keyring'>): Promise<Keyring> {
  if (!keyring) throw new AppError(503, 'credentials_key_missing', NO_CREDENTIALS_KEY)
  if (await isOtherKeyInUse(db, keyring.keyIds)) {
    throw new AppError(503, 'credentials_key_mismatch', OTHER_CREDENTIALS_KEY)
  }
  return keyring
}

/** In UTF-16 units: short enough for an index. */
const NAME_LENGTH_MAX = 500
export const tidy = (text: string) => storable(text, NAME_LENGTH_MAX)

/** A profile with null in place of what the network did not say. */
export type StoredProfile = Required<Omit<Profile, 'limitKey'>> & { limitKey: string | null }

/** The profile in the form in which it is stored: its texts come from a server that a user named. */
export const toStoredProfile = (profile: Profile): StoredProfile => ({
  externalId: tidy(profile.externalId),
  username: tidy(profile.username),
  displayName: profile.displayName === null ? null : tidy(profile.displayName),
  textLengthMax: profile.textLengthMax ?? null,
  limitKey: profile.limitKey ?? null,
})

/** What is stored of the consent to an account; all null if it was connected with credentials. */
export type Grant = Pick<
  ConnectedAccount,
  'scopes' | 'credentialsExpireAt' | 'clientId' | 'appId' | 'externalReference'
>

export const NO_GRANT: Grant = {
  scopes: null,
  credentialsExpireAt: null,
  clientId: null,
  appId: null,
  externalReference: null,
}

export interface NewAccount {
  platform: PlatformId
  userId: string
  organizationId: string | undefined
  profile: StoredProfile
  credentials: Credentials
  /** Whether workers refresh the credentials. */
  isRefreshable: boolean
  grant: Grant
}

export interface Connected {
  account: Account
  /** False if the user had connected the account before. */
  isNew: boolean
}

/** Stores the account and its encrypted credentials. An account that the user has connected before keeps its id. */
export function storeAccount(
  db: Db,
  keyring: Keyring,
  { platform, userId, organizationId, profile, credentials, isRefreshable, grant }: NewAccount,
): Promise<Connected> {
  const account = { id: newId(), platform, ...profile, ...grant }
  const owner = { userId, organizationId: organizationId ?? null }
  return inTransaction(db, async (transaction) => {
    // First, because the credentials are encrypted for the id that it returns.
    const stored = await upsertConnectedAccount(transaction, { ...account, ...owner })
    const life = { expiresAt: grant.credentialsExpireAt, isRefreshable }
    await replaceCredentials(transaction, stored.id, keyring.seal(stored.id, credentials), life)
    return { account: toAccount(stored), isNew: stored.id === account.id }
  })
}

/** An account as the API shows it: unknown properties are absent. */
export function toAccount({
  displayName,
  textLengthMax,
  scopes,
  credentialsExpireAt,
  externalReference,
  ...account
}: Omit<ListedAccount, 'attention' | 'isConnected'>): Account {
  return {
    ...account,
    ...(displayName !== null && { displayName }),
    ...(textLengthMax !== null && { textLengthMax }),
    ...(scopes !== null && { scopes }),
    ...(credentialsExpireAt !== null && { credentialsExpireAt }),
    ...(externalReference !== null && { externalReference }),
  }
}

/** An account in a list: `attention` tells why its owner has to act. */
export function toListedAccount({ attention, isConnected, ...account }: ListedAccount, networks: Networks): Account {
  const reason = attention ?? (networks[account.platform] ? !isConnected && NOT_CONNECTED : NOT_SUPPORTED)
  return { ...toAccount(account), ...(reason && { attention: reason }) }
}
