import { join } from 'node:path'
import type { Config } from '../config.ts'
import { readOrMakeKey } from '../credentials/key-file.ts'
import { createKeyring, type Keyring } from '../credentials/keyring.ts'
import { CommandError } from './output.ts'

/**
 * Opens the keys that credentials are stored under; undefined where there is a database of one's own and no key for it.
 * The embedded database has its key beside its data, so that both come and go together: it is to be open by now, as
 * Postgres initialises an empty folder only. Throws a CommandError where its key cannot be had.
 */
export async function openKeyring({ credentialsKeys, databaseUrl, dataDir }: Config): Promise<Keyring | undefined> {
  if (credentialsKeys) return createKeyring(credentialsKeys)
  if (databaseUrl) return undefined
  try {
    return createKeyring([await readOrMakeKey(join(dataDir, 'credentials.key'))])
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}
