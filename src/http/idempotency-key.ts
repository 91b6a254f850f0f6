import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../../db/client.ts'
import { findKeptAnswer, type KeptAnswer, keepAnswer } from '../../db/queries/idempotency.ts'
import { inTransaction } from '../../db/transaction.ts'
import { BAD_KEY, KEY_FORM, KEY_TAKEN } from '../../schemas/idempotency.ts'
import { AppError, invalidRequest } from '../errors.ts'

/** A request that creates a `T`, and may be sent again under its `Idempotency-Key`. */
export interface Once<T> {
  /**
   * Before anything is done. Throws where the key has been answered: what is thrown has to pass, `answerOnce` knows it.
   * `request` is what has to be the same the next time; `others` are forms of the same that it may have been kept under.
   */
  begin(request: unknown, ...others: unknown[]): Promise<void>
  /**
   * Does what is to be done once, and keeps the answer with it: both or neither. `work` runs in a transaction, and may run
   * again; what takes long does not belong there. Throws as `begin` does.
   */
  write(work: (db: Db) => Promise<T>): Promise<T>
}

export interface Answer {
  status: number
  body: Record<string, unknown>
}

/**
 * Answers a request by what `create` gives, or, where its `Idempotency-Key` has been answered before, by the same bytes
 * again. Throws 400 for a key that is none, 409 for the key of another request. Only what succeeds is kept. Without a key
 * there is no transaction, and no other statement than those of `create`.
 */
export async function answerOnce<T>(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  create: (once: Once<T>) => Promise<T>,
  toAnswer: (created: T) => Answer,
): Promise<FastifyReply> {
  const key = readKey(request)
  if (key === undefined) {
    const { status, body } = toAnswer(await create({ begin: async () => {}, write: (work) => work(db) }))
    return reply.code(status).send(body)
  }

  const { userId } = request
  const operation = request.routeOptions.schema?.operationId
  let hashes: Buffer[] = []
  async function recall(): Promise<KeptAnswer | undefined> {
    const [kept] = await findKeptAnswer(db, { userId, key: key! })
    if (kept && !hashes.some((hash) => hash.equals(kept.requestHash)))
      throw new AppError(409, 'idempotency_key_reused', KEY_TAKEN)
    return kept
  }
  async function replay(): Promise<void> {
    const kept = await recall()
    if (kept) throw new Replay(kept)
  }

  const once: Once<T> = {
    async begin(...requests) {
      hashes = requests.map((body) =>
        createHash('sha256')
          .update(canonical([operation, body]))
          .digest(),
      )
      await replay()
    },
    async write(work) {
      const [requestHash] = hashes as [Buffer]
      for (;;) {
        try {
          return await inTransaction(db, async (db) => {
            const created = await work(db)
            const { status, body } = toAnswer(created)
            // Last, so that nobody waits for a transaction that waits itself.
            const kept = await keepAnswer(db, {
              ...{ userId, key, requestHash, status },
              body: reply.serializeInput(body, String(status)) as string,
            })
            if (kept.length === 0) throw new Overtaken()
            return created
          })
        } catch (error) {
          if (!(error instanceof Overtaken)) throw error
          await replay()
          // The other's answer has expired in this very moment.
        }
      }
    },
  }

  try {
    const { status, body } = toAnswer(await create(once))
    return await reply.code(status).send(body)
  } catch (error) {
    const kept = error instanceof Replay ? error.kept : await recallRefused(error)
    if (!kept) throw error
    return await reply
      .code(kept.status)
      .header('idempotent-replayed', 'true')
      .type('application/json; charset=utf-8')
      .send(kept.body)
  }

  /** What is refused may have been done by the same request, sent twice: it has changed what this one was judged by. */
  async function recallRefused(error: unknown): Promise<KeptAnswer | undefined> {
    return error instanceof AppError ? recall().catch(() => undefined) : undefined
  }
}

/** Undoes what was begun. */
class Replay extends Error {
  readonly kept: KeptAnswer
  constructor(kept: KeptAnswer) {
    super('This was answered before')
    this.kept = kept
  }
}

/** Undoes a transaction: another one has kept its answer under the same key. */
class Overtaken extends Error {}

const FORM = new RegExp(KEY_FORM)

function readKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  // Node joins those that are sent twice, by a comma and a space.
  if (key !== undefined && !FORM.test(String(key))) throw invalidRequest([BAD_KEY])
  return key as string | undefined
}

/** One text for all spellings of one JSON value. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
