import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../../db/client.ts'
import { findDiskFull } from '../../../db/disk-space.ts'
import { listOtherKeys } from '../../../db/queries/credentials.ts'
import { errorOf } from '../../../schemas/errors.ts'
import { storageError } from '../../base/http/errors.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import { checkFolder } from '../../base/storage/check-folder.ts'
import { type Storage, StorageError } from '../../base/storage/storage.ts'
import { withTimeout } from '../../base/with-timeout.ts'
import type { Check, Dependency } from './problems.ts'

interface Files {
  storage: Pick<Storage, 'check'>
  /** The folder that files are received in. */
  incomingDir: string
}

/** Finds what a process lacks while it can read the database. */
export const dependencyChecks = (files: Files, db: Db, keyring: Keyring | undefined): Record<Dependency, Check> => ({
  storage: async () => {
    try {
      await checkFiles(files)
      return null
    } catch (error) {
      return { ...storageError(error), facts: { err: error } }
    }
  },

  credentialsKey: async () => {
    // If there is no key at all, only connecting an account fails, and its response says so.
    if (!keyring) return null
    const rows = await listOtherKeys(db, keyring.keyIds).catch(() => undefined)
    if (!rows?.length) return rows && null
    const accounts = rows.reduce((sum, row) => sum + row.accounts, 0)
    const facts = { accounts, missingKeys: rows.map(({ keyId }) => keyId) }
    return { ...errorOf('credentials_key_mismatch'), facts }
  },

  databaseSpace: async () => {
    const error = await findDiskFull(db)
    return error ? { ...errorOf('database_full'), facts: { err: error } } : null
  },
})

/**
 * The limit of the whole check: probes want a response within 3 s, and operations on a network share may never return.
 */
const FILES_MS = 2_500
/** When the second attempt begins, unless the first one has ended before. */
const SECOND_AFTER_MS = 1_000

/** Writes, reads and deletes a small file where files come in, and where they are stored. Throws a StorageError. */
export async function checkFiles({ storage, incomingDir }: Files): Promise<void> {
  const check = async () => {
    // A folder that is not mounted lacks `incoming`. First, because the check of the storage would create its own
    // folder.
    await checkFolder(incomingDir)
    await storage.check()
  }
  await withTimeout(
    FILES_MS,
    tryTwice(check),
    () => new StorageError(`The storage of files did not respond within ${FILES_MS} ms`),
  )
}

/**
 * A single failure may be a lost response, or a timeout under load. The second attempt does not wait for a lost
 * response.
 */
async function tryTwice(attempt: () => Promise<void>): Promise<void> {
  const first = attempt()
  const isDone = first.then(
    () => true,
    () => false,
  )
  if (await Promise.race([isDone, sleep(SECOND_AFTER_MS, false, { ref: false })])) return
  await Promise.any([first, attempt()]).catch(({ errors }) => {
    throw errors[0]
  })
}
