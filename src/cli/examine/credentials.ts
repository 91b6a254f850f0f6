import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../../db/client.ts'
import { NO_ID } from '../../../db/id.ts'
import { listCredentialsAfter } from '../../../db/queries/credentials.ts'
import { listAppsAfter } from '../../../db/queries/oauth-apps.ts'
import { listWebhookSecretsAfter } from '../../../db/queries/webhooks/secrets.ts'
import type { Keyring, SealedCredentials } from '../../base/keyring/keyring.ts'
import type { Config } from '../../run/config/config.ts'
import { openKeyring } from '../../run/runtime/keyring.ts'
import { type Finding, ok, wrong } from './finding.ts'

export const MEND_KEY =
  'Set CREDENTIALS_KEY to every key that is in use, the current one first. If a key is lost, run `postroom account forget-lost --yes`.'

const BATCH = 1_000

/** Opens all stored credentials of accounts, and secrets of apps and webhooks. */
export async function examineCredentials(config: Config, db: Db): Promise<Finding> {
  const { credentialsKeys, databaseUrl, dataDir } = config
  // Opening the keyring would create the file, and with it a key that opens nothing.
  const isMissing = !credentialsKeys && !databaseUrl && !existsSync(join(dataDir, 'credentials.key'))
  const keyring = isMissing ? undefined : await openKeyring(config)
  const accounts = await openAll(keyring, (after) => listCredentialsAfter(db, after, BATCH))
  const apps = await openAll(keyring, (after) => listAppsAfter(db, after, BATCH))
  const webhooks = await openAll(keyring, (after) => listWebhookSecretsAfter(db, after, BATCH))
  const problems = [
    ...(accounts.lost.size > 0 ? [`the credentials of some accounts cannot be decrypted: ${describe(accounts)}`] : []),
    ...(apps.lost.size > 0 ? [`the secrets of some apps cannot be decrypted: ${describe(apps)}`] : []),
    ...(webhooks.lost.size > 0 ? [`the secrets of some webhooks cannot be decrypted: ${describe(webhooks)}`] : []),
  ]
  if (problems.length > 0) return wrong('credentials', problems.join('; '), MEND_KEY)
  if (!keyring) {
    return wrong('credentials', 'there is no key: accounts cannot be connected, and workers do not start', MEND_KEY)
  }
  const keys = `the key ${keyring.keyId} and ${keyring.keyIds.length - 1} others`
  const secrets = `all secrets of apps (${apps.opened}) and webhooks (${webhooks.opened})`
  return ok('credentials', `${keys} open all credentials (${accounts.opened}), ${secrets}`)
}

interface Opened {
  opened: number
  /** How many each key has encrypted that could not be opened. */
  lost: Map<string, number>
}

const describe = ({ lost }: Opened) => [...lost].map(([keyId, count]) => `${count} of key ${keyId}`).join(', ')

type Row = SealedCredentials & { id: string }

async function openAll(keyring: Keyring | undefined, listAfter: (id: string) => Promise<Row[]>): Promise<Opened> {
  let opened = 0
  const lost = new Map<string, number>()
  for (let last: string = NO_ID; ; ) {
    const rows = await listAfter(last)
    for (const { id, ...sealed } of rows) {
      if (keyring && canOpen(keyring, id, sealed)) opened++
      else lost.set(sealed.keyId, (lost.get(sealed.keyId) ?? 0) + 1)
    }
    if (rows.length < BATCH) return { opened, lost }
    last = rows.at(-1)!.id
  }
}

function canOpen(keyring: Keyring, id: string, sealed: SealedCredentials): boolean {
  try {
    keyring.open(id, sealed)
    return true
  } catch {
    return false
  }
}
