import { join } from 'node:path'
import type { Db } from '../../db/client.ts'
import { listCredentialsNotUnder } from '../../db/queries/credentials.ts'
import type { Config } from '../config.ts'
import { readOrCreateKey } from '../credentials/key-file.ts'
import { createKeyring, type Keyring, type SealedCredentials } from '../credentials/keyring.ts'
import type { Log } from '../delivery/deps.ts'
import { OperatorError } from '../errors.ts'

/**
 * Opens the keys that encrypt credentials. Returns undefined if DATABASE_URL is set and CREDENTIALS_KEY is not. The embedded
 * database keeps its key beside its data, so that both are copied and deleted together. Open the database first: Postgres
 * initialises an empty folder only. Throws an OperatorError if the key file cannot be read.
 */
export async function openKeyring({ credentialsKeys, databaseUrl, dataDir }: Config): Promise<Keyring | undefined> {
  if (credentialsKeys) return createKeyring(credentialsKeys)
  if (databaseUrl) return undefined
  try {
    return createKeyring([await readOrCreateKey(join(dataDir, 'credentials.key'))])
  } catch (error) {
    throw new OperatorError((error as Error).message)
  }
}

/** Logs an error if no key of the keyring opens the credentials of some accounts: a key was lost or replaced. */
export async function reportLostCredentials(db: Db, keyring: Keyring, log: Log): Promise<void> {
  const rows = await listCredentialsNotUnder(db, keyring.keyId)
  const lost = rows.filter(({ accountId, ...sealed }) => !canOpen(keyring, accountId, sealed))
  if (lost.length === 0) return
  const keyIds = [...new Set(lost.map(({ keyId }) => keyId))]
  log.error(
    { accounts: lost.length, keyIds },
    'the credentials of some accounts cannot be decrypted: add the keys that encrypted them to CREDENTIALS_KEY',
  )
}

function canOpen(keyring: Keyring, accountId: string, sealed: SealedCredentials): boolean {
  try {
    keyring.open(accountId, sealed)
    return true
  } catch {
    return false
  }
}
