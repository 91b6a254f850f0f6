import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { RateLimited } from '../../base/errors.ts'
import { createTokenBuckets, type Remainder } from '../../base/http/token-buckets.ts'
import { addressOf } from '../../base/http/trusted-proxies.ts'

interface NetworkQuotas {
  perNetwork: number
  /** The quota of all clients together, where addresses are not known. */
  all: number
  windowMs: number
}

/** A limit for each network of clients. */
interface NetworkLimit {
  take(request: FastifyRequest): Remainder & { isTaken: boolean }
}

/**
 * Counts by network only if the operator names the proxies in front. Without them, an address may be that of a proxy
 * which all clients share: one of them would use up the quota of everybody.
 */
export function createNetworkLimit(
  { perNetwork, all, windowMs }: NetworkQuotas,
  { knowsAddresses }: { knowsAddresses: boolean },
): NetworkLimit {
  const buckets = createTokenBuckets(knowsAddresses ? perNetwork : all, windowMs, () => performance.now())
  const keyOf = (request: FastifyRequest) => (knowsAddresses ? networkOf(addressOf(request) ?? '') : '')
  return { take: (request) => buckets.take(keyOf(request)) }
}

const FAILURES = { perNetwork: 20, all: 20, windowMs: 60_000 }

/**
 * Notes a request with an invalid API key. Throws 429 if its network has sent too many. It is called when the key is
 * known to be invalid: a valid one is never refused for those of others.
 */
export type NoteFailedKey = (request: FastifyRequest) => void

export function createNoteFailedKey(isLimited: boolean | undefined): NoteFailedKey {
  if (!isLimited) return () => {}
  const failures = createNetworkLimit(FAILURES, { knowsAddresses: true })
  return (request) => {
    const { isTaken, retryAfterSeconds } = failures.take(request)
    if (!isTaken) throw new RateLimited('too_many_failed_keys', retryAfterSeconds)
  }
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: a client can use every address that begins with them. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [text = ''] = address.toLowerCase().split('%')
  const mapped = /^(?:0*:)*:?(?:0*:)*ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (mapped) return mapped[1]!
  const [head, tail] = text.split('::').map((part) => (part === '' ? [] : part.split(':')))
  // An IPv4 address at the end has the length of two groups.
  const tailLength = (tail ?? []).reduce((length, group) => length + (group.includes('.') ? 2 : 1), 0)
  const zeros = tail ? Array(8 - head!.length - tailLength).fill('0') : []
  const groups = [...head!, ...zeros, ...(tail ?? [])].slice(0, 4)
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}
