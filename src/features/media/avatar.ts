import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { withDatabaseBudget } from '../../../db/budget.ts'
import type { Db } from '../../../db/client.ts'
import { findOldAvatar, storeAvatar } from '../../../db/queries/avatars.ts'
import type { Now } from '../../../db/queries/clock.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Log } from '../../base/log.ts'
import { createSlots } from '../../base/slots.ts'
import type { Networks } from '../../platforms/adapters.ts'
import type { Credentials } from '../../platforms/contract/io.ts'
import type { FetchFile } from './fetch.ts'
import { inspectFile } from './inspect.ts'
import { isDecodable, shrink } from './preview.ts'
import { saveFile } from './save-file.ts'

/** Networks serve pictures of profiles with some hundred kilobytes. */
const BYTES_MAX = 5 * 2 ** 20
const TIMEOUT_MS = 20_000
/** In pixels, as the smallest preview of a file. */
const WIDTH = 160
/** An account that is connected by one of many requests gets no picture while so many wait. */
const WAITING_MAX = 1_000
/** A worker that refreshes tokens reads the profile again after this time. */
const RENEW_SECONDS = 7 * 86_400

interface AvatarContext {
  db: Db
  incomingDir: string
  fetchFile: FetchFile
  log: Log
}

interface AvatarAccount {
  userId: string
  id: string
}

/** Keeps small copies of the pictures of accounts, because the addresses that networks give end after hours or days. */
interface Avatars {
  /** Fetches and stores a picture after the call. A failure is logged, and leaves what is stored. */
  keep(account: AvatarAccount, url: string): Promise<void>
}

export function createAvatars({ db, incomingDir, fetchFile, log }: AvatarContext): Avatars {
  const slots = createSlots({ max: 2, perUser: 1 })
  let waiting = 0

  async function fetchAndStore({ userId, id }: AvatarAccount, url: string): Promise<void> {
    const path = join(incomingDir, `avatar-${randomUUID()}`)
    const giveBack = await slots.take(userId)
    try {
      const source = await fetchFile(url, { bytesMax: BYTES_MAX })
      await saveFile(source, path, BYTES_MAX, AbortSignal.timeout(TIMEOUT_MS))
      const { facts } = await inspectFile(path, userId)
      const bytes = facts.kind !== 'video' && isDecodable(facts) ? await shrink(path, userId, WIDTH) : undefined
      if (!bytes) throw new Error('The picture cannot be decoded')
      await storeAvatar(db, { id, bytes })
    } finally {
      giveBack()
      await rm(path, { force: true }).catch(() => {})
    }
  }

  return {
    async keep(account, url) {
      if (waiting >= WAITING_MAX) return
      waiting++
      // The budget of a request ends with it.
      await withDatabaseBudget(undefined, () => fetchAndStore(account, url))
        .catch((err) => log.info({ err, accountId: account.id }, 'no picture of the account'))
        .finally(() => waiting--)
    },
  }
}

interface RenewalDeps {
  db: Db
  networks: Networks
  fetch: typeof fetch
  avatars: Avatars
  log: Log
  clock: () => Now
}

/** Reads the profile of an account whose stored picture is old, and stores its present one. */
export async function renewAvatar(
  { db, networks, fetch, avatars, log, clock }: RenewalDeps,
  { accountId: id, platform, credentials }: { accountId: string; platform: PlatformId; credentials: Credentials },
): Promise<void> {
  try {
    const old = await findOldAvatar(db, { id, ageSeconds: RENEW_SECONDS, now: clock() })
    if (!old) return
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const { avatarUrl } = await networks[platform].identify({ credentials, fetch, signal })
    if (avatarUrl) await avatars.keep({ userId: old.userId, id }, avatarUrl)
  } catch (err) {
    log.info({ err, accountId: id }, 'no picture of the account')
  }
}
