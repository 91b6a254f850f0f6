import { LRUCache } from 'lru-cache'
import { isId } from '../../../db/id.ts'
import { findReachableCredentials } from '../../../db/queries/accounts.ts'
import { credentialsRow } from '../../../db/queries/credentials.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import type { Issue } from '../../../schemas/error.ts'
import type { FieldOptionList, ListFieldOptionsQuery } from '../../../schemas/field-options.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { isListed } from '../../base/http/rights.ts'
import type { Log } from '../../base/log.ts'
import type { Credentials } from '../../platforms/contract/io.ts'
import { PublishError } from '../../platforms/contract/publish-error.ts'
import { type NetworkContext, tidy } from './store.ts'

/** Limits all calls to the network together. */
const READ_TIMEOUT_MS = 20_000

/** A form that is opened again soon does not call the network again. */
const KEPT_MS = 60_000
/** A list may have some hundred values of a few hundred bytes. */
const LISTS_MAX = 500

interface Request {
  userId: string
  rights: KeyRights
  params: { id: string; field: string }
  query: ListFieldOptionsQuery
  log: Log
}

/**
 * Lists the values that a key of `fields` may have for an account. Throws 404 if the caller cannot use the account, or
 * its network lists no values for the key. Throws 400 if a parameter on which the values depend is missing, or the
 * network refuses the request. Throws 409 if the network would need other credentials, and 502 if it gives no valid
 * response.
 */
export function createFieldOptions({ db, networks, keyring, fetch }: NetworkContext) {
  const lists = new LRUCache<string, FieldOptionList, () => Promise<FieldOptionList>>({
    max: LISTS_MAX,
    ttl: KEPT_MS,
    fetchMethod: (_key, _stale, { context: read }) => read(),
    // A list that made room for others while it was read still goes to those who wait for it.
    ignoreFetchAbort: true,
  })

  function open(accountId: string, sealed: Parameters<typeof credentialsRow>[0], log: Log): Credentials {
    const row = credentialsRow(sealed)
    if (!row) throw fail('account_not_connected')
    if (!keyring) throw fail('credentials_key_missing')
    try {
      return keyring.open(accountId, row)
    } catch (error) {
      log.error({ err: error, accountId }, 'credentials cannot be opened')
      throw fail('credentials_key_mismatch')
    }
  }

  return async ({ userId, rights, params: { id, field }, query, log }: Request): Promise<FieldOptionList> => {
    const account = isId(id) && isListed(rights, id) ? await findReachableCredentials(db, { userId, id }) : undefined
    if (!account) throw fail('account_not_found')
    const { platform, generation } = account
    const all = networks[platform].options ?? {}
    if (!Object.hasOwn(all, field)) {
      throw fail('field_without_options', platform, field, Object.keys(all))
    }
    const { needs = [], read: readOptions } = all[field]!
    const fields = pickAll(query, needs)
    const credentials = open(id, account, log)
    // New credentials may belong to somebody who sees other values.
    const read = async () => {
      const readAt = new Date().toISOString()
      const { options, facts = {} } = await withAppErrors(platform, () =>
        readOptions({ credentials, fetch, signal: AbortSignal.timeout(READ_TIMEOUT_MS) }, fields),
      )
      return { field, data: options as FieldOptionList['data'], facts, readAt }
    }
    return lists.forceFetch(JSON.stringify([id, generation, field, fields]), { context: read })
  }
}

/** Throws 400 if a key is missing or blank. */
function pickAll(query: Readonly<Record<string, string>>, keys: readonly string[]): Record<string, string> {
  const missing = keys.filter((key) => !query[key]?.trim())
  if (missing.length > 0) throw invalidRequest(missing.map(toIssue))
  return Object.fromEntries(keys.map((key) => [key, query[key]!]))
}

const toIssue = (key: string): Issue => ({
  code: 'invalid_type',
  expected: 'string',
  received: 'undefined',
  path: [key],
  message: 'Required',
})

async function withAppErrors<T>(platform: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    const message = `${platform}: ${tidy(error.message)}`
    if (error.needsAttention) throw fail('credentials_rejected.stored', message)
    throw error.retryable ? fail('platform_unavailable', message) : fail('platform_refused', message)
  }
}
