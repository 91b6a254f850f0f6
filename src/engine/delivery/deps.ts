import type { Db } from '../../../db/client.ts'
import type { Now } from '../../../db/queries/clock.ts'
import type { ClaimedDelivery } from '../../../db/queries/delivery/claim.ts'
import type { HeldDelivery, SentAct } from '../../../db/queries/delivery/delivery.ts'
import type { RemovalSettlement } from '../../../db/queries/delivery/removals.ts'
import type { Decision } from '../../../db/queries/delivery/settlement.ts'
import type { Log } from '../../base/log.ts'
import type { Storage } from '../../base/storage/storage.ts'
import type { Networks } from '../../platforms/adapters.ts'
import type { Credentials } from '../../platforms/contract/io.ts'
import type { EndedChange, Report } from './settled.ts'

/** The dependencies of publishing. */
export interface Deps {
  db: Db
  networks: Networks
  storage: Pick<Storage, 'read'>
  /** A signed public address of a stored file; null if the service has no public address. */
  addressOf(file: { storageKey: string; mimeType: string }): URL | null
  /** Records what is sent, outside of the database. */
  journal: Journal
  /** Decrypts credentials. Throws if their key is missing, or if they belong to another account. */
  openCredentials(accountId: string, sealed: { keyId: string; dataKey: Buffer; data: Buffer }): Credentials
  /** Encrypts them again. */
  sealCredentials(accountId: string, credentials: Credentials): { keyId: string; dataKey: Buffer; data: Buffer }
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
  /** Gets each removal and edit that has ended, under the terms of `report`. */
  reportChange: (change: EndedChange) => void
}

/**
 * Workers also record their calls beside the files, because a restored database no longer knows them. Each part of the
 * journal has a number, the mark, which the database reached first: a database whose mark is lower was restored, or has
 * lost transactions. db/README.md describes the cases that this cannot detect.
 */
export interface Journal {
  /** Whether deliveries may be claimed. Throws errors of the database, and, before the first claim, of the storage. */
  isReady(): Promise<boolean>
  /** Call it between a claim and the first call of a network. Returns whether the calls may be made. */
  begin(): Promise<boolean>
  /**
   * The intent of an act is committed, as attempt number `attempt`. Resolves when the journal has it, or its storage
   * does not respond: then the call may be made.
   */
  intended(delivery: ClaimedDelivery, act: number, attempt: number): Promise<void>
  /** The outcome of an attempt at an act is known. */
  settled(delivery: ClaimedDelivery, act: number, attempt: number, decision: Decision): void
  /** The call that removes an act is about to be made. Resolves as `intended` does. */
  removing(delivery: HeldDelivery, act: number): Promise<void>
  /** The outcome of such a call is known. */
  removed(delivery: HeldDelivery, act: number, decision: Pick<RemovalSettlement, 'state' | 'removed' | 'error'>): void
  /** The call that edits an act is about to be made. Resolves as `intended` does. */
  editing(delivery: HeldDelivery, act: number, editId: string): Promise<void>
  /** An act was edited: `sent` is what is on the network now. */
  edited(delivery: HeldDelivery, act: number, sent: SentAct & { editId: string }): void
  /** Writes the entries that are not written yet. */
  close(): Promise<void>
}
