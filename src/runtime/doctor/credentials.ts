import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../../db/client.ts'
import { NO_ID } from '../../../db/id.ts'
import { listCredentialsAfter } from '../../../db/queries/credentials.ts'
import type { Config } from '../../config.ts'
import type { Keyring, SealedCredentials } from '../../credentials/keyring.ts'
import { openKeyring } from '../keyring.ts'
import { type Finding, ok, wrong } from './finding.ts'

export const MEND_KEY =
  'Set CREDENTIALS_KEY to every key that is in use, the current one first. If a key is lost, run `postroom account forget-lost --yes`.'

const BATCH = 1_000

/** Opens all stored credentials. */
export async function examineCredentials(config: Config, db: Db): Promise<Finding> {
  const { credentialsKeys, databaseUrl, dataDir } = config
  // Opening the keyring would create the file, and with it a key that opens nothing.
  const isMissing = !credentialsKeys && !databaseUrl && !existsSync(join(dataDir, 'credentials.key'))
  const keyring = isMissing ? undefined : await openKeyring(config)
  let opened = 0
  const lost = new Map<string, number>()
  for (let last: string = NO_ID; ; ) {
    const rows = await listCredentialsAfter(db, last, BATCH)
    for (const { accountId, ...sealed } of rows) {
      if (keyring && canOpen(keyring, accountId, sealed)) opened++
      else lost.set(sealed.keyId, (lost.get(sealed.keyId) ?? 0) + 1)
    }
    if (rows.length < BATCH) break
    last = rows.at(-1)!.accountId
  }
  if (lost.size > 0) {
    const keys = [...lost].map(([keyId, count]) => `${count} of key ${keyId}`).join(', ')
    return wrong('credentials', `the credentials of some accounts cannot be decrypted: ${keys}`, MEND_KEY)
  }
  if (!keyring) {
    return wrong('credentials', 'there is no key: accounts cannot be connected, and workers do not start', MEND_KEY)
  }
  return ok('credentials', `the key ${keyring.keyId} and ${keyring.keyIds.length - 1} others open all ${opened} stored`)
}

function canOpen(keyring: Keyring, accountId: string, sealed: SealedCredentials): boolean {
  try {
    keyring.open(accountId, sealed)
    return true
  } catch {
    return false
  }
}
