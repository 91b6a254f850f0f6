import { join } from 'node:path'
import type { Db } from '../../db/client.ts'
import { listCredentialsNotUnder } from '../../db/queries/credentials.ts'
import type { Config } from '../config.ts'
import { readOrMakeKey } from '../credentials/key-file.ts'
import { createKeyring, type Keyring, type SealedCredentials } from '../credentials/keyring.ts'
import type { Log } from '../delivery/deliver.ts'
import { OperatorError } from '../errors.ts'

/**
 * Opens the keys that credentials are stored under; undefined where there is a database of one's own and no key for it.
 * The embedded database has its key beside its data, so that both come and go together: it is to be open by now, as
 * Postgres initialises an empty folder only. Throws a OperatorError where its key cannot be had.
 */
export async function openKeyring({ credentialsKeys, databaseUrl, dataDir }: Config): Promise<Keyring | undefined> {
  if (credentialsKeys) return createKeyring(credentialsKeys)
  if (databaseUrl) return undefined
  try {
    return createKeyring([await readOrMakeKey(join(dataDir, 'credentials.key'))])
  } catch (error) {
    throw new OperatorError((error as Error).message)
  }
}

/** Says so where accounts have credentials that no key opens: a key was lost, or has been replaced. */
export async function reportLostCredentials(db: Db, keyring: Keyring, log: Log): Promise<void> {
  const rows = await listCredentialsNotUnder(db, keyring.keyId)
  const lost = rows.filter(({ accountId, ...sealed }) => !opens(keyring, accountId, sealed))
  if (lost.length === 0) return
  const keyIds = [...new Set(lost.map(({ keyId }) => keyId))]
  log.error(
    { accounts: lost.length, keyIds },
    'the credentials of accounts cannot be opened: bring back the keys that they were encrypted with',
  )
}

function opens(keyring: Keyring, accountId: string, sealed: SealedCredentials): boolean {
  try {
    keyring.open(accountId, sealed)
    return true
  } catch {
    return false
  }
}
