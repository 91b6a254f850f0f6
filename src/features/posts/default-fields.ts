import type { DefaultFields } from '../../../db/queries/accounts.ts'
import { DEFAULT_FIELDS_BYTES_MAX } from '../../../schemas/account.ts'
import { fail } from '../../base/errors.ts'
import type { PostToCheck } from '../../platforms/rules/context.ts'

/** A post, and the accounts that are new in it: they add their default fields. Absent if none is new. */
export interface PostToComplete extends Pick<PostToCheck, 'overrides'> {
  isNewAccount?: (accountId: string) => boolean
}

interface AccountWithDefaults {
  id: string
  defaultFields: DefaultFields | null
}

/** The most that defaults add to the posts of one request, which has at most as many bytes itself. */
const ADDED_BYTES_MAX = 1024 * 1024

/**
 * A post with the default fields of its new accounts, under the fields of its overrides. A field that is null there
 * leaves the default out.
 */
export function withDefaultFields<P extends PostToComplete>(post: P, accounts: readonly AccountWithDefaults[]): P {
  const { isNewAccount } = post
  const adding = accounts.filter(({ id, defaultFields }) => defaultFields !== null && isNewAccount?.(id))
  if (adding.length === 0) return post
  const overrides = new Map(post.overrides)
  for (const { id, defaultFields } of adding) {
    const override = overrides.get(id)
    const own = override?.fields ?? {}
    const defaults = Object.entries(defaultFields!).filter(([key]) => !Object.hasOwn(own, key))
    const kept = Object.entries(own).filter(([key, value]) => value !== null || !Object.hasOwn(defaultFields!, key))
    const fields = Object.fromEntries([...defaults, ...kept])
    overrides.set(id, { ...override, fields, defaultKeys: new Set(defaults.map(([key]) => key)) })
  }
  return { ...post, overrides }
}

/** Throws 413 if the default fields of the accounts of one request are too large together. */
export function requireSmallDefaults(accounts: readonly AccountWithDefaults[]): void {
  if (accounts.length * DEFAULT_FIELDS_BYTES_MAX <= ADDED_BYTES_MAX) return
  let bytes = 0
  for (const { defaultFields } of accounts) {
    bytes += defaultFields ? Buffer.byteLength(JSON.stringify(defaultFields)) : 0
    if (bytes > ADDED_BYTES_MAX) throw fail('body_too_large.defaults')
  }
}
