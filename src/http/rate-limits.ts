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
 * Limits the requests of each API key, in its scope and after authentication. The fields are those of
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export const rateLimits = fp(async (app: FastifyInstance, { all, write }: RateLimits) => {
  const create = (quota: number) => createTokenBuckets(quota, WINDOW_SECONDS * 1_000, () => performance.now())
  const buckets = { all: create(all), write: create(write) }
  const policy = `"all";q=${all};w=${WINDOW_SECONDS}, "write";q=${write};w=${WINDOW_SECONDS}`

  app.addHook('onRequest', (request, reply, done) => {
    const { keyId } = request
    // A write that exceeds its own quota is not counted among all requests.
    const writes = isWrite(request) ? buckets.write.take(keyId) : { ...buckets.write.peek(keyId), isTaken: true }
    const requests = writes.isTaken ? buckets.all.take(keyId) : { ...buckets.all.peek(keyId), isTaken: false }
    reply.header('ratelimit-policy', policy)
    reply.header('ratelimit', `${toItem('all', requests)}, ${toItem('write', writes)}`)
    const exceeded = writes.isTaken ? requests : writes
    done(exceeded.isTaken ? undefined : new RateLimited('rate_limited', exceeded.retryAfterSeconds))
  })
})

const toItem = (name: string, { remaining, resetSeconds }: Remainder) => `"${name}";r=${remaining};t=${resetSeconds}`

/** Operations that only read may have bodies, and so be a POST. */
function isWrite({ method, routeOptions }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  const { scope } = routeOptions.config
  // A POST for any key only calls operations, which are counted themselves: /mcp.
  return scope !== null && !scope?.endsWith(':read')
}
