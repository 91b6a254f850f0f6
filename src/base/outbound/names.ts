import { lookup, Resolver } from 'node:dns/promises'

export interface Address {
  address: string
  family: number
}

/** Returns all addresses of a name. If it has none, returns none or throws an error for which `isAbsent` is true. */
export type Resolve = (hostname: string) => Promise<Address[]>

/** Whether a name does not exist, has no address or cannot be one. Other errors say that no name server responded. */
export const isAbsent = (error: { code?: string }): boolean =>
  ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(error.code ?? '')

/**
 * Queries the name servers for IPv4 and IPv6 addresses in parallel. While a server does not respond, `dns.lookup` would
 * occupy one of the few threads that the process has for names and files. A timeout would not free it.
 */
export async function resolveName(
  hostname: string,
  resolver = new Resolver({ timeout: 2_000, tries: 2 }),
): Promise<Address[]> {
  // https://www.rfc-editor.org/rfc/rfc6761#section-6.3
  if (/(?:^|\.)localhost\.?$/i.test(hostname)) return []
  const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = results.flatMap((result, index) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
  )
  const failed = results.find((result) => result.status === 'rejected' && !isAbsent(result.reason))
  if (addresses.length === 0 && failed) throw (failed as PromiseRejectedResult).reason
  return addresses
}

/** Resolves a name as other programs of the machine do, with /etc/hosts: the operator named it, so there are few. */
export const resolveListedName: Resolve = (hostname) => lookup(hostname, { all: true })
