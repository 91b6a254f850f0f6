import type { Db } from '../../db/client.ts'
import { listCredentialsNotUnder, updateDataKey } from '../../db/queries/credentials.ts'
import type { Keyring } from '../credentials/keyring.ts'

/**
 * Wraps the data keys of all stored credentials with the current key of the keyring. Credentials that none of its keys
 * can decrypt are left unchanged; `failures` has a message for each.
 */
export async function rewrapCredentials(db: Db, keyring: Keyring): Promise<{ rewrapped: number; failures: string[] }> {
  let rewrapped = 0
  const failures: string[] = []
  for (const { accountId, ...row } of await listCredentialsNotUnder(db, keyring.keyId)) {
    const changed = tryTo(() => keyring.rewrap(accountId, row), failures)
    if (!changed) continue
    await updateDataKey(db, accountId, row, changed)
    rewrapped++
  }
  return { rewrapped, failures }
}

function tryTo<T>(work: () => T, failures: string[]): T | undefined {
  try {
    return work()
  } catch (error) {
    failures.push((error as Error).message)
    return undefined
  }
}
