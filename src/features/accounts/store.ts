import type { Db } from '../../../db/client.ts'
import { newId } from '../../../db/id.ts'
import type {
  AccountConsent,
  AccountOwner,
  AccountProfile,
  AccountSettings,
  ListedAccount,
} from '../../../db/queries/accounts.ts'
import { type ConnectedAccount, upsertConnectedAccount } from '../../../db/queries/connected-accounts.ts'
import { isOtherKeyInUse, replaceCredentials } from '../../../db/queries/credentials.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { Account } from '../../../schemas/account.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { fail } from '../../base/errors.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import type { DeploymentApps } from '../../engine/credentials/app.ts'
import { findAttention } from '../../engine/credentials/attention.ts'
import type { Networks } from '../../platforms/adapters.ts'
import type { Credentials, Profile } from '../../platforms/contract/io.ts'
import { storable } from '../../platforms/contract/publish-error.ts'
import { findMetricGains } from '../../platforms/with-metric-scopes.ts'

/* Steps that connecting by credentials and by OAuth have in common. */

export interface NetworkContext {
  db: Db
  /** The networks that posts can be sent to. */
  networks: Networks
  /** Encrypts credentials; undefined if the operator has configured no key. */
  keyring: Keyring | undefined
  /** For calls to networks. */
  fetch: typeof fetch
  oauthApps: DeploymentApps
}

/**
 * The keyring. Throws 503 if it is missing, or if it lacks a key of stored credentials: other processes could not
 * decrypt what it encrypts.
 */
export async function requireKeyring({ db, keyring }: Pick<NetworkContext, 'db' | 'keyring'>): Promise<Keyring> {
  if (!keyring) throw fail('credentials_key_missing')
  if (await isOtherKeyInUse(db, keyring.keyIds)) {
    throw fail('credentials_key_mismatch')
  }
  return keyring
}

/** In UTF-16 units: short enough for an index. */
const NAME_LENGTH_MAX = 500
export const tidy = (text: string) => storable(text, NAME_LENGTH_MAX)

/** The dependencies of connecting accounts. */
export interface AccountContext extends NetworkContext {
  /** The origin at which browsers reach this service. Known once the service listens. */
  publicUrl(): string
  /** Absent in commands, which keep no pictures. */
  avatars?: Avatars
}

/** Keeps a small copy of the picture of an account, after the call. */
interface Avatars {
  keep(account: { userId: string; id: string }, url: string): Promise<void>
}

/** A profile with null in place of what the network did not say. */
export type StoredProfile = { [K in keyof Required<Profile>]: Exclude<Profile[K], undefined> | Absent<K> }
type Absent<K> = K extends 'externalId' | 'username' ? never : null

/** The profile in the form in which it is stored: its texts come from a server that a user named. */
export const toStoredProfile = (profile: Profile): StoredProfile => ({
  externalId: tidy(profile.externalId),
  username: tidy(profile.username),
  displayName: profile.displayName === null ? null : tidy(profile.displayName),
  textLengthMax: profile.textLengthMax ?? null,
  altTextLengthMax: profile.altTextLengthMax ?? null,
  facts: profile.facts ?? null,
  limitKey: profile.limitKey ?? null,
  avatarUrl: profile.avatarUrl && isWebUrl(profile.avatarUrl) ? profile.avatarUrl : null,
})

const URL_LENGTH_MAX = 4_096
const isWebUrl = (text: string) => text.length <= URL_LENGTH_MAX && /^https?:/.test(URL.parse(text)?.protocol ?? '')

/** The stored consent to an account; all null if it was connected with credentials. */
type Grant = Pick<
  ConnectedAccount,
  'scopes' | 'credentialsExpireAt' | 'clientId' | 'appId' | 'externalReference' | 'metadata'
>

export const NO_GRANT: Grant = {
  scopes: null,
  credentialsExpireAt: null,
  clientId: null,
  appId: null,
  externalReference: null,
  metadata: null,
}

interface NewAccount {
  platform: PlatformId
  userId: string
  organizationId: string | undefined
  profile: StoredProfile
  credentials: Credentials
  /** Whether workers refresh the credentials. */
  isRefreshable: boolean
  grant: Grant
}

interface Connected {
  account: Account
  /** False if the user had connected the account before. */
  isNew: boolean
}

/** Stores the account and its encrypted credentials. An account that the user has connected before keeps its id. */
export function storeAccount(
  db: Db,
  keyring: Keyring,
  {
    platform,
    userId,
    organizationId,
    profile: { avatarUrl: _, ...profile },
    credentials,
    isRefreshable,
    grant,
  }: NewAccount,
): Promise<Connected> {
  const account = { id: newId(), platform, ...profile, ...grant }
  const owner = { userId, organizationId: organizationId ?? null }
  return inTransaction(db, async (transaction) => {
    // First, because the credentials are encrypted for the id that it returns.
    const stored = await upsertConnectedAccount(transaction, { ...account, ...owner })
    const life = { expiresAt: grant.credentialsExpireAt, isRefreshable }
    await replaceCredentials(transaction, stored.id, keyring.seal(stored.id, credentials), life)
    return { account: toAccount(stored, userId), isNew: stored.id === account.id }
  })
}

/** An account as the API shows it to `viewer`, a user who may post to it: unknown properties are absent. */
function toAccount(row: AccountProfile & AccountConsent & AccountSettings & AccountOwner, viewer: string): Account {
  // Assigned one by one: spreads and rests take longer than the rest of a list.
  const { id, platform, username, userId: ownerId } = row
  const isOwner = ownerId === viewer
  const canDisconnect = isOwner || row.isAdministered === true
  const account: Account = { id, platform, username, ownerId, isOwner, canDisconnect }
  const displayName = row.ownDisplayName ?? row.displayName
  if (displayName !== null) account.displayName = displayName
  if (row.ownDisplayName !== null && row.displayName !== null) account.networkDisplayName = row.displayName
  if (row.textLengthMax !== null) account.textLengthMax = row.textLengthMax
  if (row.altTextLengthMax !== null) account.altTextLengthMax = row.altTextLengthMax
  if (row.defaultFields !== null) account.defaultFields = row.defaultFields
  if (row.captionSuffix !== null) account.captionSuffix = row.captionSuffix
  if (row.tags !== null) account.tags = row.tags
  if (row.pausedAt !== null) account.pausedAt = row.pausedAt
  if (row.scopes !== null) account.scopes = row.scopes
  if (row.credentialsExpireAt !== null) account.credentialsExpireAt = row.credentialsExpireAt.toISOString()
  if (row.externalReference !== null) account.externalReference = row.externalReference
  if (row.metadata !== null) account.metadata = row.metadata
  if (row.organizationId !== null) account.organizationId = row.organizationId
  return account
}

/** The address of the picture of an account that has one; null without a key to sign it. */
type AvatarAddress = (id: string) => string | null

/** The facts beside the row of an account. */
export interface AccountView {
  avatarOf: AvatarAddress
  networks: Networks
}

/** An account in a list: `attention` tells why its owner has to act. */
export function toListedAccount(row: ListedAccount, viewer: string, view?: AccountView): Account {
  const account = toAccount(row, viewer)
  const avatarUrl = row.hasAvatar && view?.avatarOf(row.id)
  const gains = view && row.credentials && findMetricGains(view.networks, row)
  if (gains) account.reconnectAdds = gains
  if (avatarUrl) account.avatarUrl = avatarUrl
  const attention = findAttention(row)
  if (attention) account.attention = attention
  return account
}
