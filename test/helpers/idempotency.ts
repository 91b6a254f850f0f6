import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { createWorld, type Options, type Person } from './app.ts'

const KEY = '6f1c3f0e-5a7d-4a57-9c0b-3f1f6f0d9b11'

export interface KeyedReply {
  status: number
  type: unknown
  /** The bytes of the response. */
  text: string
  body: { id: string; error?: string; details?: unknown[] }
  replayed: unknown
}

/** Sends a creating request with an Idempotency-Key. A body with type and bytes is a form, every other body is JSON. */
export async function sendWithKey(
  app: FastifyInstance,
  { key: apiKey }: Pick<Person, 'key'>,
  path: string,
  body: object | { type: string; body: Buffer },
  key: string | string[] | undefined = KEY,
): Promise<KeyedReply> {
  const isForm = 'type' in body && 'body' in body
  const reply = await app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': isForm ? (body.type as string) : 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    payload: isForm ? (body.body as Buffer) : JSON.stringify(body),
  })
  const { statusCode: status, payload: text, headers } = reply
  const { 'content-type': type, 'idempotent-replayed': replayed } = headers
  return { status, type, text, body: reply.json(), replayed }
}

/** A user with an account, and functions that create posts and read what is stored. */
export async function createKeyedWorld(t: Test, options: Options = {}) {
  const world = await createWorld(t, { poolMax: 8, ...options })
  const ada = await world.user()
  // Responses would warn of an account without credentials.
  const account = await ada.account('sandbox', { credentials: { username: 'ada' } })
  const create = (body: object = {}, key?: string) =>
    sendWithKey(world.app, ada, '/posts', { accountIds: [account], ...body }, key)
  const posts = () => world.db.selectFrom('posts').select('id').execute()
  const storedKeys = () => world.db.selectFrom('idempotencyKeys').selectAll().execute()
  return { ...world, ada, account, create, posts, storedKeys }
}

/** Blocks the writing of keys, but not their lookup, while `work` runs. */
export async function withKeysLocked(db: Db, work: () => Promise<void>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`lock table idempotency_keys in share mode`.execute(transaction)
    await work()
  })
}

/** Fails unless all replies have the same bytes, and all but one are marked as replays. */
export function assertOneResponse(t: Test, replies: KeyedReply[], status = 201): void {
  const [{ text }] = replies as [KeyedReply]
  const type = 'application/json; charset=utf-8'
  t.strictSame(
    replies.map((reply) => [reply.status, reply.type, reply.text]),
    replies.map(() => [status, type, text]),
  )
  t.strictSame(
    replies.map(({ replayed }) => replayed).sort(),
    [...replies.slice(1).map(() => 'true'), undefined],
    'all but one are marked as replays',
  )
}
