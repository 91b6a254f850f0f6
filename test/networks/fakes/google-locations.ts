import { refuse } from './google-errors.ts'
import type { Recorded, Reply } from './network.ts'

interface Account {
  /** Such as `accounts/1`. */
  name: string
  accountName: string
  type: 'PERSONAL' | 'LOCATION_GROUP'
  /** The users who may use it. */
  userIds: string[]
}

interface Location {
  /** Such as `locations/1`, without its account. */
  name: string
  title: string
  storefrontAddress?: { addressLines?: string[]; locality?: string }
  metadata: { canOperateLocalPost?: true; placeId?: string; mapsUri?: string }
  /** Names of the accounts that it belongs to. */
  accounts: string[]
}

const PAGE = { accounts: { usual: 20, max: 20 }, locations: { usual: 10, max: 100 } }
const READABLE = ['name', 'title', 'storefrontAddress', 'metadata', 'storeCode', 'phoneNumbers', 'categories']

/**
 * The accounts and locations of users, by https://developers.google.com/my-business/reference/accountmanagement/rest
 * and
 * https://developers.google.com/my-business/reference/businessinformation/rest.
 */
export function createLocations() {
  const accounts: Account[] = []
  const locations: Location[] = []

  /** One page of a list. An empty one has no key. */
  function page(key: keyof typeof PAGE, items: object[], { query }: Recorded): Reply {
    const { usual, max } = PAGE[key]
    const asked = Number(query.pageSize ?? usual)
    if (!Number.isInteger(asked) || asked < 0) refuse(400, 'INVALID_ARGUMENT', 'Invalid page size.')
    const size = asked === 0 ? usual : Math.min(asked, max)
    const [, from] =
      /^page-(\d+)$/.exec(query.pageToken ?? 'page-0') ?? refuse(400, 'INVALID_ARGUMENT', 'Invalid token.')
    const shown = items.slice(Number(from), Number(from) + size)
    const next = Number(from) + size
    return {
      status: 200,
      body: {
        ...(shown.length > 0 && { [key]: shown }),
        ...(next < items.length && { nextPageToken: `page-${next}` }),
      },
    }
  }

  const masked = (location: Location, { query }: Recorded): object => {
    const mask = (query.readMask ?? '').split(',').filter((field) => field !== '')
    const unknown = mask.find((field) => !READABLE.includes(field))
    if (mask.length === 0 || unknown) {
      refuse(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.', [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'read_mask', description: 'Invalid field mask provided' }],
        },
      ])
    }
    return Object.fromEntries(Object.entries(location).filter(([field]) => mask.includes(field)))
  }

  /** Whether the user may post for a location of version 4. */
  const mayUse = (userId: string, account: string, location: string) =>
    accounts.some(({ name, userIds }) => name === account && userIds.includes(userId)) &&
    locations.some(({ name, accounts }) => name === location && accounts.includes(account))

  return {
    accounts,
    locations,
    mayUse,
    /** `GET /v1/…` of both APIs; undefined for other calls. */
    respond(call: Recorded, userId: string): Reply | undefined {
      if (call.method !== 'GET') return undefined
      const own = accounts.filter(({ userIds }) => userIds.includes(userId))
      if (call.path === '/v1/accounts') {
        return page(
          'accounts',
          own.map(({ userIds: _, ...account }) => account),
          call,
        )
      }
      const [, account] = /^\/v1\/(accounts\/\d+)\/locations$/.exec(call.path) ?? []
      if (account) {
        if (!own.some(({ name }) => name === account)) denied()
        const listed = locations.filter(({ accounts }) => accounts.includes(account))
        // A request without a mask is refused, also if the list is empty.
        masked({ name: '', title: '', metadata: {}, accounts: [] }, call)
        return page(
          'locations',
          listed.map((location) => masked(location, call)),
          call,
        )
      }
      const [, name] = /^\/v1\/(locations\/\d+)$/.exec(call.path) ?? []
      if (!name) return undefined
      const found = locations.find((location) => location.name === name)
      if (!found) return refuse(404, 'NOT_FOUND', 'Requested entity was not found.')
      if (!own.some((each) => found.accounts.includes(each.name))) denied()
      return { status: 200, body: masked(found, call) }
    },
  }
}

export const denied = (): never => refuse(403, 'PERMISSION_DENIED', 'The caller does not have permission')
