import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Db } from '../../db/client.ts'
import { findKey } from '../../db/queries/keys.ts'
import { hasSqlstate, SQLSTATE } from '../../db/sqlstate.ts'
import { EXPIRED_KEY, INVALID_KEY, MISSING_KEY, NO_KEY_STORE } from '../../schemas/error.ts'
import { AppError } from '../errors.ts'
import { hashKey, isKey } from './key.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the API key. Set before any handler behind the `auth` plugin runs. */
    userId: string
    /** The id of the API key, for the log. */
    keyId: string
  }
}

/** A revoked key stays valid for at most this long. */
const CACHE_MS = 1_000
const CACHE_SIZE_MAX = 10_000

interface CachedKey {
  id: string
  userId: string
  expiresAt: Date | null
  /** On the monotonic clock. */
  cachedUntil: number
}

/** Requires a valid API key for every route of the scope that it is registered in, before the body is read. */
export const auth = fp(async (app: FastifyInstance, { db }: { db: Db }) => {
  const cache = new Map<string, CachedKey>()

  async function findAndCache(key: string): Promise<CachedKey> {
    cache.delete(key)
    const [found] = await findKey(db, { hash: hashKey(key) }).catch(rethrowMissingTable)
    if (!found) throw new AppError(401, 'invalid_api_key', INVALID_KEY)
    if (cache.size >= CACHE_SIZE_MAX) cache.clear()
    const entry = { ...found, cachedUntil: performance.now() + CACHE_MS }
    cache.set(key, entry)
    return entry
  }

  app.decorateRequest('userId', '')
  app.decorateRequest('keyId', '')
  const authenticate = (request: FastifyRequest, { id, userId, expiresAt }: CachedKey) => {
    request.keyId = id
    if (expiresAt && expiresAt.getTime() <= Date.now()) throw new AppError(401, 'expired_api_key', EXPIRED_KEY)
    request.userId = userId
  }
  app.addHook('onRequest', (request, _reply, done) => {
    const key = readBearerToken(request.headers.authorization)
    const cached = cache.get(key)
    if (cached && cached.cachedUntil > performance.now()) {
      authenticate(request, cached)
      return done()
    }
    if (!isKey(key)) throw new AppError(401, 'invalid_api_key', INVALID_KEY)
    findAndCache(key)
      .then((entry) => authenticate(request, entry))
      .then(() => done(), done)
  })
})

function readBearerToken(header: string | undefined): string {
  const token = /^bearer +(\S.*)$/i.exec(header ?? '')?.[1]?.trim()
  if (!token) throw new AppError(401, 'missing_api_key', MISSING_KEY)
  return token
}

function rethrowMissingTable(error: unknown): never {
  if (hasSqlstate(error, SQLSTATE.UNDEFINED_TABLE)) throw new AppError(503, 'auth_not_initialized', NO_KEY_STORE)
  throw error
}
