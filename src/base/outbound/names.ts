import { lookup, Resolver } from 'node:dns/promises'

export interface Address {
  address: string
  family: number
}

/** Returns all addresses of a name. Returns none, or throws, if it has none. */
export type Resolve = (hostname: string) => Promise<Address[]>

/**
 * Queries the name servers for IPv4 and IPv6 addresses in parallel. While a server does not respond, `dns.lookup` would
 * occupy one of the few threads that the process has for names and files. A timeout would not free it.
 */
export const resolveName: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const [v4, v6] = await Promise.all([
    resolver.resolve4(hostname).catch(() => []),
    resolver.resolve6(hostname).catch(() => []),
  ])
  return [...v4.map((address) => ({ address, family: 4 })), ...v6.map((address) => ({ address, family: 6 }))]
}

/** Resolves a name as other programs of the machine do, with /etc/hosts: the operator named it, so there are few. */
export const resolveListedName: Resolve = (hostname) => lookup(hostname, { all: true })
