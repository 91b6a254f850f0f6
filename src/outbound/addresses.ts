import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All that IANA has given out as unicast: https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** RFC 6052. The rest of 64:ff9b::/16, such as 64:ff9b:1::/48 of RFC 8215, is for use within one network. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Looks public, is not: Azure answers its virtual machines here (certificates, extensions, DNS).
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const AZURE_PLATFORM = '168.63.129.16'

/**
 * True of an address on the public internet: unicast, and in no range that IANA lists for a special purpose. What is no
 * IPv4 or IPv6 address in its usual spelling is not public, nor is one with a zone. An IPv4 address inside an IPv6 one
 * (mapped, NAT64) is judged for itself, as that is where packets to it arrive.
 *
 * https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPublicAddress(address: string): boolean {
  if (!isIP(address) || address.includes('%')) return false
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast' && parsed.toString() !== AZURE_PLATFORM
  if (parsed.match(NAT64)) return isPublicAddress(parsed.toByteArray().slice(-4).join('.'))
  return parsed.match(GLOBAL_UNICAST) && parsed.range() === 'unicast'
}
