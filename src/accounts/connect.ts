import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { type AccountProfile, upsertConnectedAccount } from '../../db/queries/accounts.ts'
import { isOtherKeyInUse, replaceCredentials } from '../../db/queries/credentials.ts'
import { isMember } from '../../db/queries/people.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Account } from '../../schemas/account.ts'
import type { ConnectAccount } from '../../schemas/connect.ts'
import { NO_CREDENTIALS_KEY, OTHER_CREDENTIALS_KEY } from '../../schemas/error.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Keyring } from '../credentials/keyring.ts'
import { AppError } from '../errors.ts'
import { canonicalJson } from '../http/idempotency-key.ts'
import { truncate } from '../http/json.ts'
import type { Profile } from '../platforms/adapter.ts'
import type { AnyAdapter, Networks } from '../platforms/adapters.ts'
import { PublishError, storable } from '../platforms/publish-error.ts'

export interface NetworkContext {
  db: Db
  /** The networks that posts can be sent to. */
  networks: Networks
  /** Encrypts credentials; undefined if the operator has configured no key. */
  keyring: Keyring | undefined
  /** For calls to networks. */
  fetch: typeof fetch
}

export interface Connected {
  account: Account
  /** False if the user had connected the account before. */
  isNew: boolean
}

/**
 * The keyring. Throws 503 if there is none, or if it lacks a key of stored credentials: other processes could not decrypt
 * what it encrypts. The same check of the organisation precedes every connection.
 */
export async function requireKeyring(
  { db, keyring }: NetworkContext,
  userId: string,
  { organizationId }: ConnectAccount,
): Promise<Keyring> {
  if (keyring && !(await isOtherKeyInUse(db, keyring.keyIds))) return keyring
  await checkMembership(db, userId, organizationId)
  throw keyring
    ? new AppError(503, 'credentials_key_mismatch', OTHER_CREDENTIALS_KEY)
    : new AppError(503, 'credentials_key_missing', NO_CREDENTIALS_KEY)
}

/**
 * The request with fingerprints in place of its credentials, one for each key of the keyring, the current key first. A
 * plain hash would let a reader of the database confirm a guessed password.
 */
export function fingerprintRequest(keyring: Keyring, userId: string, body: ConnectAccount): unknown[] {
  const fingerprints = keyring.fingerprints(canonicalJson([userId, body.credentials]))
  return fingerprints.map((fingerprint) => ({ ...body, credentials: fingerprint }))
}

/** A profile with null in place of what the network did not say. */
type IdentifiedProfile = Required<Omit<Profile, 'limitKey'>> & { limitKey: string | null }

/** Limits all calls to the network together. */
const IDENTIFY_TIMEOUT_MS = 20_000

/**
 * Asks the network which account the credentials belong to. Throws 403 if the user does not belong to the organisation,
 * 400 if the network rejects the credentials, and 502 if it gives no valid response.
 */
export async function identifyAccount(
  { db, networks, fetch }: NetworkContext,
  userId: string,
  { platform, credentials, organizationId }: ConnectAccount,
): Promise<IdentifiedProfile> {
  await checkMembership(db, userId, organizationId)
  const network = networks[platform as PlatformId]
  if (!network) throw new AppError(400, 'platform_not_supported', `${platform} accounts cannot be connected here`)
  return callIdentify(platform, network, credentials, fetch)
}

async function checkMembership(db: Db, userId: string, organizationId: string | undefined): Promise<void> {
  if (organizationId !== undefined && !(await isMember(db, { userId, organizationId }))) {
    throw new AppError(403, 'no_access', `You have no access to this organizationId: ${truncate(organizationId)}`)
  }
}

/** Stores the account and its encrypted credentials. An account that the user has connected before keeps its id. */
export function storeAccount(
  db: Db,
  keyring: Keyring,
  userId: string,
  { platform, credentials, organizationId }: ConnectAccount,
  { externalId, limitKey, ...profile }: IdentifiedProfile,
): Promise<Connected> {
  const account = { id: newId(), platform: platform as PlatformId, ...profile }
  const owner = { userId, organizationId: organizationId ?? null }
  return inTransaction(db, async (transaction) => {
    // First, because the credentials are encrypted for the id that it returns.
    const id = await upsertConnectedAccount(transaction, { ...account, ...owner, externalId, limitKey })
    await replaceCredentials(transaction, id, keyring.seal(id, credentials))
    return { account: toAccount({ ...account, id }), isNew: id === account.id }
  })
}

/** An account as the API shows it: unknown properties are absent. */
export function toAccount({ displayName, textLengthMax, ...account }: AccountProfile): Account {
  return {
    ...account,
    ...(displayName !== null && { displayName }),
    ...(textLengthMax !== null && { textLengthMax }),
  }
}

/** In UTF-16 units: short enough for an index. */
const NAME_LENGTH_MAX = 500
const tidy = (text: string) => storable(text, NAME_LENGTH_MAX)

async function callIdentify(
  platform: string,
  network: AnyAdapter,
  credentials: Record<string, string>,
  fetch: NetworkContext['fetch'],
): Promise<IdentifiedProfile> {
  try {
    const profile = await network.identify({ credentials, fetch, signal: AbortSignal.timeout(IDENTIFY_TIMEOUT_MS) })
    return {
      externalId: tidy(profile.externalId),
      username: tidy(profile.username),
      displayName: profile.displayName === null ? null : tidy(profile.displayName),
      textLengthMax: profile.textLengthMax ?? null,
      limitKey: profile.limitKey ?? null,
    }
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    const message = `${platform}: ${tidy(error.message)}`
    throw error.retryable
      ? new AppError(502, 'platform_unavailable', message)
      : new AppError(400, 'credentials_rejected', message)
  }
}
