import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Address, isSensitive, matches } from './sensitive.ts'

/** A host, an address or a range that connections may lead to although it is not public. */
export type AllowedHost = { port: number | undefined } & ({ name: string } | { network: Address; bits: number })

/** Not with a number at the end: URLs would read it as an IPv4 address. */
const NAME = /^(?:[a-z0-9_-]+\.)*[a-z_-][a-z0-9_-]*$/i

/** Parses a host, an address or a range, with or without a port, such as `[::1]:80`. Undefined for any other text. */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  const withPort = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)
  const port = withPort ? Number(withPort[3]) : undefined
  if (port !== undefined && !(port >= 1 && port <= 65_535)) return undefined
  const host = withPort ? (withPort[1] ?? withPort[2]!) : text
  if (withPort?.[1] && !host.includes(':')) return undefined
  if (isIP(host) && !host.includes('%')) {
    const network = ipaddr.process(host)
    return { network, bits: bitsOf(network), port }
  }
  if (/^[^/%]+\/\d+$/.test(host) && ipaddr.isValidCIDR(host)) {
    const [network, bits] = ipaddr.parseCIDR(host)
    return { network, bits, port }
  }
  return NAME.test(host) ? { name: host.toLowerCase(), port } : undefined
}

const bitsOf = (address: Address) => (address.kind() === 'ipv4' ? 32 : 128)

/** Whether the list names this host, whatever its addresses are. */
export const isListedName = (list: AllowedHost[], hostname: string) =>
  list.some((allowed) => 'name' in allowed && allowed.name === hostname.toLowerCase())

/**
 * Whether the list allows a connection to `address`, which `hostname` led to. A name or a range does not allow
 * sensitive addresses.
 */
export function isListed(list: AllowedHost[], hostname: string, address: string, port: number): boolean {
  if (!isIP(address) || address.includes('%')) return false
  const parsed = ipaddr.process(address)
  const needsOwnItem = isSensitive(parsed)
  return list.some((allowed) => {
    if (allowed.port !== undefined && allowed.port !== port) return false
    if ('name' in allowed) return !needsOwnItem && allowed.name === hostname.toLowerCase()
    const isOne = allowed.bits === bitsOf(allowed.network)
    return (isOne || !needsOwnItem) && matches(parsed, allowed.network, allowed.bits)
  })
}
