import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'

interface KeyOfUser {
  userId: string
  key: string
}

/** What was answered to the request that a key was sent with. */
export interface KeptAnswer {
  /** SHA-256 of the request. */
  requestHash: Buffer
  status: number
  /** As it was sent. */
  body: string
}

/** Before then, a key is forgotten. */
const KEPT_SINCE = sql<Date>`now() - interval '24 hours'`

/**
 * Gives nothing where the key was not kept, or for longer than it is good for. What is found is locked, which is a write,
 * and so waits as any other for a synchronous standby: an answer that is kept on this server alone, since it crashed or
 * the wait was cancelled, is not given again before it is kept on the other.
 */
export const findKeptAnswer = prepared<KeyOfUser, KeptAnswer>('find_kept_answer', (db, value) =>
  db
    .selectFrom('idempotencyKeys')
    .select(['requestHash', 'status', 'body'])
    .where('userId', '=', value('userId'))
    .where('key', '=', value('key'))
    .where('createdAt', '>=', KEPT_SINCE)
    .forKeyShare(),
)

/**
 * Keeps an answer under its key. Gives nothing, and keeps nothing, where the key has one already. A transaction that is
 * keeping one at the same moment is waited for.
 */
export const keepAnswer = prepared<KeyOfUser & KeptAnswer, { key: string }>('keep_answer', (db, value) =>
  db
    .insertInto('idempotencyKeys')
    .values({
      userId: value('userId'),
      key: value('key'),
      requestHash: value('requestHash'),
      status: value('status'),
      body: value('body'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['userId', 'key'])
        .doUpdateSet((eb) => ({
          requestHash: eb.ref('excluded.requestHash'),
          status: eb.ref('excluded.status'),
          body: eb.ref('excluded.body'),
          createdAt: eb.ref('excluded.createdAt'),
        }))
        .where('idempotencyKeys.createdAt', '<', KEPT_SINCE),
    )
    .returning('key'),
)

const BATCH = 1_000

/** Removes keys that nothing is answered to any more, the oldest first, a batch of them. Gives how many there were. */
export async function sweepIdempotencyKeys(db: Db): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotencyKeys')
    .using((eb) =>
      eb
        .selectFrom('idempotencyKeys')
        .select(['userId', 'key'])
        .where('createdAt', '<', KEPT_SINCE)
        .orderBy('createdAt')
        .limit(BATCH)
        .forUpdate()
        .skipLocked()
        .as('old'),
    )
    .whereRef('idempotencyKeys.userId', '=', 'old.userId')
    .whereRef('idempotencyKeys.key', '=', 'old.key')
    .executeTakeFirst()
  return Number(numDeletedRows)
}
