import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { type AccountProfile, upsertConnectedAccount } from '../../db/queries/accounts.ts'
import { replaceCredentials } from '../../db/queries/credentials.ts'
import { isMember } from '../../db/queries/people.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Account } from '../../schemas/account.ts'
import type { ConnectAccount } from '../../schemas/connect.ts'
import { NO_CREDENTIALS_KEY } from '../../schemas/error.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Keyring } from '../credentials/keyring.ts'
import { AppError } from '../errors.ts'
import { canonical, type Once } from '../http/idempotency-key.ts'
import { beginningOf } from '../http/json.ts'
import { type Profile, PublishError, type Publishing, storable } from '../platforms/adapter.ts'
import type { Networks } from '../platforms/adapters.ts'

export interface Connecting {
  db: Db
  /** The networks that posts can be sent to. */
  networks: Networks
  /** What credentials are encrypted with; undefined where the operator has given no key. */
  keyring: Keyring | undefined
  /** For calls to networks. */
  fetch: typeof fetch
}

export interface Connected {
  account: Account
  /** False where the user had connected it already. */
  isNew: boolean
}

/** For all calls that it takes to see whose credentials these are. */
const IDENTIFY_MS = 20_000

/**
 * Asks the network whose credentials these are, and stores them encrypted with the account that they are for. An account
 * that the user has connected already is the same one afterwards. Throws 403 where the user does not belong to the
 * organisation, 400 where the network refuses, 502 where it does not answer, 503 where there is no key to encrypt with.
 */
export async function connectAccount(
  { db, networks, keyring, fetch }: Connecting,
  userId: string,
  body: ConnectAccount,
  once: Once<Connected>,
): Promise<Connected> {
  const { platform, credentials, organizationId } = body
  if (keyring) {
    // Some passwords can be guessed, and a plain hash would tell who guesses that they are right.
    const fingerprints = keyring.fingerprints(canonical([userId, credentials]))
    const [form, ...others] = fingerprints.map((fingerprint) => ({ ...body, credentials: fingerprint }))
    await once.begin(form, ...others)
  }
  if (organizationId !== undefined && !(await isMember(db, { userId, organizationId }))) {
    throw new AppError(403, 'no_access', `You have no access to this organizationId: ${beginningOf(organizationId)}`)
  }
  if (!keyring) throw new AppError(503, 'credentials_key_missing', NO_CREDENTIALS_KEY)
  const network = networks[platform as PlatformId]
  if (!network) throw new AppError(400, 'platform_not_supported', `${platform} accounts cannot be connected here`)

  const { externalId, ...profile } = await identify(platform, network, credentials, fetch)
  const account = { id: newId(), platform: platform as PlatformId, ...profile }
  return once.write((db) =>
    inTransaction(db, async (db) => {
      const owner = { userId, organizationId: organizationId ?? null }
      // First, as the credentials are sealed for the id that comes of it.
      const id = await upsertConnectedAccount(db, { ...account, ...owner, externalId })
      await replaceCredentials(db, id, keyring.seal(id, credentials))
      return {
        account: shownAccount({ ...account, id }),
        isNew: id === account.id,
      }
    }),
  )
}

/** An account as the interface shows it: what is not known of it is absent. */
export function shownAccount({ displayName, textLengthMax, ...account }: AccountProfile): Account {
  return {
    ...account,
    ...(displayName !== null && { displayName }),
    ...(textLengthMax !== null && { textLengthMax }),
  }
}

/** In UTF-16 units: an index takes it. */
const NAME_MAX = 500
const tidy = (text: string) => storable(text, NAME_MAX)

async function identify(
  platform: string,
  network: Publishing,
  credentials: Record<string, string>,
  fetch: Connecting['fetch'],
): Promise<Required<Profile>> {
  try {
    const profile = await network.identify(credentials, { fetch, signal: AbortSignal.timeout(IDENTIFY_MS) })
    return {
      externalId: tidy(profile.externalId),
      username: tidy(profile.username),
      displayName: profile.displayName === null ? null : tidy(profile.displayName),
      textLengthMax: profile.textLengthMax ?? null,
    }
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    const message = `${platform}: ${tidy(error.message)}`
    throw error.retryable
      ? new AppError(502, 'platform_unavailable', message)
      : new AppError(400, 'credentials_rejected', message)
  }
}
