import type { Io } from '../contract/io.ts'
import type { OAuthAccount } from '../contract/oauth.ts'
import { nothingToChoose } from '../contract/publish-error.ts'
import { googleOAuth } from '../families/google/oauth.ts'
import { object, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { ACCOUNTS, LOCATIONS, list } from './client.ts'
import { LOCATION, profileOf, READ_MASK } from './location.ts'

/** More than a person chooses from. */
const LOCATIONS_MAX = 1_000

/** Each account is a call or more, and the flow has to end in time. */
const ACCOUNTS_AT_A_TIME = 8

/** https://developers.google.com/my-business/content/basic-setup */
export const googleBusinessOAuth = googleOAuth({
  scopes: ['https://www.googleapis.com/auth/business.manage'],

  /** The locations that can have posts. All of them have the user's tokens. */
  async listAccounts(tokens, { fetch, signal }, { clientId }) {
    const credentials = { ...tokens.credentials, clientId }
    const io: Io = { fetch, signal, credentials }
    const accounts = await accountsOf(io)
    /** By id: a location may belong to several accounts. */
    const found = new Map<string, OAuthAccount>()
    let isAnyRefused = false
    for (let begin = 0; begin < accounts.length; begin += ACCOUNTS_AT_A_TIME) {
      const some = accounts.slice(begin, begin + ACCOUNTS_AT_A_TIME)
      const lists = await Promise.all(some.map((account) => locationsOf(io, account)))
      for (const { account, location } of lists.flat()) {
        const profile = profileOf(location, clientId)
        if (!profile || found.has(profile.externalId)) continue
        // Google leaves out fields that are false.
        if (at(location, 'metadata', 'canOperateLocalPost') !== true) {
          isAnyRefused = true
          continue
        }
        const own = { ...credentials, location: `${account}/locations/${profile.externalId}` }
        found.set(profile.externalId, { profile, kind: 'location', tokens: { ...tokens, credentials: own } })
        if (found.size === LOCATIONS_MAX) return [...found.values()]
      }
    }
    if (found.size === 0) throw nothingToChoose(isAnyRefused ? NO_POSTS : NO_LOCATIONS)
    return [...found.values()]
  },
})

const NO_LOCATIONS = 'the Google account manages no location: connect with the account of one of its managers'
const NO_POSTS =
  'Google takes posts for none of the locations, and shows their managers the reason at business.google.com'

/**
 * Names of the user's own account and of the groups:
 * https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts/list
 */
async function accountsOf(io: Io): Promise<string[]> {
  const { items } = await list(io, `${ACCOUNTS}/accounts`, 'accounts', object({ name: TEXT }), { pageSize: '20' })
  const names = items.map((account) => textAt(account, 'name') ?? '')
  return names.filter((name) => /^accounts\/\d{1,32}$/.test(name))
}

/** https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations/list */
async function locationsOf(io: Io, account: string): Promise<{ account: string; location: unknown }[]> {
  const query = { readMask: READ_MASK, pageSize: '100' }
  const { items } = await list(io, `${LOCATIONS}/${account}/locations`, 'locations', LOCATION, query)
  return items.map((location) => ({ account, location }))
}
