import type { Db } from '../../../db/client.ts'
import { sandboxStore } from '../../../db/queries/sandbox.ts'
import { folderStorage } from '../../../src/base/storage/folder.ts'
import { folderJournalFiles } from '../../../src/base/storage/journal.ts'
import { createPublisher, type Publisher } from '../../../src/engine/delivery/publisher.ts'
import { logSettled } from '../../../src/engine/delivery/settled.ts'
import { openJournal } from '../../../src/engine/journal/journal.ts'
import { createNetworks, type Networks } from '../../../src/platforms/adapters.ts'
import { noLog } from '../../helpers/log-record.ts'
import { createAdapters } from './network.ts'

/** The fake networks in place of real ones. */
export const openNetworks = (db: Db, url: string): Networks => ({
  ...createNetworks(sandboxStore(db)),
  ...createAdapters(url),
})

/** A worker as it is in production, with the clocks of this machine, that publishes to the fake networks. */
export const createWorker = (db: Db, mediaDir: string, networksUrl: string): Publisher =>
  createPublisher({
    db,
    networks: openNetworks(db, networksUrl),
    storage: folderStorage(mediaDir),
    addressOf: () => null,
    journal: openJournal({ db, files: folderJournalFiles(mediaDir), log: noLog }),
    openCredentials: () => ({}),
    sealCredentials: () => ({ keyId: '', dataKey: Buffer.alloc(0), data: Buffer.alloc(0) }),
    fetch,
    latenessMaxMs: Number.MAX_SAFE_INTEGER,
    attemptsKeptMs: null,
    clock: () => null,
    uptimeMs: () => performance.now(),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    log: noLog,
    report: logSettled(noLog),
    reportChange: () => {},
  })
