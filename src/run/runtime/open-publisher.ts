import type { Log } from '../../base/log.ts'
import { createPublisher, type Publisher } from '../../engine/delivery/publisher.ts'
import { logSettled } from '../../engine/delivery/settled.ts'
import { openJournal } from '../../engine/journal/journal.ts'
import type { NetworkContext } from '../../features/accounts/store.ts'
import { fileAddress } from '../../features/media/file-address.ts'
import type { Library } from '../../features/media/library.ts'
import { publishedFiles } from '../../features/media/published-files.ts'
import type { Networks } from '../../platforms/adapters.ts'
import { describeEnd, findEnding, listApiVersions } from '../../platforms/api-versions.ts'
import type { Config } from '../config/config.ts'
import { countChanges, countSettled } from '../metrics/deliveries.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { countJournalErrors } from '../metrics/storage.ts'
import { withUsableKey } from './keyring.ts'
import { openJournalFiles } from './media-library.ts'

/** A worker without a key must not run: it would fail deliveries that another worker could send. */
export const NO_KEY = 'CREDENTIALS_KEY is not set: set it, so that posts can be published'

/** Creates the publisher. Returns undefined if there is no key to decrypt credentials with. */
export async function openPublisher(
  config: Config,
  { db, networks, keyring, fetch }: NetworkContext,
  library: Library,
  metrics: Metrics,
  log: Log,
): Promise<Publisher | undefined> {
  if (!keyring) return undefined
  warnOfVersions(networks, log)
  const files = countJournalErrors(await openJournalFiles(config), metrics)
  const reports = [logSettled(log), countSettled(metrics)]
  const publisher = createPublisher({
    db,
    networks,
    storage: publishedFiles({ ...library, db }),
    addressOf: (file) => (config.publicUrl ? fileAddress(config.publicUrl, keyring, file) : null),
    journal: openJournal({ db, log, files }),
    openCredentials: keyring.open,
    sealCredentials: keyring.seal,
    fetch,
    latenessMaxMs: config.publishLatenessMaxMs,
    attemptsKeptMs: minOf(config.retention.attemptsMs, config.retention.postsMs),
    clock: () => null,
    uptimeMs: () => performance.now(),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    log,
    report: (settled) => {
      for (const report of reports) report(settled)
    },
    reportChange: countChanges(metrics),
  })
  return withUsableKey(publisher, db, keyring, log)
}

const DAY_MS = 86_400_000

/** Logs each day which versions of networks' APIs have ended, or end soon. */
export function warnOfVersions(networks: Partial<Networks>, log: Pick<Log, 'warn'>): void {
  const warn = () => {
    const now = new Date()
    for (const version of findEnding(listApiVersions(networks), now)) {
      const { platform, name, endsAt } = version
      log.warn({ platform, version: name, endsAt }, `${describeEnd(version, now)}: upgrade Postroom`)
    }
  }
  warn()
  setInterval(warn, DAY_MS).unref()
}

const minOf = (...values: (number | null)[]): number | null => {
  const numbers = values.filter((value) => value !== null)
  return numbers.length > 0 ? Math.min(...numbers) : null
}
