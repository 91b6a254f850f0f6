import type { AddressedAccount, PostAddresses } from '../contract/post-address.ts'

/** The id of a post, null if its address does not have it; or why it is not the address of a post of the account. */
type ReadAddress = { id: string | null } | 'elsewhere' | { owner: string }

/** Reads the address of a post. Anybody may have written it. */
export function readPostAddress(addresses: PostAddresses, url: URL, account: AddressedAccount): ReadAddress {
  const { hosts, patterns, ownersOf = ({ username }) => [username], toId = (id) => id } = addresses
  const host = url.hostname.replace(/^(?:www|m)\./, '')
  const isHost = typeof hosts === 'function' ? hosts(account) === url.host : hosts.test(host)
  if (!isHost) return 'elsewhere'
  const text = `${host}${decode(url.pathname)}${url.search}`
  const { id, owner } = patterns.map((pattern) => pattern.exec(text)).find(Boolean)?.groups ?? {}
  const isOwner = (name: string | null) => name?.toLowerCase() === owner?.toLowerCase()
  if (owner !== undefined && !ownersOf(account).some(isOwner)) return { owner }
  return { id: id === undefined || account.externalId === null ? null : toId(id, account.externalId) }
}

/** A path with its colons, which LinkedIn writes as `%3A`. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
