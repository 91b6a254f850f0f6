import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { RateLimited } from '../errors.ts'
import { createTokenBuckets } from '../http/token-buckets.ts'
import { addressOf } from '../http/trusted-proxies.ts'

const FAILURES_PER_MINUTE = 20

/** Limits requests with invalid API keys by the address of the client. */
export interface FailedKeys {
  note(request: FastifyRequest): void
  /** Throws 429 if there were too many. */
  check(request: FastifyRequest): void
}

export function createFailedKeys(): FailedKeys {
  const failures = createTokenBuckets(FAILURES_PER_MINUTE, 60_000, () => performance.now())
  return {
    note: (request) => void failures.take(networkOf(addressOf(request) ?? '')),
    check(request) {
      const { retryAfterSeconds } = failures.peek(networkOf(addressOf(request) ?? ''))
      if (retryAfterSeconds > 0) throw new RateLimited('too_many_failed_keys', retryAfterSeconds)
    },
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
