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
  }
}

/** A revoked key is refused after this time at the latest. */
const CACHE_MS = 1_000
const CACHE_MAX = 10_000

interface Recognised {
  userId: string
  expiresAt: Date | null
  /** By the clock that nobody sets. */
  cachedUntil: number
}

/**
 * Lets nobody past without a valid API key: routes that are registered in the same scope need one. Decides before the
 * body is read.
 */
export const auth = fp(async (app: FastifyInstance, { db }: { db: Db }) => {
  const recognised = new Map<string, Recognised>()

  async function recognise(key: string): Promise<Recognised> {
    recognised.delete(key)
    const [found] = await findKey(db, { hash: hashKey(key) }).catch(rethrowMissingTable)
    if (!found) throw new AppError(401, 'invalid_api_key', INVALID_KEY)
    if (recognised.size >= CACHE_MAX) recognised.clear()
    const entry = { ...found, cachedUntil: performance.now() + CACHE_MS }
    recognised.set(key, entry)
    return entry
  }

  app.decorateRequest('userId', '')
  const admit = (request: FastifyRequest, { userId, expiresAt }: Recognised) => {
    if (expiresAt && expiresAt.getTime() <= Date.now()) throw new AppError(401, 'expired_api_key', EXPIRED_KEY)
    request.userId = userId
  }
  app.addHook('onRequest', (request, _reply, done) => {
    const key = bearerToken(request.headers.authorization)
    const cached = recognised.get(key)
    if (cached && cached.cachedUntil > performance.now()) {
      admit(request, cached)
      return done()
    }
    if (!isKey(key)) throw new AppError(401, 'invalid_api_key', INVALID_KEY)
    recognise(key)
      .then((entry) => admit(request, entry))
      .then(() => done(), done)
  })
})

function bearerToken(header: string | undefined): string {
  const token = /^bearer +(\S.*)$/i.exec(header ?? '')?.[1]?.trim()
  if (!token) throw new AppError(401, 'missing_api_key', MISSING_KEY)
  return token
}

function rethrowMissingTable(error: unknown): never {
  if (hasSqlstate(error, SQLSTATE.UNDEFINED_TABLE)) throw new AppError(503, 'auth_not_initialized', NO_KEY_STORE)
  throw error
}
