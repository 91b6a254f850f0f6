import type { Io } from '../adapter.ts'
import { googleOAuth } from '../google-oauth.ts'
import { at, textAt } from '../json.ts'
import type { OAuthAccount } from '../oauth.ts'
import { ACCOUNTS, LOCATIONS, list } from './client.ts'
import { profileOf, READ_MASK } from './location.ts'

/** More than a person chooses from. */
const LOCATIONS_MAX = 1_000

/** https://developers.google.com/my-business/content/basic-setup */
export const googleBusinessOAuth = googleOAuth({
  scopes: ['https://www.googleapis.com/auth/business.manage'],

  /** The locations that can have posts. All of them have the user's tokens. */
  async listAccounts(tokens, { fetch, signal }, { clientId }) {
    const credentials = { ...tokens.credentials, clientId }
    const io: Io = { fetch, signal, credentials }
    /** By id: a location may belong to several accounts. */
    const found = new Map<string, OAuthAccount>()
    for (const account of await accountsOf(io)) {
      for (const location of await locationsOf(io, account)) {
        const profile = profileOf(location, clientId)
        // What is false is absent.
        const mayPost = at(location, 'metadata', 'canOperateLocalPost') === true
        if (!profile || !mayPost || found.has(profile.externalId)) continue
        const own = { ...credentials, location: `${account}/locations/${profile.externalId}` }
        found.set(profile.externalId, { profile, kind: 'location', tokens: { ...tokens, credentials: own } })
        if (found.size === LOCATIONS_MAX) return [...found.values()]
      }
    }
    return [...found.values()]
  },
})

/** Names of the user's own account and of the groups: https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts/list */
async function accountsOf(io: Io): Promise<string[]> {
  const { items } = await list(io, `${ACCOUNTS}/accounts`, 'accounts', { pageSize: '20' })
  const names = items.map((account) => textAt(account, 'name') ?? '')
  return names.filter((name) => /^accounts\/\d{1,32}$/.test(name))
}

/** https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations/list */
const locationsOf = async (io: Io, account: string) =>
  (await list(io, `${LOCATIONS}/${account}/locations`, 'locations', { readMask: READ_MASK, pageSize: '100' })).items
