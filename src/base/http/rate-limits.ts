import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { RateLimited } from '../errors.ts'
import { createTokenBuckets, type Remainder } from './token-buckets.ts'

/** How many requests an API key may send to this process in a minute. */
export interface RateLimits {
  all: number
  /** The number of these that may write. */
  write: number
}

const WINDOW_SECONDS = 60

/**
 * Limits the requests of each API key, and of all keys of a user, in its scope and after authentication. The fields
 * tell the smaller rest of both: they are those of
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export const rateLimits = fp(async (app: FastifyInstance, { all, write }: RateLimits) => {
  const create = (quota: number) => createQuota(quota, WINDOW_SECONDS * 1_000)
  const buckets = { all: create(all), write: create(write) }
  const policy = `"all";q=${all};w=${WINDOW_SECONDS}, "write";q=${write};w=${WINDOW_SECONDS}`

  app.addHook('onRequest', (request, reply, done) => {
    // A write that exceeds its own quota is not counted among all requests.
    const writes = isWrite(request) ? buckets.write.take(request) : { ...buckets.write.peek(request), isTaken: true }
    const requests = writes.isTaken ? buckets.all.take(request) : { ...buckets.all.peek(request), isTaken: false }
    reply.header('ratelimit-policy', policy)
    reply.header('ratelimit', `${toItem('all', requests)}, ${toItem('write', writes)}`)
    const exceeded = writes.isTaken ? requests : writes
    done(exceeded.isTaken ? undefined : new RateLimited('rate_limited', exceeded.retryAfterSeconds))
  })
})

/** A user makes keys freely: together, they have the quota of so many. */
const KEYS_OF_USER = 2

type Owner = Pick<FastifyRequest, 'userId' | 'keyId'>

/** The quota of a key, and that of the keys of its user together. */
function createQuota(quota: number, windowMs: number) {
  const now = () => performance.now()
  const ofKey = createTokenBuckets(quota, windowMs, now)
  const ofUser = createTokenBuckets(KEYS_OF_USER * quota, windowMs, now)
  const least = <T extends Remainder>(key: T, user: T) => (user.remaining < key.remaining ? user : key)
  const peek = ({ userId, keyId }: Owner) => least(ofKey.peek(keyId), ofUser.peek(userId))
  return {
    peek,
    take(owner: Owner) {
      const before = peek(owner)
      if (before.remaining < 1) return { ...before, isTaken: false }
      return least(ofKey.take(owner.keyId), ofUser.take(owner.userId))
    },
  }
}

const toItem = (name: string, { remaining, resetSeconds }: Remainder) => `"${name}";r=${remaining};t=${resetSeconds}`

/** Operations that only read may have bodies, and so be a POST. */
function isWrite({ method, routeOptions }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  const { scope } = routeOptions.config
  // A POST for any key only calls operations, which are counted themselves: /mcp.
  return scope !== null && !scope?.endsWith(':read')
}
