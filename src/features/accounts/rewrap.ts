import type { Db } from '../../../db/client.ts'
import { listCredentialsNotUnder, updateDataKey } from '../../../db/queries/credentials.ts'
import { listAppsNotUnder, updateAppDataKey } from '../../../db/queries/oauth-apps.ts'
import { listWebhookSecretsNotUnder, updateWebhookDataKey } from '../../../db/queries/webhooks/secrets.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'

/**
 * Wraps the data keys of all stored credentials, and of the secrets of apps and webhooks, with the current key of the
 * keyring. What none of its keys can decrypt is left unchanged; `failures` has a message for each.
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
  for (const { id, ...row } of await listAppsNotUnder(db, keyring.keyId)) {
    const changed = tryTo(() => keyring.rewrap(id, row), failures)
    if (!changed) continue
    await updateAppDataKey(db, id, row, changed)
    rewrapped++
  }
  for (const { id, ...row } of await listWebhookSecretsNotUnder(db, keyring.keyId)) {
    const changed = tryTo(() => keyring.rewrap(id, row), failures)
    if (!changed) continue
    await updateWebhookDataKey(db, id, row, changed)
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
