import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../../../db/client.ts'
import { findStoredResponses, type KeyedResponse, ownKey, storeResponse } from '../../../db/queries/idempotency.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { BAD_KEY, KEY_FORM } from '../../../schemas/idempotency.ts'
import { AppError, fail, invalidRequest } from '../errors.ts'
import { digestRights } from './rights.ts'

/** A use case that creates a `T`, and that a client may repeat under one `Idempotency-Key`. */
type Creation<T, P = undefined> = Repeatable<T> & (InTransaction<T, P> | InOneStatement<T>)

interface Repeatable<T> {
  /**
   * The parts of a request that a repeated one must have in common with the first. Further items are other forms of the
   * same request under which its response may have been stored, such as before `CREDENTIALS_KEY` was rotated.
   */
  identities: unknown[]
  toResponse: (result: T) => Response
  /** Encrypts the stored response, for one that contains a secret. */
  vault?: Vault
}

interface InTransaction<T, P> {
  /** Everything that takes long: it runs before the transaction, and not at all for a replay. */
  prepare?: () => Promise<P>
  /** Writes what is created. With a key it runs in a transaction, which may be retried as a whole; else on `db`. */
  commit: (transaction: Db, prepared: P) => Promise<T>
  insert?: never
  mayWait?: never
}

interface InOneStatement<T> {
  /**
   * Writes what is created, and its response if there is a key, in one statement. Returns undefined, and writes
   * nothing, if the key has a response.
   */
  insert: (toStored?: (result: T) => KeyedResponse) => Promise<T | undefined>
  /** The insertion may wait for others: a stored response is looked for before. */
  mayWait?: boolean
}

export interface Vault {
  seal(text: string): string
  open(text: string): string
}

interface Response {
  status: number
  body: Record<string, unknown>
}

export interface Outcome<T> {
  status: number
  /** As text for a replay: exactly the bytes of the first response. */
  body: Record<string, unknown> | string
  /** The created resource; undefined for a replay. */
  result: T | undefined
}

/**
 * Runs `creation` once for each `Idempotency-Key` of the user's API keys that allow the same, and returns its response;
 * a repeated request gets the stored response. Only successes are stored, together with what is written. Throws 400 for
 * a malformed key and 409 for the key of another request. A request without a key costs no transaction and no
 * statement.
 */
export async function withIdempotencyKey<T, P = undefined>(
  db: Db,
  reply: FastifyReply,
  creation: Creation<T, P>,
): Promise<Outcome<T>> {
  const { request } = reply
  const key = readIdempotencyKey(request)
  if (key === undefined) {
    // An insertion that has no key always returns the post that it has written.
    const result = creation.insert ? (await creation.insert())! : await creation.commit(db, await prepare(creation))
    return { ...creation.toResponse(result), result }
  }

  const keyed = toKeyed(request, key, creation)
  try {
    // A single statement finds a stored response by itself. Most keys have none.
    const isFoundLater = creation.insert && !creation.mayWait
    let found: Lookup = isFoundLater ? { free: { key, takenKey: null } } : await checkReplay(db, keyed)
    const prepared = creation.insert || found.replay ? undefined : await prepare(creation)
    for (;;) {
      if (found.replay) return found.replay
      const store = (result: T) => toStored(reply, { ...keyed, ...found.free! }, creation.toResponse(result))
      const result = creation.insert
        ? await creation.insert(store)
        : await commit(db, keyed.userId, (transaction) => creation.commit(transaction, prepared as P), store)
      if (result !== undefined) return { ...creation.toResponse(result), result }
      // Another request has used the key first. Without a replay, other API keys have, or its response has expired.
      found = await checkReplay(db, keyed)
    }
  } catch (error) {
    // A replay precedes the errors of a request, as does the error of a taken key: the first of two equal requests may
    // have changed what the second is checked against. If the database cannot tell, its error is the response.
    const again = error instanceof AppError ? await checkReplay(db, keyed) : undefined
    if (!again?.replay) throw error
    return again.replay
  }
}

/** Sends the response of `withIdempotencyKey`. */
export function sendOutcome(reply: FastifyReply, { status, body, result }: Outcome<unknown>): FastifyReply {
  reply.code(status)
  if (result !== undefined) {
    if (status === 201) reply.request.createdId = (body as { id: string }).id
    return reply.send(body)
  }
  return reply.header('idempotent-replayed', 'true').type('application/json; charset=utf-8').send(body)
}

/** The parts of a request, each of which commits by itself. */
export interface Parts {
  /**
   * Does the part `name` once for each `Idempotency-Key`, and returns its result each time. `act` calls `commit` in the
   * transaction in which it does the part.
   */
  once<T extends object>(name: string, act: (commit: CommitPart<T>) => Promise<T>): Promise<T>
}

type CommitPart<T> = (transaction: Db, result: T) => Promise<void>

/** The parts of a request whose whole has the outcome `whole` of `withIdempotencyKey`. */
export function partsOf(db: Db, request: FastifyRequest, identity: unknown, whole: Outcome<unknown>): Parts {
  const key = readIdempotencyKey(request)
  if (key === undefined) return { once: (_name, act) => act(async () => {}) }
  const { userId, rights, hashes } = toKeyed(request, key, { identities: [identity] })
  // The header cannot contain the spaces.
  const keyOf = (name: string) => `${ownKey(rights, key)} ${name}`
  const find = async (name: string) => {
    const [stored] = await findStoredResponses(db, { userId, keys: [keyOf(name)] })
    return stored && JSON.parse(stored.body)
  }
  return {
    async once(name, act) {
      const known = whole.result === undefined ? await find(name) : undefined
      if (known) return known
      try {
        return await act(async (transaction, result) => {
          const part = { key: keyOf(name), takenKey: null, rights, requestHash: hashes[0]!, status: 200 }
          const isStored = await storeResponse(transaction, userId, { ...part, body: JSON.stringify(result) })
          if (!isStored) throw new LostRace()
        })
      } catch (error) {
        const done = error instanceof LostRace || error instanceof AppError ? await find(name) : undefined
        if (!done) throw error
        return done
      }
    },
  }
}

