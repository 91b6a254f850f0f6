import type { ConnectAccount } from '../../../schemas/connect.ts'
import { AppError, fail } from '../../base/errors.ts'
import { canonicalJson } from '../../base/http/idempotency-key.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import type { AnyAdapter } from '../../platforms/contract/adapter.ts'
import { PublishError } from '../../platforms/contract/publish-error.ts'
import { requireMayConnect } from '../auth/roles.ts'
import { type NetworkContext, requireKeyring, type StoredProfile, tidy, toStoredProfile } from './store.ts'

/** The keyring, as `requireKeyring` returns it. The check of the organisation precedes every refusal. */
export async function requireKeyringFor(
  context: NetworkContext,
  userId: string,
  { organizationId }: ConnectAccount,
): Promise<Keyring> {
  try {
    return await requireKeyring(context)
  } catch (error) {
    if (error instanceof AppError) await requireMayConnect(context.db, userId, organizationId)
    throw error
  }
}

/**
 * The request with fingerprints in place of its credentials, one for each key of the keyring, the current key first. A
 * plain hash would let a reader of the database confirm a guessed password.
 */
export function fingerprintRequest(keyring: Keyring, userId: string, body: ConnectAccount): unknown[] {
  const fingerprints = keyring.fingerprints(canonicalJson([userId, body.credentials]))
  return fingerprints.map((fingerprint) => ({ ...body, credentials: fingerprint }))
}

/** Limits all calls to the network together. */
export const IDENTIFY_TIMEOUT_MS = 20_000

/**
 * Asks the network which account the credentials belong to. Throws 403 if the user is not an admin of the organisation.
 * Throws 400 if the network rejects the credentials, and 502 if it gives no valid response.
 */
export async function identifyAccount(
  { db, networks, fetch }: NetworkContext,
  userId: string,
  { platform, credentials, organizationId }: ConnectAccount,
): Promise<StoredProfile> {
  await requireMayConnect(db, userId, organizationId)
  return callIdentify(platform, networks[platform], credentials, fetch)
}

async function callIdentify(
  platform: string,
  network: AnyAdapter,
  credentials: Record<string, string>,
  fetch: NetworkContext['fetch'],
): Promise<StoredProfile> {
  try {
    return toStoredProfile(
      await network.identify({ credentials, fetch, signal: AbortSignal.timeout(IDENTIFY_TIMEOUT_MS) }),
    )
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    const message = `${platform}: ${tidy(error.message)}`
    throw error.retryable ? fail('platform_unavailable', message) : fail('credentials_rejected', message)
  }
}
