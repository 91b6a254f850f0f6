import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { currentBudget, SHARED_BY_STRANGERS } from '../../../db/budget.ts'
import type { Db } from '../../../db/client.ts'
import { findKey, findKeyByToken, type KeyRights } from '../../../db/queries/keys.ts'
import { hasSqlstate, SQLSTATE } from '../../../db/sqlstate.ts'
import { type AppError, fail } from '../../base/errors.ts'
import type { NoteFailedKey } from './failed-keys.ts'
import { hashKey, isKey, isSecret } from './key.ts'
import { createLastUse } from './last-use.ts'
import { findMisplacedKey } from './misplaced-key.ts'
import { calledThrough, type Resource } from './resource.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The owner of the API key. Set before any handler behind the `auth` plugin runs. */
    userId: string
    /** The id of the API key, for the log. */
    keyId: string
    /** The rights of the API key. */
    rights: KeyRights
  }
}

/** A revoked key stays valid, and a narrowed one keeps its rights, for at most this long. */
const CACHE_MS = 1_000
const CACHE_SIZE_MAX = 10_000

interface CachedKey extends KeyRights {
  id: string
  userId: string
  expiresAt: Date | null
  resource?: string
  /** On the monotonic clock. */
  cachedUntil: number
}

interface AuthOptions {
  db: Db
  /** The path of the scope, which access tokens are compared with. */
  resource: Resource
  noteFailedKey: NoteFailedKey
}

/** Requires a valid API key or access token for every route of its scope, before the body is read. */
export const auth = fp(async (app: FastifyInstance, { db, resource, noteFailedKey }: AuthOptions) => {
  const cache = new LRUCache<string, CachedKey>({ max: CACHE_SIZE_MAX })
  const lastUse = createLastUse(db, (err) => app.log.debug({ err }, 'the last use of keys was not stored'))

  function invalidKey(request: FastifyRequest): AppError {
    noteFailedKey(request)
    return fail('invalid_api_key')
  }

  async function findAndCache(key: string, request: FastifyRequest): Promise<CachedKey> {
    cache.delete(key)
    const find = isKey(key) ? findKey : findKeyByToken
    const [found] = await find(db, { hash: hashKey(key) }).catch(rethrowOldSchema)
    if (!found) throw invalidKey(request)
    const entry = { ...found, cachedUntil: performance.now() + CACHE_MS }
    cache.set(key, entry)
    return entry
  }

  app.decorateRequest('userId', '')
  app.decorateRequest('keyId', '')
  // The hook below sets it before any handler runs. Fastify takes no object here, because requests would share it.
  app.decorateRequest('rights')
  const authenticate = (request: FastifyRequest, key: CachedKey) => {
    request.keyId = key.id
    if (key.expiresAt && key.expiresAt.getTime() <= Date.now()) throw fail('expired_api_key')
    // A token for /mcp would otherwise call the API, where nobody confirms: https://www.rfc-editor.org/rfc/rfc8707
    if (key.resource && !key.resource.endsWith(calledThrough() ?? resource)) {
      throw fail('invalid_api_key.resource', key.resource)
    }
    request.userId = key.userId
    const budget = currentBudget()
    if (budget) budget.userId = key.userId
    request.rights = key
    lastUse.note(key.id)
  }
  app.addHook('onRequest', (request, _reply, done) => {
    const key = readBearerToken(request.headers.authorization)
    if (!key) throw findMisplacedKey(request) ?? fail('missing_api_key')
    const cached = cache.get(key)
    if (cached && cached.cachedUntil > performance.now()) {
      authenticate(request, cached)
      return done()
    }
    if (!isKey(key) && !isSecret('accessToken', key)) throw invalidKey(request)
    const budget = currentBudget()
    if (budget) budget.userId = cached?.userId ?? SHARED_BY_STRANGERS.keys
    findAndCache(key, request)
      .then((entry) => authenticate(request, entry))
      .then(() => done(), done)
  })
  app.addHook('onClose', () => lastUse.flush())
})

const readBearerToken = (header: string | undefined) => /^bearer +(\S.*)$/i.exec(header ?? '')?.[1]?.trim()

function rethrowOldSchema(error: unknown): never {
  if (hasSqlstate(error, SQLSTATE.UNDEFINED_TABLE)) throw fail('auth_not_initialized')
  if (hasSqlstate(error, SQLSTATE.UNDEFINED_COLUMN)) throw fail('schema_outdated')
  throw error
}
