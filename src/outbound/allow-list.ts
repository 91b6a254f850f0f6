import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A host, an address or a range that connections may lead to although it is not public. */
export type AllowedHost = { port: number | undefined } & ({ name: string } | { network: Address; bits: number })

/**
 * Addresses that give credentials of the machine, or control it, to whoever can connect to them. A name or a range does not
 * allow them. Link-local: clouds' metadata. https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const SENSITIVE = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128', '168.63.129.16/32'].map((range) =>
  ipaddr.parseCIDR(range),
)

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

/** Whether the list allows a connection to `address`, which `hostname` led to. */
export function isListed(list: AllowedHost[], hostname: string, address: string, port: number): boolean {
  if (!isIP(address) || address.includes('%')) return false
  const parsed = ipaddr.process(address)
  const isSensitive = SENSITIVE.some((range) => matches(parsed, ...range))
  return list.some((allowed) => {
    if (allowed.port !== undefined && allowed.port !== port) return false
    if ('name' in allowed) return !isSensitive && allowed.name === hostname.toLowerCase()
    const isOne = allowed.bits === bitsOf(allowed.network)
    return (isOne || !isSensitive) && matches(parsed, allowed.network, allowed.bits)
  })
}

const matches = (address: Address, network: Address, bits: number) =>
  address.kind() === network.kind() && address.match(network as never, bits)