const FORM = new RegExp(KEY_FORM)

/** The key of a request, if it has one. Throws 400 for a malformed key. */
export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  // Node joins repeated headers with a comma and a space, which the form does not allow.
  if (key !== undefined && !FORM.test(String(key))) throw invalidRequest([BAD_KEY])
  return key as string | undefined
}

interface KeyedRequest extends FreeKey {
  userId: string
  /** The digest of the rights of the request's API key: see `digestRights`. */
  rights: string
  /** One for each form of the request. New responses are stored under the first. */
  hashes: Buffer[]
  vault: Vault | undefined
}

function toKeyed(
  request: FastifyRequest,
  key: string,
  { identities, vault }: Pick<Repeatable<never>, 'identities' | 'vault'>,
): KeyedRequest {
  const hashes = identities.flatMap((identity) => [
    // An earlier version, which could not open the response, must not take it for its own.
    ...(vault ? [hashRequest(request, [SEALED, identity])] : []),
    hashRequest(request, identity),
  ])
  return { userId: request.userId, key, takenKey: null, rights: digestRights(request.rights), hashes, vault }
}

/** Begins the body of a stored response that is encrypted. */
const SEALED = 'sealed:'

const prepare = async <T, P>(creation: InTransaction<T, P>): Promise<P> => (await creation.prepare?.()) as P

/** The key under which a response is stored. */
interface FreeKey {
  key: string
  /** The key of the request, if API keys that allow something else have used it. */
  takenKey: string | null
}

/** The stored response of a key, or else the key to store one under. */
type Lookup = { replay: Outcome<never>; free?: never } | { replay?: never; free: FreeKey }

/**
 * The stored response of the key. Throws 409 if it belongs to another request. Without a response, returns the key to
 * store one under: the key itself, where processes of earlier versions find it, unless API keys that allow something
 * else have used it.
 */
async function checkReplay(db: Db, { userId, key, rights, hashes, vault }: KeyedRequest): Promise<Lookup> {
  const own = ownKey(rights, key)
  const found = await findStoredResponses(db, { userId, keys: [key, own] })
  // An earlier version did not store rights. For the day after an upgrade, its responses are those of every API key of
  // the user, as they were before: under another rule, a repeated request would create its post twice.
  const ours = found.filter((stored) => stored.rights === null || stored.rights === rights)
  if (ours.length === 0) return { free: found.length === 0 ? { key, takenKey: null } : { key: own, takenKey: key } }
  const stored = ours.find(({ requestHash }) => hashes.some((hash) => hash.equals(requestHash)))
  if (!stored) throw fail('idempotency_key_reused')
  const { status, body } = stored
  const isSealed = vault && body.startsWith(SEALED)
  return { replay: { status, body: isSealed ? vault.open(body.slice(SEALED.length)) : body, result: undefined } }
}

/** A response as it is stored under the key of its request. */
const toStored = (
  reply: FastifyReply,
  { key, takenKey, rights, hashes: [requestHash], vault }: KeyedRequest,
  { status, body }: Response,
): KeyedResponse => {
  const text = reply.serializeInput(body, String(status)) as string
  return { key, takenKey, rights, requestHash: requestHash!, status, body: vault ? SEALED + vault.seal(text) : text }
}

/**
 * Writes what is created and stores the response, both or neither. Undefined: another request has used the key first.
 */
async function commit<T>(
  db: Db,
  userId: string,
  create: (transaction: Db) => Promise<T>,
  toStored: (result: T) => KeyedResponse,
): Promise<T | undefined> {
  try {
    return await inTransaction(db, async (transaction) => {
      const result = await create(transaction)
      // Last, because an equal request waits on the key: what it waits for must not wait itself.
      if (!(await storeResponse(transaction, userId, toStored(result)))) throw new LostRace()
      return result
    })
  } catch (error) {
    if (error instanceof LostRace) return undefined
    throw error
  }
}

/** Rolls back a transaction, for which Kysely needs a throw. It never leaves this file. */
class LostRace extends Error {}

const hashRequest = ({ routeOptions }: FastifyRequest, identity: unknown): Buffer =>
  hash('sha256', canonicalJson([routeOptions.schema?.operationId, identity]), 'buffer')

/** The same text for all spellings of one JSON value: keys are sorted, array indices first. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const object = value as Record<string, unknown>
  let text = ''
  // A replacer of JSON.stringify that sorts would take three times as long.
  for (const key of sortKeys(Object.keys(object))) {
    if (object[key] !== undefined) text += `${text && ','}${JSON.stringify(key)}:${canonicalJson(object[key])}`
  }
  return `{${text}}`
}

/** An object lists its array indices first, in the order of their numbers. Stored hashes depend on this. */
function sortKeys(keys: string[]): string[] {
  const firstName = keys.findIndex((key) => !isArrayIndex(key))
  if (firstName === -1) return keys
  if (firstName === 0) return keys.sort()
  return [...keys.slice(0, firstName), ...keys.slice(firstName).sort()]
}

const ARRAY_INDEX_MAX = 2 ** 32 - 2

const isArrayIndex = (key: string) => /^(0|[1-9]\d{0,9})$/.test(key) && Number(key) <= ARRAY_INDEX_MAX
