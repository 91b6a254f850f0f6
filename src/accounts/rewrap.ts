import type { Db } from '../../db/client.ts'
import { listCredentialsNotUnder, updateDataKey } from '../../db/queries/credentials.ts'
import type { Keyring } from '../credentials/keyring.ts'

/**
 * Puts the keyring's current key in the place of the others, for all stored credentials. What none of its keys opens
 * stays as it is; `failures` say why.
 */
export async function rewrapCredentials(db: Db, keyring: Keyring): Promise<{ rewrapped: number; failures: string[] }> {
  let rewrapped = 0
  const failures: string[] = []
  for (const { accountId, ...row } of await listCredentialsNotUnder(db, keyring.keyId)) {
    const changed = attempt(() => keyring.rewrap(accountId, row), failures)
    if (!changed) continue
    await updateDataKey(db, accountId, row, changed)
    rewrapped++
  }
  return { rewrapped, failures }
}

function attempt<T>(work: () => T, failures: string[]): T | undefined {
  try {
    return work()
  } catch (error) {
    failures.push((error as Error).message)
    return undefined
  }
}
