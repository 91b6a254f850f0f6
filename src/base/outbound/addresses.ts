import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isSensitive } from './sensitive.ts'

/** All address space that IANA has allocated as unicast: https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** RFC 6052. The rest of 64:ff9b::/16, such as 64:ff9b:1::/48 (RFC 8215), is for use inside one network. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Whether an address is on the public internet: unicast, and outside of IANA's special-purpose ranges. Only addresses
 * in the canonical notation and without a zone are public. An IPv4 address inside an IPv6 address (mapped, NAT64) is
 * checked itself, because packets are delivered to it.
 *
 * https://www.iana.org/assignments/iana-ipv4-special-registry,
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPublicAddress(address: string): boolean {
  if (!isIP(address) || address.includes('%')) return false
  const parsed = ipaddr.process(address)
  if (isSensitive(parsed)) return false
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast'
  if (parsed.match(NAT64)) return isPublicAddress(parsed.toByteArray().slice(-4).join('.'))
  return parsed.match(GLOBAL_UNICAST) && parsed.range() === 'unicast'
}

/** Names that no public name server has: https://www.iana.org/assignments/special-use-domain-names, RFC 9476. */
const PRIVATE_NAME = /^[^.]*$|\.(?:localhost|local|internal|home\.arpa|invalid)$/

/** Whether the host of a URL may be on the public internet. A name is not resolved. */
export function mayBePublic({ hostname }: Pick<URL, 'hostname'>): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) ? isPublicAddress(host) : !PRIVATE_NAME.test(host.replace(/\.$/, ''))
}
