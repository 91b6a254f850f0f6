import type { Db } from '../../db/client.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import type { Connecting } from '../accounts/connect.ts'
import type { Config } from '../config.ts'
import type { Log } from '../delivery/deliver.ts'
import { createPublisher, type Publisher } from '../delivery/publisher.ts'
import { createPublicFetch } from '../outbound/public-fetch.ts'
import { createNetworks } from '../platforms/adapters.ts'
import type { Storage } from '../storage/storage.ts'
import { openKeyring, reportLostCredentials } from './keyring.ts'

/** Why nothing is published: a worker without a key would fail whatever it takes, which others could have sent. */
export const NO_KEY = 'CREDENTIALS_KEY is not set: without it, no account can be published to'

/** The way to the networks, and to the accounts there. */
export const openNetworks = async (config: Config, db: Db): Promise<Connecting> => ({
  db,
  networks: createNetworks(sandboxStore(db)),
  keyring: await openKeyring(config),
  fetch: createPublicFetch(),
})

/** Undefined where there is no key to open credentials with. */
export function openPublisher(
  { publishLatenessMaxMs }: Config,
  { db, networks, keyring, fetch }: Connecting,
  storage: Storage,
  log: Log,
): Publisher | undefined {
  if (!keyring) return undefined
  // Not waited for: the database may be away, and then its failure is told by those who need it.
  reportLostCredentials(db, keyring, log).catch(() => {})
  return createPublisher({
    db,
    networks,
    storage,
    openCredentials: keyring.open,
    fetch,
    latenessMaxMs: publishLatenessMaxMs,
    clock: () => null,
    uptimeMs: () => performance.now(),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    log,
  })
}
