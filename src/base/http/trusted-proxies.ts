import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** Whether the server at this address is a proxy of the operator, so that its headers are believed. */
type TrustsProxy = (address: string | undefined) => boolean

/**
 * Trusts the addresses and CIDR ranges in `ranges`. There is no count of hops: it would believe the headers of a client
 * that connects directly, and Fastify ignores it: https://fastify.dev/docs/latest/Reference/Server/#trustproxy
 */
export function trustProxies(ranges: readonly string[]): TrustsProxy {
  const trusted = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    if (prefix === undefined) trusted.addAddress(address, familyOf(address))
    else trusted.addSubnet(address, Number(prefix), familyOf(address))
  }
  // `X-Forwarded-For` may contain any text, for which `check` would throw.
  return (address = '') => isIP(address) !== 0 && trusted.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** The address of the client. A proxy may pass on any text as one: then it is that of the proxy. */
export const addressOf = ({ ip, raw }: FastifyRequest): string | undefined => (isIP(ip) ? ip : raw.socket.remoteAddress)

/** The characters of request ids of other systems. Others could be made to look like another field of a log line. */
const REQUEST_ID = /^[\w.:=+/-]{1,128}$/

/** Returns the function that names each request: the `X-Request-Id` of a trusted proxy, or else a new id. */
export const requestIdsOf =
  (trustsProxy: TrustsProxy) =>
  ({ headers, socket }: IncomingMessage): string => {
    const id = headers['x-request-id']
    const isKept = typeof id === 'string' && REQUEST_ID.test(id) && trustsProxy(socket.remoteAddress)
    return isKept ? id : randomUUID()
  }
