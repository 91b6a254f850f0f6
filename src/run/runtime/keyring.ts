import { join } from 'node:path'
import type { Db } from '../../../db/client.ts'
import { isKeyUsable } from '../../../db/queries/credentials.ts'
import { OperatorError } from '../../base/errors.ts'
import { readOrCreateKey } from '../../base/keyring/key-file.ts'
import { createKeyring, type Keyring } from '../../base/keyring/keyring.ts'
import type { Log } from '../../base/log.ts'
import type { Publisher } from '../../engine/delivery/publisher.ts'
import type { Config } from '../config/config.ts'

/**
 * Opens the keys that encrypt credentials. Returns undefined if DATABASE_URL is set and CREDENTIALS_KEY is not. The
 * embedded database keeps its key beside its data, so that both are copied and deleted together. Open the database
 * first: Postgres initialises an empty folder only. Throws an OperatorError if the key file cannot be read.
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

/**
 * Makes a publisher claim nothing while its keyring opens none of the stored credentials. Every delivery would fail,
 * and a worker with the right key could send it.
 */
export function withUsableKey(publisher: Publisher, db: Db, { keyIds }: Keyring, log: Log): Publisher {
  let isUsable = false
  let isLogged = false
  return {
    ...publisher,
    async claim() {
      isUsable ||= await isKeyUsable(db, keyIds)
      if (isUsable) return publisher.claim()
      if (!isLogged) log.error({ keyIds }, WRONG_KEY)
      isLogged = true
      return 0
    },
  }
}

const WRONG_KEY =
  'nothing is published: CREDENTIALS_KEY decrypts none of the stored credentials. Set it to the key that encrypted them'
