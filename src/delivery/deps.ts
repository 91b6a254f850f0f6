import type { Db } from '../../db/client.ts'
import type { Now } from '../../db/queries/clock.ts'
import type { Log } from '../log.ts'
import type { Networks } from '../platforms/adapters.ts'
import type { Credentials } from '../platforms/contract/adapter.ts'
import type { Storage } from '../storage/storage.ts'
import type { Journal } from './journal.ts'
import type { Report } from './settled.ts'

/** What publishing needs from outside. */
export interface Deps {
  db: Db
  networks: Networks
  storage: Pick<Storage, 'read'>
  /** A signed public address of a stored file; null where the service has no public address. */
  addressOf(file: { storageKey: string; mimeType: string }): URL | null
  /** Records what is sent, outside of the database. */
  journal: Journal
  /** Decrypts credentials. Throws where their key is missing, or where they belong to another account. */
  openCredentials(accountId: string, sealed: { keyId: string; dataKey: Buffer; data: Buffer }): Credentials
  fetch: typeof fetch
  /** A delivery that has been due for longer is missed. */
  latenessMaxMs: number
  /** How long the attempts of finished deliveries are kept; null for ever. */
  attemptsKeptMs: number | null
  clock: () => Now
  /** Milliseconds of a monotonic clock. */
  uptimeMs: () => number
  pause(ms: number): Promise<unknown>
  log: Log
  /** Gets the facts of each settlement. */
  report: Report
}
