import type { Db } from '../../../db/client.ts'
import { claimDueFacts, type DueAccount, storeFacts } from '../../../db/queries/account-facts.ts'
import type { Now } from '../../../db/queries/clock.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import type { Log } from '../../base/log.ts'
import type { Networks } from '../../platforms/adapters.ts'
import { IDENTIFY_TIMEOUT_MS } from './connect.ts'
import { toStoredProfile } from './store.ts'

/** How many accounts of each network are claimed with one statement. */
const CLAIM_MAX = 4

export interface FactsDeps {
  db: Db
  networks: Networks
  keyring: Keyring
  fetch: typeof fetch
  clock: () => Now
  log: Log
}

/** Reads the facts of accounts again that are due. Returns how many accounts these were. */
export async function renewFacts(deps: FactsDeps, stop: AbortSignal): Promise<number> {
  const { db, networks, clock } = deps
  const platforms = PLATFORM_IDS.filter((id) => networks[id]?.factsLastMs)
  const lastMs = platforms.map((id) => networks[id].factsLastMs!)
  const due = await claimDueFacts(db, { platforms, lastMs, limit: CLAIM_MAX, now: clock() })
  await Promise.all(due.map((account) => renew(deps, account, stop)))
  return due.length
}

/** A failure is logged and changes nothing: the next reading follows after a day, and publishing goes on. */
async function renew({ db, networks, keyring, fetch, log }: FactsDeps, account: DueAccount, stop: AbortSignal) {
  const { id, platform, keyId, dataKey, data } = account
  if (keyId === null || dataKey === null || data === null) return
  try {
    const credentials = keyring.open(id, { keyId, dataKey, data })
    const signal = AbortSignal.any([AbortSignal.timeout(IDENTIFY_TIMEOUT_MS), stop])
    const { facts, ...profile } = toStoredProfile(await networks[platform].identify({ credentials, fetch, signal }))
    if (facts) await storeFacts(db, id, { ...profile, facts })
  } catch (err) {
    log.info({ err, accountId: id }, 'limits of the account were not read')
  }
}
